"""The static methods of a tool's class: they make outcomes, and read results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from toolkiln.contract import Failure, Interaction, Tool
from toolkiln.text import Code, literal, paragraph

from .code import Piece, alternatives, attribute, call, name, subscript
from .completion import converts
from .docs import failure_doc, question_doc
from .naming import ToolName
from .outcomes import asking, deferred, failed, runtime, slot
from .types import ANY, NONE, Lookup


@dataclass(frozen=True, slots=True)
class Constructor:
    """A static method."""

    name: Code
    parameters: tuple[Code, ...]
    returns: Code
    value: Code
    doc: str


Made: TypeAlias = tuple[Constructor, Iterable[Piece]]
"""A method, and what has to be imported for it."""


def constructors(tool: Tool, called: ToolName, lookup: Lookup) -> Iterator[Made]:
    """One for each declared failure and question, and for a deferral."""
    for failure in tool.failures:
        yield _failure(failure, called.constructors["failure", failure.code], lookup)
    for interaction in tool.interactions:
        yield _question(interaction, called.constructors["interaction", interaction.name], lookup)
    if tool.deferred:
        yield _deferral(tool, lookup)


def reader(tool: Tool, called: ToolName, lookup: Lookup, *, dicts: bool) -> Made:
    """The one that gives a result its types."""
    given = [attribute(name(".", "contracts"), called.constant)]
    if tool.output and not dicts and converts(tool.output.type):
        given.append(slot(tool.output, lookup, ANY))
    value = call(Piece(Code("result.typed")), given)
    parameters = (Code("result: ToolResult"), Code("/"))
    returns = Code(f"{called.stem}Result")
    doc = "What a call came to, with its types; raises ValueError if it was another tool's."
    made = Constructor(Code("result"), parameters, returns, value.code, doc)
    return made, [value, runtime("ToolResult")]


def _failure(failure: Failure, function: Code, lookup: Lookup) -> Made:
    returns = failed((failure.code,))
    given = [Piece(literal(failure.code)), Piece(Code("message"))]
    parameters = [Code(f"message: str = {paragraph(failure.description)}"), Code("/")]
    needed = [returns]
    if failure.details:
        details = alternatives([slot(failure.details, lookup, ANY), NONE])
        parameters += [Code("*"), Code(f"details: {details.code} = None")]
        given.append(Piece(Code("details")))
        needed.append(details)
    value = call(runtime("Failed"), given)
    doc = failure_doc(failure)
    made = Constructor(function, tuple(parameters), returns.code, value.code, doc)
    return made, [*needed, value]


def _question(interaction: Interaction, function: Code, lookup: Lookup) -> Made:
    returns = asking((interaction.name,))
    types = _question_types(interaction, lookup)
    inner = {
        "kind": Piece(literal(interaction.kind)),
        "name": Piece(literal(interaction.name)),
        **{key: Piece(Code(key)) for key in types if key != "token"},
    }
    token = {key: Piece(Code(key)) for key in types if key == "token"}
    value = call(runtime("InteractionRequired"), [call(runtime("Interaction"), (), inner)], token)
    parameters = [Code(f"{key}: {piece.code}") for key, piece in types.items()]
    keywords = (Code("*"), *parameters) if parameters else ()
    doc = question_doc(interaction)
    made = Constructor(function, keywords, returns.code, value.code, doc)
    return made, [returns, value, *types.values()]


def _question_types(interaction: Interaction, lookup: Lookup) -> Mapping[str, Piece]:
    """What a handler has to say when it asks."""
    types: dict[str, Piece] = {}
    if interaction.choices:
        choice = subscript(runtime("Choice"), [slot(interaction.response, lookup, ANY)])
        types["choices"] = subscript(name("collections.abc", "Sequence"), [choice])
    if interaction.metadata:
        types["metadata"] = slot(interaction.metadata, lookup, ANY)
    if interaction.token:
        types["token"] = slot(interaction.token, lookup, ANY)
    return types


def _deferral(tool: Tool, lookup: Lookup) -> Made:
    returns = deferred(tool, lookup)
    token = tool.deferred.token if tool.deferred else None
    kind = slot(token, lookup, NONE)
    positional = (Code(f"token: {kind.code}"), Code("/")) if token else ()
    value = call(runtime("Deferred"), [Piece(Code("token") if token else Code("None"))])
    doc = "The call goes on elsewhere; the host settles it."
    made = Constructor(Code("deferred"), positional, returns.code, value.code, doc)
    return made, [returns, kind, value]
