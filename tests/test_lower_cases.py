"""Lowering, case by case: each folder of tests/cases/lower holds specs and what comes of them.

`expected.txt` has the findings; `expected.json` the contract, where there is no error.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lowering import described, errors, shown
from toolkiln.contract import Contract
from toolkiln.diagnostics import Diagnostic
from toolkiln.load import load
from toolkiln.lower import lower
from toolkiln.lower.validators import compiled

CASES = sorted(Path(__file__).with_name("cases").glob("lower/*/"))


def run(folder: Path) -> tuple[Contract, list[Diagnostic]]:
    def packages(name: str) -> list[Path]:
        return [folder / "pkg" / name]

    files = [path for path in folder.glob("*.*") if not path.name.startswith("expected.")]
    specs, found = load(folder, sorted(files), packages=packages)
    assert not errors(found), shown(found)
    return lower(specs)


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_case_lowers_to_what_is_expected(folder: Path, *, update_golden: bool) -> None:
    contract, found = run(folder)
    text = json.dumps(described(contract), indent=2, ensure_ascii=False) + "\n"
    outputs = {
        "expected.txt": shown(found),
        "expected.json": "" if errors(found) else text,
    }
    for name, output in outputs.items():
        path = folder / name
        if update_golden:
            path.unlink(missing_ok=True)
            if output:
                path.write_text(output)
        assert output == (path.read_text() if path.exists() else "")


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_every_finding_has_a_place_and_says_what_is_wrong(folder: Path) -> None:
    _, found = run(folder)
    for finding in found:
        assert finding.span
        assert finding.message.endswith((".", "?")), finding
        assert "\n" not in finding.message + finding.hint


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_tool_with_an_error_is_left_out_and_named(folder: Path) -> None:
    contract, found = run(folder)
    blamed = {finding.tool for finding in errors(found)}
    assert not blamed & {tool.qualified for tool in contract.tools}
    if errors(found):
        assert blamed - {None}


def test_every_rule_has_a_case() -> None:
    import importlib
    import pkgutil

    import toolkiln.lower as package
    from toolkiln.diagnostics import Rule

    rules = {
        value.id
        for info in pkgutil.iter_modules(package.__path__)
        for value in vars(importlib.import_module(f"toolkiln.lower.{info.name}")).values()
        if isinstance(value, Rule)
    }
    seen = {finding.rule for folder in CASES for finding in run(folder)[1]}
    assert rules - seen == {"schema-too-deep"}


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_every_bundle_compiles_with_the_network_cut(folder: Path) -> None:
    from toolkiln.lower.reachable import schemas

    for tool in run(folder)[0].tools:
        for schema in schemas(tool):
            assert compiled(schema.source, formats=schema.formats)
