"""Short ways to make tools and to run them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from toolkiln_runtime import (
    Catalog,
    Completed,
    Executor,
    Progress,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolSlot,
    define,
    tool,
)
from toolkiln_runtime.contract import PROTOCOL, Contract, Schema

IDS = {"session_id": "ses", "turn_id": "turn", "step_id": "step"}
OPEN: Mapping[str, Any] = {"type": "object"}
NUMBER: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["n"],
    "properties": {"n": {"type": "integer", "minimum": 0}},
}


def schema(document: Any, *, formats: bool = False) -> Schema:
    return Schema(json.dumps(document), formats=formats)


def contract(name: str = "t", parameters: Any = OPEN, **facts: Any) -> Contract:
    return Contract(
        protocol=PROTOCOL,
        name=name,
        namespace="ns",
        version="1.0.0",
        digest="",
        parameters=schema(parameters),
        **facts,
    )


async def echo(args: Any, _context: object) -> Completed[Any]:
    return Completed(args)


def returns(outcome: Any) -> Callable[[Any, Any], Any]:
    async def execute(_args: Any, _context: object) -> Any:
        return outcome

    return execute


def raises(error: BaseException) -> Callable[[Any, Any], Any]:
    async def execute(_args: Any, _context: object) -> Any:
        raise error

    return execute


def plain(
    execute: Callable[[Any, Any], Any] = echo, name: str = "t", **fields: Any
) -> ToolDefinition[Any, Any]:
    """A definition written by hand."""
    return tool(name=name, parameters=fields.pop("parameters", OPEN), execute=execute, **fields)


def declared(
    execute: Callable[[Any, Any], Any] = echo, *, model: Any = None, **facts: Any
) -> ToolDefinition[Any, Any]:
    """A definition as generated code makes it."""
    thunk = None if model is None else lambda: model
    return define(contract(**facts), execute, model=thunk)


def executor(*tools: ToolDefinition[Any, Any], **settings: Any) -> Executor:
    return Executor(Catalog([ToolSlot("ns", tools)]), **settings)


async def run(
    tools: ToolDefinition[Any, Any] | tuple[ToolDefinition[Any, Any], ...],
    *calls: ToolCall,
    **settings: Any,
) -> Progress:
    made = tools if isinstance(tools, tuple) else (tools,)
    return await executor(*made, **settings).run(calls, **IDS)


async def once(
    definition: ToolDefinition[Any, Any], arguments: Any = "{}", **settings: Any
) -> ToolResult:
    """The result of one call."""
    progress = await run(definition, ToolCall("c1", definition.name, arguments), **settings)
    return progress.results[0]


def outcome(result: ToolResult) -> dict[str, Any]:
    """The JSON form of a result without its ids."""
    form = result.as_json()
    return {key: form[key] for key in form if key not in {"callId", "toolName", "requestedId"}}
