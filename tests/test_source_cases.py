"""Each folder below cases/source holds a text, the value that it has, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import REPOSITORY, SHARED, require
from toolkiln.diagnostics import Diagnostic
from toolkiln.source import Document, failed, parse

CASES = REPOSITORY / "tests" / "cases" / "source"


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_value_and_findings_of_a_text(case: str, update_golden: bool) -> None:
    """A text with an error that could be read on has a value, too; no value.json means none."""
    file = next((CASES / case).glob("text.*"))

    document, found = parse(file.read_bytes(), file.name)

    _compare(CASES / case / "value.json", _value(document), update_golden)
    _compare(CASES / case / "expected.txt", _lines(found), update_golden)
    assert document is not None or failed(found)


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_every_place_is_one_of_the_text(case: str) -> None:
    file = next((CASES / case).glob("text.*"))
    _, found = parse(file.read_bytes(), file.name)
    lines = file.read_bytes().decode(errors="replace").split("\n")

    for finding in found:
        span = finding.span
        assert span is not None
        assert 1 <= span.line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1


def test_yaml_traps_from_real_projects_are_read_as_their_notes_say() -> None:
    require("shared")
    for note in (SHARED / "corpus" / "hard_yaml").glob("*/case.json"):
        case = json.loads(note.read_bytes())
        document, found = parse((note.parent / "schema.yaml").read_bytes(), "schema.yaml")
        if "yaml_1_2" in case:
            assert document is not None
            assert not failed(found)
            assert _value(document) == _dumped(case["yaml_1_2"])
        elif case["expected"].startswith("refuse"):
            assert failed(found), note


def _value(document: Document | None) -> str | None:
    return None if document is None else _dumped(document.value)


def _dumped(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _lines(found: list[Diagnostic]) -> str | None:
    """Places are lines and columns, with the length of the underlined text."""
    lines: list[str] = []
    for finding in found:
        span = finding.span
        assert span is not None
        hint = f" | {finding.hint}" if finding.hint else ""
        place = f"{span.line}:{span.column}+{span.length}"
        lines.append(f"{place} {finding.level} {finding.rule} {finding.message}{hint}\n")
    return "".join(lines) or None


def _compare(path: Path, actual: str | None, update: bool) -> None:
    if update and actual is None:
        path.unlink(missing_ok=True)
    elif update and actual is not None:
        path.write_text(actual, encoding="utf-8")
    assert actual == (path.read_text(encoding="utf-8") if path.exists() else None)
