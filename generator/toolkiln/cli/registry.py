"""The targets that a project names: ours, and those that other distributions bring.

A distribution is asked only for a target that the project file names: no code runs because it
happens to be installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final, cast

from .. import config
from ..config.project import Project, TargetSettings
from ..diagnostics import Diagnostic, Level, Rule
from ..spelling import did_you_mean
from ..target import Target

TARGET_UNKNOWN: Final = Rule(
    "target-unknown", Level.ERROR, "The project asks for a target that is not installed."
)
TARGET_OPTION_INVALID: Final = Rule(
    "target-option-invalid", Level.ERROR, "A target does not take this option, or not this value."
)

_GROUP: Final = "toolkiln.targets"
_OURS: Final = {"python": "toolkiln.targets.python:Python"}


def resolve(
    project: Project,
) -> tuple[list[tuple[TargetSettings, Target]], list[Diagnostic]]:
    """Each target of *project* with its settings, and what is wrong with them."""
    targets: list[tuple[TargetSettings, Target]] = []
    found: list[Diagnostic] = []
    for settings in project.targets:
        target = _target(settings.name)
        if target is None:
            message = f"There is no target `{settings.name}`."
            hint = did_you_mean(settings.name, _OURS)
            span = config.place(project, "targets", settings.name)
            found.append(TARGET_UNKNOWN.at(span, message, hint=hint))
            continue
        targets.append((settings, target))
        if settings.options:
            found += _options_found(project, settings, target)
    return targets, found


def _target(name: str) -> Target | None:
    if name in _OURS:
        module, _, attribute = _OURS[name].partition(":")
        return cast("Target", getattr(import_module(module), attribute)())
    from importlib.metadata import entry_points

    for entry in entry_points(group=_GROUP, name=name):
        loaded: Any = entry.load()
        return cast("Target", loaded() if isinstance(loaded, type) else loaded)
    return None


def _options_found(project: Project, settings: TargetSettings, target: Target) -> list[Diagnostic]:
    from jsonschema import Draft202012Validator

    known = target.options.get("properties", {})
    found: list[Diagnostic] = []
    validator: Any = Draft202012Validator(dict(target.options))
    for error in validator.iter_errors(dict(settings.options)):
        path = list(error.absolute_path)
        hint = ""
        message = f"`targets.{settings.name}`: {error.message}."
        if error.validator == "pattern":
            message = f"`{path[0]}` leads out of the project."
            hint = "Write a folder below the project file, such as `app/handlers`."
        if error.validator == "additionalProperties" and isinstance(known, dict):
            path = [next(key for key in settings.options if key not in known)]
            message = f"`{path[0]}` is no option of the target `{settings.name}`."
            hint = did_you_mean(str(path[0]), known) or f"Known here: {', '.join(known) or 'none'}."
        span = config.place(project, "targets", settings.name, *path)
        found.append(TARGET_OPTION_INVALID.at(span, message, hint=hint))
    return found
