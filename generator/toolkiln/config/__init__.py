"""The project file: from `toolkiln.toml`, or `[tool.toolkiln]` in `pyproject.toml`, to a Project.

It does not know which targets exist, nor what a target's options mean.
"""

from __future__ import annotations

import keyword
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias, cast

from ..diagnostics import Diagnostic, Level, Rule, Span
from ..spelling import did_you_mean
from ..value import Json, JsonObject
from .places import KeyPath, places
from .project import Project, ProjectFile, TargetSettings

FILE: Final = "toolkiln.toml"
PYPROJECT: Final = "pyproject.toml"

PROJECT_UNREADABLE: Final = Rule(
    "project-unreadable", Level.ERROR, "The project file is no TOML in UTF-8, or cannot be read."
)
PROJECT_KEY_UNKNOWN: Final = Rule(
    "project-key-unknown", Level.ERROR, "The project file has a key that means nothing."
)
PROJECT_KEY_MISSING: Final = Rule(
    "project-key-missing", Level.ERROR, "The project file lacks a key that has no default."
)
PROJECT_VALUE_INVALID: Final = Rule(
    "project-value-invalid", Level.ERROR, "A value in the project file is not what its key takes."
)
SPECS_UNMATCHED: Final = Rule(
    "specs-unmatched", Level.ERROR, "A pattern under `specs` matches no file."
)

_Found: TypeAlias = tuple[Rule, KeyPath, str, str]
"""Rule, where, message, hint: a finding before its place is looked up."""


def find(start: Path) -> Path | None:
    """The project file of *start*, or of the nearest folder above it that has one."""
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return folder / FILE
        pyproject = folder / PYPROJECT
        if pyproject.is_file() and b"tool.toolkiln" in pyproject.read_bytes():
            return pyproject
    return None


def read(path: Path) -> tuple[Project | None, list[Diagnostic]]:
    """The project that the file at *path* describes; None if there are findings."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return None, [_unreadable(path.name, error)]
    return parse(text, path)


def parse(text: str, path: Path) -> tuple[Project | None, list[Diagnostic]]:
    """As `read`, with *text* as what the file at *path* holds or is to hold."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return None, [_unparsable(text, path.name, error)]
    for key in _prefix(path.name):
        table = table.get(key, {})
    found = list(_shape(table))
    if found:
        return None, _placed(found, text, path.name)
    written = _as_written(table)
    root = path.parent.resolve()
    found = list(_sense(written, root))
    if found:
        return None, _placed(found, text, path.name)
    return _as_used(written, root, path.name), []


def spec_files(project: Project) -> tuple[list[Path], list[Diagnostic]]:
    """The files that the globs match, sorted; a finding for each glob that matches none."""
    files: set[Path] = set()
    unmatched: list[Diagnostic] = []
    for position, pattern in enumerate(project.specs):
        matched = [path for path in project.root.glob(pattern) if path.is_file()]
        files.update(matched)
        if not matched:
            message = f"No file matches `{pattern}`."
            hint = "`toolkiln new TOOL --in FILE` writes one."
            span = place(project, "specs", position)
            unmatched.append(SPECS_UNMATCHED.at(span, message, hint=hint))
    return sorted(files), unmatched


def place(project: Project, *path: str | int) -> Span:
    """Where the value at *path* stands in the project file, or what encloses it."""
    text = (project.root / project.file).read_text(encoding="utf-8-sig")
    return _nearest_span(places(text, project.file), (*_prefix(project.file), *path), project.file)


# --- what may be written ------------------------------------------------------------------------


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_texts(value: object) -> bool:
    return (
        isinstance(value, list) and value != [] and all(map(_is_text, cast("list[object]", value)))
    )


def _is_tables(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(table, dict) for table in cast("dict[str, object]", value).values()
    )


KEYS: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "specs": (_is_texts, 'a list of file patterns: specs = ["specs/**/*.yaml"]'),
    "package": (_is_text, 'the generated package: package = "app.tools"'),
    "out": (_is_text, 'the folder of the generated package: out = "src/app/tools"'),
    "run": (_is_text, 'where the executor is: run = "app.main:executor"'),
    "targets": (_is_tables, "a table a target: [targets.python]"),
}
"""What each key takes: a test, and words for it."""


def _shape(table: JsonObject) -> Iterator[_Found]:
    for key, value in table.items():
        if key not in KEYS:
            hint = did_you_mean(key, KEYS) or f"Known here: {', '.join(KEYS)}."
            yield PROJECT_KEY_UNKNOWN, (key,), f"`{key}` is no key of the project file.", hint
        elif not KEYS[key][0](value):
            yield PROJECT_VALUE_INVALID, (key,), f"`{key}` is {KEYS[key][1]}", ""
    for key in ("specs", "package"):
        if key not in table:
            message = f"`{key}` is missing: it is {KEYS[key][1]}"
            yield PROJECT_KEY_MISSING, (key,), message, ""


def _as_written(table: JsonObject) -> ProjectFile:
    return ProjectFile(
        specs=tuple(cast("list[str]", table["specs"])),
        package=cast("str", table["package"]),
        out=cast("str", table.get("out", "")),
        run=cast("str", table.get("run", "")),
        targets=cast("Mapping[str, JsonObject]", table.get("targets", {})),
    )


