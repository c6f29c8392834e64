"""Each folder below cases/load holds one mistake, and the findings that it leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import REPOSITORY
from toolkiln.diagnostics import Diagnostic
from toolkiln.load import load

CASES = REPOSITORY / "tests" / "cases" / "load"
LISTED = ("*.yaml", "*.json")


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_findings_of_a_case_are_the_expected_ones(
    case: str, update_golden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files in the folder are what the project lists; those below it are only referred to."""
    root = CASES / case
    monkeypatch.syspath_prepend(str(root / "packages"))
    files = [path for pattern in LISTED for path in root.glob(pattern)]

    _, found = load(root, files)

    lines = "".join(f"{_line(finding)}\n" for finding in found)
    expected = root / "expected.txt"
    if update_golden:
        expected.write_text(lines, encoding="utf-8")
    assert lines == expected.read_text(encoding="utf-8")
    assert all(_stands(finding, root) for finding in found)


def _line(finding: Diagnostic) -> str:
    span = finding.span
    assert span is not None
    place = f"{span.file}:{span.line}:{span.column}"
    hint = f" | {finding.hint}" if finding.hint else ""
    return f"{place} {finding.level} {finding.rule} {finding.message}{hint}"


def _stands(finding: Diagnostic, root: Path) -> bool:
    """Whether the finding's place is one of the file."""
    span = finding.span
    assert span is not None
    path = root / span.file.replace("pkg:", "packages/")
    lines = path.read_text(encoding="utf-8").split("\n")
    return span.line <= len(lines) and span.column <= len(lines[span.line - 1]) + 1
