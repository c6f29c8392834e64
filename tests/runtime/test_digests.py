"""Generator and runtime agree about the wire digest of a tool (R2)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import REPOSITORY
from toolkiln.lower import digest as generator
from toolkiln_runtime import Catalog, ToolSlot, tool
from toolkiln_runtime.contract import Contract, Deferral, Failure, Question
from toolkiln_runtime.digests import wire_digest

from .kit import contract, plain, schema

GOLDEN = REPOSITORY / "tests" / "cases" / "golden"


def contracts(folder: Path) -> Iterator[Contract]:
    """All contracts of a generated package."""
    for number, path in enumerate(sorted(folder.rglob("contracts.py"))):
        spec = spec_from_file_location(f"contracts_{number}", path)
        assert spec
        assert spec.loader
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        for value in vars(module).values():
            if isinstance(value, Contract):
                yield value


@pytest.mark.parametrize("case", sorted(path.name for path in GOLDEN.iterdir() if path.is_dir()))
def test_R2_the_digests_of_golden_contracts_are_equal(case: str) -> None:
    for found in contracts(GOLDEN / case):
        assert found.digest == wire_digest(found, found.name)


def test_R2_the_digests_of_the_example_are_equal(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    made = shutil.ignore_patterns("tools", ".toolkiln", "__pycache__", "*.sqlite3")
    shutil.copytree(REPOSITORY / "examples" / "shop", project, ignore=made)
    command = [sys.executable, "-m", "toolkiln", "generate"]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    found = list(contracts(project))
    assert len(found) > 3
    assert [one.digest for one in found] == [wire_digest(one, one.name) for one in found]


BASE: dict[str, Any] = {
    "parameters": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}},
    "output": schema({"type": "object"}),
    "failures": {"gone": Failure("x")},
    "interactions": {"ask": Question(kind="approval", prompt=("?",))},
}


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "other"},
        {"parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        {"parameters": {"type": "object", "properties": {"title": {"type": "integer"}}}},
        {"output": None},
        {"output": schema(False)},
        {"failures": {}},
        {"failures": {"gone": Failure("x", details=schema(True))}},
        {"interactions": {"ask": Question(kind="response", prompt=("?",))}},
        {"interactions": {"ask": Question(kind="approval", prompt=("?",), token=schema(True))}},
        {"deferred": Deferral()},
        {"deferred": Deferral(token=schema(True))},
    ],
)
def test_R2_what_a_caller_can_notice_changes_the_digest(changes: dict[str, Any]) -> None:
    old, new = contract(**BASE), contract(**{**BASE, **changes})
    assert wire_digest(old, old.name) != wire_digest(new, new.name)


@pytest.mark.parametrize(
    "changes",
    [
        {"description": "d", "title": "t", "timeout": 3.0, "tags": ("a",)},
        {"failures": {"gone": Failure("other", retryable=True)}},
        {"interactions": {"ask": Question(kind="approval", prompt=("Really?",), expires=3.0)}},
        {
            "parameters": {
                "description": "d",
                "x-note": 1,
                "properties": {"n": {"default": 1.0, "type": "integer", "title": "N"}},
                "type": "object",
            }
        },
    ],
)
def test_R2_texts_and_the_order_of_keys_do_not(changes: dict[str, Any]) -> None:
    old, new = contract(**BASE), contract(**{**BASE, **changes})
    assert wire_digest(old, "t") == wire_digest(new, "t")


WORDS = ("title", "description", "x-a", "properties", "items", "enum", "default", "allOf", "type")
documents: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([True, False, None, 1, 1.0, 0.5, 10**30, "a", "é"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(documents.filter(lambda value: isinstance(value, dict | bool)))
def test_R2_both_leave_out_the_same_of_any_schema(document: Any) -> None:
    from toolkiln_runtime import digests

    ours = digests._bare(schema(document))
    assert generator.canonical(ours) == generator.canonical(generator.without_texts(document))


def test_R2_a_definition_written_by_hand_has_a_digest_too() -> None:
    definitions = [plain(), tool(name="t", parameters={"type": "object"}, execute=print)]
    digests = [
        Catalog([ToolSlot("ns", [definition], prefix="p_")]).tools["p_t"].core.digest
        for definition in definitions
    ]
    assert len(set(digests)) == 1
    assert len(digests[0]) == 64