# --- what makes sense ---------------------------------------------------------------------------

_RUN: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def _sense(written: ProjectFile, root: Path) -> Iterator[_Found]:
    for position, pattern in enumerate(written.specs):
        if problem := _outside(pattern) or _unmatchable(pattern):
            yield PROJECT_VALUE_INVALID, ("specs", position), f"`{pattern}` {problem}.", ""
    for word in written.package.split("."):
        if not word.isidentifier() or not word.isascii() or keyword.iskeyword(word):
            message = f"`{written.package}` cannot be imported: `{word}` is no Python name."
            yield PROJECT_VALUE_INVALID, ("package",), message, ""
    if written.run and not _RUN.fullmatch(written.run):
        message = f"`run` is {KEYS['run'][1]}"
        yield PROJECT_VALUE_INVALID, ("run",), message, ""
    yield from _folders(written, root)
    yield from _templates(written, root)


def _folders(written: ProjectFile, root: Path) -> Iterator[_Found]:
    writers: dict[PurePosixPath, str] = {}
    for name, out, where in _outs(written):
        if not isinstance(out, str) or not out:
            message = f"`targets.{name}` does not say which folder it writes."
            yield PROJECT_KEY_MISSING, where, message, f'Add out = "generated/{name}".'
        elif problem := _outside(out) or _leaves(root, out):
            yield PROJECT_VALUE_INVALID, where, f"`{out}` {problem}.", ""
        elif (other := writers.setdefault(PurePosixPath(out), name)) != name:
            message = f"`targets.{name}` and `targets.{other}` write the same folder `{out}`."
            yield PROJECT_VALUE_INVALID, where, message, ""


def _templates(written: ProjectFile, root: Path) -> Iterator[_Found]:
    for name, table in written.targets.items():
        folder = table.get("templates")
        if isinstance(folder, str) and (problem := _outside(folder) or _leaves(root, folder)):
            where = ("targets", name, "templates")
            yield PROJECT_VALUE_INVALID, where, f"`{folder}` {problem}.", ""


def _outs(written: ProjectFile) -> Iterator[tuple[str, Json, KeyPath]]:
    """The name, folder and place of each target; only Python has a folder by default."""
    for name, table in (written.targets or {"python": {}}).items():
        if "out" in table:
            yield name, table["out"], ("targets", name, "out")
        elif name == "python":
            yield name, written.out or written.package.replace(".", "/"), ("out",)
        else:
            yield name, None, ("targets", name)


def _outside(path: str) -> str:
    if "\\" in path:
        return "has a backslash: paths are written with `/` on every system"
    if not path.isprintable():
        return "has a character that cannot be seen"
    if path.startswith(("/", "~")) or re.match("[A-Za-z]:", path):
        return "is not relative to the project"
    return "leaves the project" if ".." in path.split("/") else ""


def _leaves(root: Path, out: str) -> str:
    return "" if (root / out).resolve().is_relative_to(root) else "is a link out of the project"


def _unmatchable(pattern: str) -> str:
    joined = any("**" in part and part != "**" for part in pattern.split("/"))
    return "joins `**` with other characters: it stands alone between two `/`" if joined else ""


def _as_used(written: ProjectFile, root: Path, file: str) -> Project:
    targets = written.targets or {"python": {}}
    return Project(
        root=root,
        file=file,
        specs=written.specs,
        package=written.package,
        targets=tuple(
            TargetSettings(
                name,
                PurePosixPath(cast("str", out)).as_posix(),
                {key: value for key, value in targets[name].items() if key != "out"},
            )
            for name, out, _ in _outs(written)
        ),
        run=written.run,
    )


# --- where it stands ----------------------------------------------------------------------------


def _prefix(file: str) -> tuple[str, ...]:
    return ("tool", "toolkiln") if file == PYPROJECT else ()


def _placed(found: list[_Found], text: str, file: str) -> list[Diagnostic]:
    spans = places(text, file)
    return [
        rule.at(_nearest_span(spans, (*_prefix(file), *path), file), message, hint=hint)
        for rule, path, message, hint in found
    ]


def _nearest_span(spans: Mapping[KeyPath, Span], path: KeyPath, file: str) -> Span:
    while path and path not in spans:
        path = path[:-1]
    return spans.get(path, Span(file, 1, 1))


def _unreadable(file: str, error: OSError | UnicodeDecodeError) -> Diagnostic:
    if isinstance(error, OSError):
        return PROJECT_UNREADABLE.at(None, f"{file} cannot be read: {error.strerror}.")
    return PROJECT_UNREADABLE.at(Span(file, 1, 1), f"{file} is not UTF-8 text.")


def _unparsable(text: str, file: str, error: tomllib.TOMLDecodeError) -> Diagnostic:
    message, _, where = str(error).partition(" (at ")
    span = Span(file, text.count("\n") + 1, 1)
    if numbers := re.match(r"line (\d+), column (\d+)", where):
        span = Span(file, int(numbers[1]), int(numbers[2]))
    return PROJECT_UNREADABLE.at(span, f"{message}.")
