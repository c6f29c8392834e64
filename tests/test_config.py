from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import REPOSITORY
from toolkiln import config
from toolkiln.config.places import places
from toolkiln.config.project import Project, TargetSettings

if TYPE_CHECKING:
    from toolkiln.diagnostics import Diagnostic

MINIMAL = 'specs = ["specs/*.yaml"]\npackage = "app.tools"\n'


def read(folder: Path, text: str, name: str = config.FILE) -> Project:
    (folder / name).write_text(text)
    project, found = config.read(folder / name)
    assert found == []
    assert project is not None
    return project


def refused(folder: Path, text: str, name: str = config.FILE) -> list[Diagnostic]:
    (folder / name).write_bytes(text.encode())
    project, found = config.read(folder / name)
    assert project is None
    assert found
    return found


def only(found: list[Diagnostic]) -> Diagnostic:
    assert len(found) == 1
    return found[0]


def test_two_keys_are_enough(tmp_path: Path) -> None:
    project = read(tmp_path, MINIMAL)
    assert project.root == tmp_path.resolve()
    assert project.targets == (TargetSettings("python", "app/tools", {}),)
    assert project.run == ""


def test_pyproject_holds_a_project_too(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\n[tool.toolkiln]\nspecs = ["a.yaml"]\npackage = "app"\n'
    project = read(tmp_path, text, config.PYPROJECT)
    assert (project.file, project.package) == ("pyproject.toml", "app")


def test_options_reach_their_target_without_its_folder(tmp_path: Path) -> None:
    project = read(
        tmp_path,
        MINIMAL
        + 'out = "src/app/tools"\n[targets.python]\narguments = "dict"\n'
        + '[targets.typescript]\nout = "web/tools/"\n',
    )
    assert project.targets == (
        TargetSettings("python", "src/app/tools", {"arguments": "dict"}),
        TargetSettings("typescript", "web/tools", {}),
    )


def test_the_nearest_project_file_upwards_is_found(tmp_path: Path) -> None:
    (tmp_path / "toolkiln.toml").write_text(MINIMAL)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "no tools here"\n')
    assert config.find(inner) == tmp_path / "toolkiln.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.toolkiln]\n")
    assert config.find(inner) == tmp_path / "a" / "pyproject.toml"


def test_an_unknown_key_is_refused_with_the_nearest_and_its_place(tmp_path: Path) -> None:
    found = only(refused(tmp_path, MINIMAL + '\n# note\n pakage = "x"\n'))
    assert found.rule == "project-key-unknown"
    assert found.hint == "Did you mean `package`?"
    assert found.span is not None
    assert (found.span.line, found.span.column, found.span.length) == (5, 2, 6)


def test_a_key_in_pyproject_is_found_there(tmp_path: Path) -> None:
    text = '[tool.toolkiln]\nspecs = ["a.yaml"]\npackage = "app"\nspec = 1\n'
    found = only(refused(tmp_path, text, config.PYPROJECT))
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("pyproject.toml", 4)


@pytest.mark.parametrize(
    ("text", "rule", "line", "says"),
    [
        ('package = "app"', "project-key-missing", 1, "`specs` is missing"),
        ('specs = ["a.yaml"]', "project-key-missing", 1, "`package` is missing"),
        ('package = "app"\nspecs = "a.yaml"', "project-value-invalid", 2, "a list"),
        ('package = "app"\nspecs = []', "project-value-invalid", 2, "a list"),
        ('package = "app"\nspecs = ["a",\n 1]', "project-value-invalid", 2, "a list"),
        ('package = "app"\nspecs = ["a",\n "../b"]', "project-value-invalid", 3, "leaves"),
        ('specs = ["/a.yaml"]\npackage = "a"', "project-value-invalid", 1, "not relative"),
        ('specs = ["C:/a.yaml"]\npackage = "a"', "project-value-invalid", 1, "not relative"),
        ("specs = ['a\\b.yaml']\npackage = \"a\"", "project-value-invalid", 1, "backslash"),
        ('specs = ["**a/b.yaml"]\npackage = "a"', "project-value-invalid", 1, "stands alone"),
        ('specs = ["a"]\npackage = "app.class"', "project-value-invalid", 2, "`class`"),
        ('specs = ["a"]\npackage = "app-x"', "project-value-invalid", 2, "`app-x`"),
        (MINIMAL + 'out = "../x"', "project-value-invalid", 3, "leaves"),
        (MINIMAL + 'out = "a\\u0000b"', "project-value-invalid", 3, "cannot be seen"),
        ('specs = ["a\\u0000"]\npackage = "a"', "project-value-invalid", 1, "cannot be seen"),
        (MINIMAL + 'run = "app.main"', "project-value-invalid", 3, "`run` is"),
        (MINIMAL + "[targets]\npython = 3", "project-value-invalid", 3, "a table"),
        (MINIMAL + "[targets.docs]", "project-key-missing", 3, "which folder"),
        (MINIMAL + 'targets={a={out="x"}, b={out="./x"}}', "project-value-invalid", 3, "same"),
        ("specs = [", "project-unreadable", 1, "value"),
        ("a = 1\na = 2", "project-unreadable", 2, "overwrite"),
    ],
)  # fmt: skip
def test_each_mistake_is_a_finding_at_its_line(
    tmp_path: Path, text: str, rule: str, line: int, says: str
) -> None:
    found = only(refused(tmp_path, text))
    assert (found.rule, found.span and found.span.line) == (rule, line)
    assert says in found.message


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    assert len(refused(tmp_path, 'specs = 1\npackage = 2\nrum = "x"')) == 3


