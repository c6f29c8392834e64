"""The types of outcomes, as they stand in annotations."""

from __future__ import annotations

from typing import Final

from toolkiln.contract import Schema, Tool

from .code import Piece, alternatives, name, subscript
from .types import ANY, NONE, Lookup, literals, printed

_RUNTIME: Final = "toolkiln_runtime"


def outcome(tool: Tool, lookup: Lookup) -> Piece:
    """What a handler may return."""
    codes = tuple(failure.code for failure in tool.failures)
    questions = tuple(interaction.name for interaction in tool.interactions)
    return alternatives(
        [
            _completed(tool, lookup),
            runtime("Denied"),
            *([failed(codes)] if codes else []),
            *([asking(questions)] if questions else []),
            *([deferred(tool, lookup)] if tool.deferred else []),
        ]
    )


def result(tool: Tool, lookup: Lookup) -> Piece:
    """What a caller gets."""
    codes = tuple(failure.code for failure in tool.failures)
    own = runtime("RuntimeCode")
    code = alternatives([literals(codes), own] if codes else [own])
    return alternatives(
        [_completed(tool, lookup), runtime("Denied"), subscript(runtime("Failed"), [code])]
    )


def failed(codes: tuple[str, ...]) -> Piece:
    """A failure with one of *codes*."""
    return subscript(runtime("Failed"), [literals(codes)])


def asking(names: tuple[str, ...]) -> Piece:
    """One of the questions *names*."""
    return subscript(runtime("InteractionRequired"), [literals(names)])


def deferred(tool: Tool, lookup: Lookup) -> Piece:
    """A deferral with the token of *tool*."""
    token = tool.deferred.token if tool.deferred else None
    return subscript(runtime("Deferred"), [slot(token, lookup, NONE)])


def slot(schema: Schema | None, lookup: Lookup, absent: Piece) -> Piece:
    """The type of what a schema describes."""
    return printed(schema.type, lookup) if schema else absent


def runtime(symbol: str) -> Piece:
    """A name of the runtime."""
    return name(_RUNTIME, symbol)


def _completed(tool: Tool, lookup: Lookup) -> Piece:
    return subscript(runtime("Completed"), [slot(tool.output, lookup, ANY)])
