"""The stages joined: from a project to its contract, and from there to files in folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from .. import config, output
from ..config.project import Project, TargetSettings
from ..contract import Contract
from ..diagnostics import Diagnostic, Level, Rule, Span
from ..output import OUTPUT_OUTSIDE, OUTPUT_UNWRITABLE, Plan
from ..target import File, Target, TargetError
from ..value import Json
from .console import failed, texts

TEMPLATE_FAILED: Final = Rule(
    "template-failed", Level.ERROR, "A template of the project's own cannot be rendered."
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a project's specs say."""

    contract: Contract | None
    """Without the tools that are in error; None if the specs could not be loaded."""
    found: tuple[Diagnostic, ...]
    sources: Mapping[str, str]
    """Texts of the files that findings point at."""


def read(project: Project) -> Reading:
    """Load and lower the specs of *project*."""
    from ..load import load

    files, found = config.spec_files(project)
    if failed(found):
        return Reading(None, tuple(found), texts(project.root, found))
    specs, found = load(project.root, files)
    contract = None
    if not failed(found):
        from ..lower import lower

        contract, lowered = lower(specs)
        found = [*found, *lowered]
    documents = (spec.document for spec in specs.documents.values())
    loaded = {document.file: document.text for document in documents} if found else {}
    return Reading(contract, tuple(found), {**texts(project.root, found), **loaded})


def render(
    project: Project, contract: Contract, targets: Sequence[tuple[TargetSettings, Target]]
) -> tuple[dict[str, list[File]], list[Diagnostic]]:
    """The files of each output folder, by its name in the project file.

    A fault in a template of the project's own is a finding, one in ours an exception.
    """
    folders: dict[str, list[File]] = {}
    for settings, target in targets:
        try:
            files = list(target.files(contract, _options(project, settings)))
        except Exception as error:
            if "templates" not in settings.options or not _is_templates_fault(error):
                raise
            return {}, [_template_failed(project, settings, error)]
        folders[settings.out] = files
    return folders, []


def plans(
    project: Project, folders: Mapping[str, Sequence[File]]
) -> tuple[list[tuple[str, Plan]], list[Diagnostic]]:
    """What must change in each folder, and last, below the project, which scaffolds are new."""
    try:
        made = [(out, output.plan(files, project.root / out)) for out, files in folders.items()]
        scaffolds = [file for files in folders.values() for file in files if file.scaffold]
        for file in scaffolds:
            _keep_apart(file.path, folders)
        return [*made, ("", output.scaffold(scaffolds, project.root))], []
    except output.UnsafePathError as error:
        return [], [OUTPUT_OUTSIDE.at(config.place(project, "targets"), f"{error}.")]
    except OSError as error:
        return [], [unwritable(project, error)]


def _keep_apart(scaffold: str, folders: Iterable[str]) -> None:
    """Refuse a file of the user's among those that are generated: a module there may hide it."""
    for out in folders:
        if out != "." and PurePosixPath(scaffold).is_relative_to(out):
            raise output.UnsafePathError(f"{scaffold} would stand among the files of {out}")


def unwritable(project: Project, error: OSError) -> Diagnostic:
    """That the disk did not let us read or write, as a finding."""
    path = Path(error.filename or project.root)
    if path.is_relative_to(project.root):
        path = path.relative_to(project.root)
    return OUTPUT_UNWRITABLE.at(None, f"{path.as_posix()}: {error.strerror or error}.")


def _is_templates_fault(error: Exception) -> bool:
    from jinja2 import TemplateError

    return isinstance(error, (TargetError, TemplateError))


def _template_failed(project: Project, settings: TargetSettings, error: Exception) -> Diagnostic:
    """Points at the line of the project's template that was being rendered, if one was."""
    place = config.place(project, "targets", settings.name, "templates")
    frame = error.__traceback__
    while frame is not None:
        path = Path(frame.tb_frame.f_code.co_filename)
        if path.is_relative_to(project.root) and path.suffix == ".jinja":
            place = Span(path.relative_to(project.root).as_posix(), frame.tb_lineno, 1)
        frame = frame.tb_next
    return TEMPLATE_FAILED.at(place, f"{error}.")


def _options(project: Project, settings: TargetSettings) -> Mapping[str, Json]:
    given: dict[str, Json] = {**settings.options, "package": project.package}
    if "templates" in given:
        given["templates"] = str(project.root / str(given["templates"]))
    return given
