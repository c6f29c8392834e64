"""Every rule and every statement has its test."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from tests.support import REPOSITORY, SHARED
from toolkiln_runtime import RuntimeCode

from .statements import STATEMENTS

RULES = [
    "N1",
    "N2",
    "N3",
    "D1",
    "D2",
    "D3",
    "D4",
    "S1",
    "S2",
    "S3",
    "S4",
    "E1",
    "E2",
    "E3",
    "E4",
    "E5",
    "E6",
    "E7",
    "E8",
    "E9",
    "C1",
    "C2",
    "C3",
    "P1",
    "P2",
    "P3",
    "P4",
    "P5",
    "P6",
    "P7",
    "P8",
    "F1",
    "F2",
    "R1",
    "R2",
    "R3",
    "R4",
    "V1",
    "V2",
]
"""The rules of what a tool call means."""

PEERS = range(1, 31)
"""The reports of other runtimes' users that concern this one."""

CODES = [
    "capability.state.create-failed",
    "capability.state.undeclared",
    "configuration.duplicate-capability",
    "configuration.duplicate-tool-name",
    "interaction.answered",
    "interaction.expired",
    "interaction.invalid",
    "interaction.invalid-edit",
    "interaction.invalid-response",
    "interaction.unknown",
    "interaction.wrong-kind",
    "invocation.invalid-outcome",
    "invocation.open",
    "invocation.running",
    "invocation.settled",
    "invocation.unknown",
    "record.contract-changed",
    "record.invalid",
    "record.newer",
    "record.no-key",
    "record.unknown",
    "record.unknown-tool",
    "tool.cancelled",
    "tool.duplicate-call-id",
    "tool.execution-failed",
    "tool.internal",
    "tool.invalid",
    "tool.invalid-arguments",
    "tool.invalid-call-id",
    "tool.invalid-name",
    "tool.invalid-output",
    "tool.invalid-schema",
    "tool.invalid-token",
    "tool.invalid-tool-result",
    "tool.timeout",
    "tool.undeclared-deferral",
    "tool.undeclared-failure",
    "tool.undeclared-interaction",
    "tool.unknown",
]
"""Codes are part of the interface: one may be added here, none renamed."""

OTHERS = ("configuration.invalid-", "store.", "token.")
"""What the settings of stores, keys and tokens are refused with."""


@cache
def names() -> Counter[str]:
    """The names of all tests of the runtime."""
    return Counter(
        node.name
        for path in Path(__file__).parent.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if node.name.startswith("test_")
    )


def test_the_rules_are_those_that_are_written_down() -> None:
    text = SHARED / "semantics.md"
    if text.exists():
        written = re.findall(r"^- ([A-Z]\d+) ", text.read_text(encoding="utf-8"), re.MULTILINE)
        assert written == RULES
    assert len(set(RULES)) == len(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_test_that_names_it(rule: str) -> None:
    assert [name for name in names() if name.startswith(f"test_{rule}_")]


def test_no_test_names_a_rule_that_is_none() -> None:
    named = {name.split("_")[1] for name in names() if re.match(r"test_[A-Z]\d+_", name)}
    assert named <= set(RULES)


@pytest.mark.parametrize("number", PEERS)
def test_every_report_has_a_test_that_names_it(number: int) -> None:
    assert [name for name in names() if name.startswith(f"test_peer_{number:02}_")]


@pytest.mark.parametrize("number", range(1, 82))
def test_every_statement_has_a_test_or_a_reason(number: int) -> None:
    held = STATEMENTS[number]
    if held.startswith("test_"):
        assert held in names()
    else:
        assert held.endswith(".")
        assert len(held.split()) > 3


def written_codes() -> set[str]:
    """All texts in the runtime that look like a code of it."""
    texts: set[str] = set()
    for path in (REPOSITORY / "runtime" / "toolkiln_runtime").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
    families = {code.partition(".")[0] for code in CODES} | {"store", "token"}
    return {
        text
        for text in texts
        if re.fullmatch(r"[a-z]+(\.[a-z]+(-[a-z]+)*)+", text) and text.partition(".")[0] in families
    }


def test_N3_the_codes_of_the_runtime_have_a_dot_and_do_not_change() -> None:
    events = {"tool.sealed", "tool.started", "tool.progress", "tool.completed", "tool.deferred"}
    events |= {"interaction.required", "interaction.resolved"}
    found = {code for code in written_codes() - events if not code.startswith(OTHERS)}
    assert found == set(CODES)


def test_N3_a_result_fails_with_a_known_code_of_the_runtime_or_a_declared_one() -> None:
    assert set(get_args(RuntimeCode)) <= set(CODES)
    assert not [code for code in CODES if re.fullmatch(r"[a-z][a-z0-9_]*", code)]
