"""Schemas that other generators got wrong: their verdicts survive bundling and lowering."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lowering import admits, errors, lowered, only_tool, tool_spec, validity
from tests.support import SHARED, require

HARD = SHARED / "corpus" / "hard"


def corpus() -> Iterator[Any]:
    for folder in sorted(HARD.glob("*/")) if HARD.is_dir() else ():
        yield pytest.param(folder, id=folder.name)


def spec_with(schema: Any) -> dict[str, Any]:
    """A tool that returns what *schema* describes; in a plain file unknown keywords are fine."""
    return {
        "s.schema.json": schema,
        "spec.yaml": tool_spec({"description": "d", "output": {"$ref": "s.schema.json"}}),
    }


def test_the_corpus_of_hard_schemas_is_there() -> None:
    require("shared")
    assert len(list(corpus())) == 58


@pytest.mark.parametrize("folder", list(corpus()))
def test_a_hard_schema_keeps_its_verdicts(folder: Path) -> None:
    case = json.loads((folder / "case.json").read_text())
    schema = json.loads((folder / case["main"]).read_text())
    files = spec_with(schema)
    if case["schema_must_be_refused"]:
        contract, found = lowered(files)
        assert errors(found)
        assert all(finding.message and finding.span for finding in errors(found))
        assert not contract.tools
        return
    tool, contract = only_tool(files)
    assert tool.output
    for value in case["accept"]:
        assert validity(tool.output, value), value
        assert admits(contract, tool.output.type, value), value
    for value in case["reject"]:
        assert not validity(tool.output, value), value
