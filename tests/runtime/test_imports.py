"""What importing and registering loads."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import toolkiln_runtime

HEAVY = ("asyncio", "jsonschema_rs", "msgspec", "pydantic", "difflib", "inspect")


def loaded(code: str) -> set[str]:
    """The heavy modules that a process has loaded after *code*."""
    script = (
        f"{code}\nimport sys, json; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    return set(json.loads(done.stdout))


def test_importing_the_package_loads_nothing() -> None:
    assert loaded("import toolkiln_runtime") == set()


def test_contracts_and_outcomes_load_msgspec_alone() -> None:
    code = "import toolkiln_runtime.contract; from toolkiln_runtime import Completed"
    assert loaded(code) & {"asyncio", "jsonschema_rs", "pydantic"} == set()


REGISTER = """
from toolkiln_runtime import Catalog, ToolSlot, define
from toolkiln_runtime.contract import Contract, Schema
async def handler(args, context): ...
facts = Contract(protocol=1, name="t", namespace="n", version="1", digest="",
                 parameters=Schema('{"type": "object"}'))
catalog = Catalog([ToolSlot("n", [define(facts, handler, model=lambda: 1 / 0)])])
"""


def test_D1_registering_loads_no_validator_and_no_pydantic() -> None:
    assert loaded(REGISTER) & {"jsonschema_rs", "pydantic"} == set()


def test_a_call_without_a_model_loads_no_pydantic() -> None:
    code = """
import asyncio
from toolkiln_runtime import Catalog, Completed, Executor, ToolCall, ToolSlot, tool
async def handler(args, context): return Completed(1)
t = tool(name="t", parameters={"type": "object"}, execute=handler)
run = Executor(Catalog([ToolSlot("n", [t])])).run
asyncio.run(run([ToolCall("c", "t", "{}")], session_id="s", turn_id="t", step_id="p"))
"""
    assert "pydantic" not in loaded(code)


@pytest.mark.parametrize("name", toolkiln_runtime.__all__)
def test_N1_every_name_is_exported_and_documented(name: str) -> None:
    value = getattr(toolkiln_runtime, name)
    assert name in dir(toolkiln_runtime)
    if isinstance(value, type):
        assert value.__doc__


def test_N1_the_names_of_the_reference_page_are_there() -> None:
    names = """tool ToolDefinition ToolObjectSchema ToolExecutionContext ToolExecutionResume
    ToolOutcome Completed Denied Failed InteractionRequired Deferred DeferredOutcome ToolResult
    Interaction RequiredInteraction SealedToolCall BoundToolDefinition BoundToolSchema ToolOwner
    ToolCall ToolFailure Capability ToolSlot Catalog Executor Progress ToolModel define"""
    assert set(names.split()) <= set(toolkiln_runtime.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        toolkiln_runtime.nonsense  # noqa: B018