def test_a_mark_that_some_editors_put_first_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / config.FILE).write_text(MINIMAL, encoding="utf-8-sig")
    project, found = config.read(tmp_path / config.FILE)
    assert project
    assert found == []
    assert config.place(project, "package").line == 2


def test_a_file_that_is_no_text_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "toolkiln.toml").write_bytes(b"\xff\xfe")
    assert only(config.read(tmp_path / "toolkiln.toml")[1]).message == (
        "toolkiln.toml is not UTF-8 text."
    )
    assert only(config.read(tmp_path / "absent.toml")[1]).rule == "project-unreadable"


def test_an_output_folder_that_links_out_of_the_project_is_refused(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (tmp_path / "elsewhere").mkdir()
    project.mkdir()
    (project / "out").symlink_to(tmp_path / "elsewhere")
    assert "a link out of the project" in only(refused(project, MINIMAL + 'out = "out/a"')).message


def test_globs_give_sorted_files_once(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yaml", "deep/c.yaml"):
        (tmp_path / "specs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "specs" / name).touch()
    text = 'specs = ["specs/**/*.yaml", "specs/a.yaml"]\npackage = "app"\n'
    files, found = config.spec_files(read(tmp_path, text))
    assert found == []
    assert [path.name for path in files] == ["a.yaml", "b.yaml", "c.yaml"]


def test_a_glob_without_a_match_is_pointed_at(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").touch()
    project = read(tmp_path, 'package = "app"\nspecs = [\n  "a.yaml",\n  "b/*.yaml",\n]\n')
    files, found = config.spec_files(project)
    assert [path.name for path in files] == ["a.yaml"]
    span = only(found).span
    assert span is not None
    assert (span.line, span.column, span.length) == (4, 3, len('"b/*.yaml"'))


def test_places_of_every_notation() -> None:
    text = (
        'a = 1 # c = 2\n"b c".d = """x\ny = 1"""\n[t."u"]\nv = {w = [1, {x = 2}], y = \'z\'}\n'
        "[[l]]\nm = 1979-05-27 07:32:00\n[[l]]\nm = 2\n[l.n]\no = [ # no\n  'p', # q\n 'r' ]\n"
    )
    tomllib.loads(text)
    found = {path: (span.line, span.column) for path, span in places(text, "f").items()}
    assert found["a",] == (1, 1)
    assert found["b c", "d"] == (2, 7)
    assert found["t", "u", "v", "w", 1, "x"] == (5, 15)
    assert found["t", "u", "v", "y"] == (5, 24)
    assert found["l", 0, "m"] == (7, 1)
    assert found["l", 1, "m"] == (9, 1)
    assert found["l", 1, "n", "o", 1] == (13, 2)


_KEYS = st.text("ab-_ .\"'é", min_size=1, max_size=4)
_VALUES = st.recursive(
    st.one_of(st.integers(), st.booleans(), st.text("a=[]{}#,\"'\\\n", max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=3)),
    max_leaves=8,
)


def _toml(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{escaped}"'
        case list():
            return f"[{', '.join(map(_toml, value))}]"
        case dict():
            return "{" + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + "}"
        case _:
            return str(value)


def _paths(value: object, at: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    children: dict[str | int, object] = {}
    if isinstance(value, dict):
        children = dict(value)
    elif isinstance(value, list):
        children = dict(enumerate(value))
    here = {at} - {()}
    return here.union(*(_paths(child, (*at, key)) for key, child in children.items()))


@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_every_key_and_item_has_a_place(table: dict[str, object]) -> None:
    text = "".join(f"{_toml(key)} = {_toml(value)}\n" for key, value in table.items())
    assert set(places(text, "f")) == _paths(tomllib.loads(text))


SCHEMA = json.loads((REPOSITORY / "schemas" / "project.schema.json").read_text())


def test_editors_know_the_same_keys_as_we_do() -> None:
    assert SCHEMA["properties"].keys() == config.KEYS.keys()


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        (MINIMAL, True),
        (MINIMAL + '[targets.docs]\nout = "x"\nstyle = {wide = true}\n', True),
        (MINIMAL + "out = 1", False),
        (MINIMAL + 'out = ""', False),
        (MINIMAL + "outt = 'x'", False),
        (MINIMAL + "targets = ['python']", False),
        (MINIMAL + "targets = {python = 1}", False),
        ("package = 'a'", False),
        ("package = 'a'\nspecs = []", False),
        ("package = 'a'\nspecs = ['']", False),
    ],
)
def test_editors_and_we_take_the_same_files(tmp_path: Path, text: str, fits: bool) -> None:
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(tomllib.loads(text)) is fits
    project, _ = config.parse(text, tmp_path / config.FILE)
    assert (project is not None) is fits
