from __future__ import annotations

from pathlib import Path

import pytest

from toolkiln.cli import main

SPEC = "toolkiln: 1\nnamespace: a  # ours\ntools:\n  one: {description: d, effects: {}}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "toolkiln.toml").write_text('specs = ["specs/*.yaml"]\npackage = "app"\n')
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "a.yaml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_new_tool_generates_at_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "two"]) == 0
    assert capsys.readouterr().out == "specs/a.yaml:6: added two\n"
    assert (project / "specs" / "a.yaml").read_text().startswith(SPEC)
    assert main(["generate"]) == 0
    assert capsys.readouterr().out.startswith("2 tools: ")


def test_a_spec_that_does_not_exist_is_started(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "two", "--in", "specs/My shop-2.yaml"]) == 0
    assert capsys.readouterr().out == "specs/My shop-2.yaml:5: added two\n"
    assert "namespace: my_shop_2\n" in (project / "specs" / "My shop-2.yaml").read_text()
    assert main(["generate"]) == 0


def test_a_spec_that_no_pattern_matches_is_said_to_be_unseen(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "two", "--in", "other/b.json"]) == 0
    assert "No pattern under `specs`" in capsys.readouterr().out
    assert (project / "other" / "b.json").read_text().startswith("{\n")


def test_among_several_specs_one_must_be_chosen(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "specs" / "b.yaml").write_text(SPEC)
    assert main(["new", "two"]) == 2
    assert "specs/a.yaml, specs/b.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["one"], "specs/a.yaml:4"),
        (["no spaces"], "letters, digits"),
        (["two", "--in", "../b.yaml"], "outside the project"),
        (["two", "--in", "library.yaml"], "no `namespace`"),
    ],
)
def test_what_cannot_be_added_changes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    (project / "library.yaml").write_text("toolkiln: 1\n$defs: {}\n")
    assert main(["new", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert (project / "specs" / "a.yaml").read_text() == SPEC
    assert not (project.parent / "b.yaml").exists()


def test_a_spec_in_error_is_reported_and_left_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "specs" / "a.yaml").write_text("a: [")
    assert main(["new", "two"]) == 3
    assert capsys.readouterr().out.startswith("specs/a.yaml:1:")
    assert (project / "specs" / "a.yaml").read_text() == "a: ["
