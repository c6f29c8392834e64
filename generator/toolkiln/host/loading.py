"""Finds the executor of a project."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from toolkiln_runtime.executor import Executor

from ..config.project import Project


class UnusableError(Exception):
    """What `run` names is not there, or is no executor. The cause is what the import raised."""


def executor(project: Project) -> Executor:
    """What `run` in the project file names; importing it runs the project's code."""
    # As the project's own code is started in its folder, so are its modules found here.
    sys.path[:0] = [str(folder) for folder in _import_roots(project)]
    module_name, _, path = project.run.partition(":")
    try:
        value: object = import_module(module_name)
        for name in path.split("."):
            value = getattr(value, name)
    except (Exception, SystemExit) as error:
        raise UnusableError(
            f"`run`: {project.run} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(value, Executor):
        raise UnusableError(
            f"`run`: {project.run} is of the type {type(value).__name__}, and no Executor"
        )
    return value


def _import_roots(project: Project) -> list[Path]:
    """The project's folder, and the one that the generated package is imported from."""
    package = Path(*project.package.split("."))
    roots = [project.root]
    for target in project.targets:
        folder = project.root / target.out
        root = folder.parents[len(package.parts) - 1]
        if root / package == folder and root not in roots:
            roots.insert(0, root)
    return roots
