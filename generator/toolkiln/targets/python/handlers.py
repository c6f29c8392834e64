"""handlers.py: what a handler of each tool takes and may return, and what makes its outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from toolkiln.contract import Failure, Interaction, Namespace, Schema, Tool
from toolkiln.shape import Anything, Map
from toolkiln.text import Code, literal, paragraph

from .code import Import, Piece, alternatives, call, name, subscript, together
from .docs import failure_doc, question_doc, tool_doc
from .naming import Names, ToolName
from .types import ANY, NONE, Lookup, literals, printed

_RUNTIME: Final = "toolkiln_runtime"


@dataclass(frozen=True, slots=True)
class Constructor:
    """A function that makes one outcome of a tool."""

    name: Code
    parameters: tuple[Code, ...]
    returns: Code
    value: Code
    doc: str


@dataclass(frozen=True, slots=True)
class HandlerTypes:
    """All that handlers.py says of one tool."""

    function: Code
    stem: Code
    arguments: Code
    resume: Code
    outcome: Code
    result: Code
    doc: str
    summary: str
    """Of the constructors."""
    constructors: tuple[Constructor, ...]


@dataclass(frozen=True, slots=True)
class Handlers:
    """The module of handler types."""

    tools: tuple[HandlerTypes, ...]
    imports: frozenset[Import]
    """What is mentioned beyond what the template itself imports."""


_Made: TypeAlias = tuple[Constructor, Iterable[Piece]]


def handlers(namespace: Namespace, names: Names, lookup: Lookup) -> Handlers:
    """The handler types of *namespace*; *lookup* names its models as this module sees them."""
    tools: list[HandlerTypes] = []
    imports: set[Import] = set()
    for tool in namespace.tools:
        made, needed = _tool(tool, names.tools[namespace.name, tool.name], lookup)
        tools.append(made)
        imports |= needed
    return Handlers(tuple(tools), frozenset(imports))


def arguments(tool: Tool, lookup: Lookup) -> Piece:
    """The type of the arguments that a handler gets."""
    shape = tool.parameters.type
    return printed(Map(Anything()) if isinstance(shape, Anything) else shape, lookup)


def _tool(tool: Tool, called: ToolName, lookup: Lookup) -> tuple[HandlerTypes, frozenset[Import]]:
    made = [*_constructors(tool, called, lookup)]
    args, resume = arguments(tool, lookup), _resume(tool.interactions, lookup)
    outcome, result = _outcome(tool, lookup), _result(tool, lookup)
    types = HandlerTypes(
        function=called.function,
        stem=called.stem,
        arguments=args.code,
        resume=resume.code,
        outcome=outcome.code,
        result=result.code,
        doc=tool_doc(tool),
        summary=f"Makes what a handler of `{tool.name}` may return besides its output.",
        constructors=tuple(constructor for constructor, _ in made),
    )
    pieces = [args, resume, outcome, result, *(piece for _, needed in made for piece in needed)]
    return types, together(pieces)


# --- aliases --------------------------------------------------------------------------------------


def _completed(tool: Tool, lookup: Lookup) -> Piece:
    return subscript(_runtime("Completed"), [_slot(tool.output, lookup, ANY)])


def _outcome(tool: Tool, lookup: Lookup) -> Piece:
    codes = tuple(failure.code for failure in tool.failures)
    questions = tuple(interaction.name for interaction in tool.interactions)
    return alternatives(
        [
            _completed(tool, lookup),
            _runtime("Denied"),
            *([_failed(codes)] if codes else []),
            *([_asking(questions)] if questions else []),
            *([_deferred(tool, lookup)] if tool.deferred else []),
        ]
    )


def _result(tool: Tool, lookup: Lookup) -> Piece:
    codes = tuple(failure.code for failure in tool.failures)
    own = _runtime("RuntimeCode")
    failed = subscript(
        _runtime("Failed"), [alternatives([literals(codes), own] if codes else [own])]
    )
    return alternatives([_completed(tool, lookup), _runtime("Denied"), failed])


def _resume(interactions: Iterable[Interaction], lookup: Lookup) -> Piece:
    answers = [
        subscript(
            _runtime("ToolExecutionResume"),
            [_slot(each.response, lookup, NONE), _slot(each.token, lookup, NONE)],
        )
        for each in interactions
    ]
    return alternatives([*answers, NONE])


def _failed(codes: tuple[str, ...]) -> Piece:
    return subscript(_runtime("Failed"), [literals(codes)])


def _asking(names: tuple[str, ...]) -> Piece:
    return subscript(_runtime("InteractionRequired"), [literals(names)])


def _deferred(tool: Tool, lookup: Lookup) -> Piece:
    token = tool.deferred.token if tool.deferred else None
    return subscript(_runtime("Deferred"), [_slot(token, lookup, NONE)])


# --- constructors ---------------------------------------------------------------------------------


def _constructors(tool: Tool, called: ToolName, lookup: Lookup) -> Iterator[_Made]:
    for failure in tool.failures:
        yield _failure(failure, called.constructors["failure", failure.code], lookup)
    for interaction in tool.interactions:
        yield _question(interaction, called.constructors["interaction", interaction.name], lookup)
    if tool.deferred:
        yield _deferral(tool, lookup)


def _failure(failure: Failure, function: Code, lookup: Lookup) -> _Made:
    returns = _failed((failure.code,))
    given = [Piece(literal(failure.code)), Piece(Code("message"))]
    parameters = [Code(f"message: str = {paragraph(failure.description)}"), Code("/")]
    needed = [returns]
    if failure.details:
        details = alternatives([_slot(failure.details, lookup, ANY), NONE])
        parameters += [Code("*"), Code(f"details: {details.code} = None")]
        given.append(Piece(Code("details")))
        needed.append(details)
    value = call(_runtime("Failed"), given)
    doc = failure_doc(failure)
    made = Constructor(function, tuple(parameters), returns.code, value.code, doc)
    return made, [*needed, value]


def _question(interaction: Interaction, function: Code, lookup: Lookup) -> _Made:
    returns = _asking((interaction.name,))
    types = _question_types(interaction, lookup)
    inner = {
        "kind": Piece(literal(interaction.kind)),
        "name": Piece(literal(interaction.name)),
        **{key: Piece(Code(key)) for key in types if key != "token"},
    }
    token = {key: Piece(Code(key)) for key in types if key == "token"}
    value = call(_runtime("InteractionRequired"), [call(_runtime("Interaction"), (), inner)], token)
    parameters = [Code(f"{key}: {piece.code}") for key, piece in types.items()]
    keywords = (Code("*"), *parameters) if parameters else ()
    doc = question_doc(interaction)
    made = Constructor(function, keywords, returns.code, value.code, doc)
    return made, [returns, value, *types.values()]


def _question_types(interaction: Interaction, lookup: Lookup) -> Mapping[str, Piece]:
    """What a handler has to say when it asks."""
    types: dict[str, Piece] = {}
    if interaction.choices:
        choice = subscript(_runtime("Choice"), [_slot(interaction.response, lookup, ANY)])
        types["choices"] = subscript(name("collections.abc", "Sequence"), [choice])
    if interaction.metadata:
        types["metadata"] = _slot(interaction.metadata, lookup, ANY)
    if interaction.token:
        types["token"] = _slot(interaction.token, lookup, ANY)
    return types


def _deferral(tool: Tool, lookup: Lookup) -> _Made:
    returns = _deferred(tool, lookup)
    token = tool.deferred.token if tool.deferred else None
    kind = _slot(token, lookup, NONE)
    positional = (Code(f"token: {kind.code}"), Code("/")) if token else ()
    value = call(_runtime("Deferred"), [Piece(Code("token") if token else Code("None"))])
    doc = "The call goes on elsewhere; the host settles it."
    made = Constructor(Code("deferred"), positional, returns.code, value.code, doc)
    return made, [returns, kind, value]


def _slot(schema: Schema | None, lookup: Lookup, absent: Piece) -> Piece:
    return printed(schema.type, lookup) if schema else absent


def _runtime(symbol: str) -> Piece:
    return name(_RUNTIME, symbol)
