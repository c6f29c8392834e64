"""handlers.py: what a handler of each tool takes and may return, and what makes its outcomes."""

from __future__ import annotations

from dataclasses import dataclass

from toolkiln.contract import Interaction, Namespace, Tool
from toolkiln.shape import Anything, Map
from toolkiln.text import Code

from .code import Import, Piece, alternatives, together
from .constructors import Constructor, constructors, reader
from .docs import tool_doc
from .naming import Names, ToolName
from .outcomes import outcome, result, runtime, slot
from .types import NONE, Lookup, printed


@dataclass(frozen=True, slots=True)
class Resume:
    """The class of the answers to one question of a tool."""

    name: Code
    value: Code
    token: Code
    doc: str


@dataclass(frozen=True, slots=True)
class HandlerTypes:
    """All that handlers.py says of one tool."""

    function: Code
    stem: Code
    arguments: Code
    resumes: tuple[Resume, ...]
    resume: Code
    """Any of them, or None."""
    outcome: Code
    result: Code
    doc: str
    summary: str
    """Of the class with the constructors."""
    constructors: tuple[Constructor, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """What releases the tokens of one tool's approvals."""

    function: Code
    stem: Code
    token: Code


@dataclass(frozen=True, slots=True)
class Handlers:
    """The module of handler types."""

    tools: tuple[HandlerTypes, ...]
    refusals: tuple[Refusal, ...]
    imports: frozenset[Import]
    """What is mentioned beyond what the template itself imports."""


def handlers(namespace: Namespace, names: Names, lookup: Lookup, *, dicts: bool) -> Handlers:
    """The handler types of *namespace*; *lookup* names its models as this module sees them.

    *dicts*: whether these are typed dictionaries.
    """
    tools: list[HandlerTypes] = []
    refusals: list[Refusal] = []
    imports: set[Import] = set()
    for tool in namespace.tools:
        called = names.tools[namespace.name, tool.name]
        made, needed = _tool(tool, called, lookup, dicts=dicts)
        tools.append(made)
        imports |= needed
        if approvals(tool):
            refusals.append(_refusal(tool, called, lookup))
    if refusals:
        imports |= {Import("collections.abc", "Callable")}
        imports |= {Import("typing", "Generic"), Import("typing", "TypedDict")}
    return Handlers(tuple(tools), tuple(refusals), frozenset(imports))


def arguments(tool: Tool, lookup: Lookup) -> Piece:
    """The type of the arguments that a handler gets."""
    shape = tool.parameters.type
    return printed(Map(Anything()) if isinstance(shape, Anything) else shape, lookup)


def approvals(tool: Tool) -> list[Interaction]:
    """The questions of a handler that may be refused."""
    return [each for each in tool.interactions if each.kind == "approval"]


def _tool(
    tool: Tool, called: ToolName, lookup: Lookup, *, dicts: bool
) -> tuple[HandlerTypes, frozenset[Import]]:
    made = [*constructors(tool, called, lookup), reader(tool, called, lookup, dicts=dicts)]
    answers = [_resume(each, called, lookup) for each in tool.interactions]
    args, returns, got = arguments(tool, lookup), outcome(tool, lookup), result(tool, lookup)
    types = HandlerTypes(
        function=called.function,
        stem=called.stem,
        arguments=args.code,
        resumes=tuple(resume for resume, _ in answers),
        resume=_any_resume(tool, called).code,
        outcome=returns.code,
        result=got.code,
        doc=tool_doc(tool),
        summary=f"Outcomes of `{tool.name}`: what its handler returns, and what a caller gets.",
        constructors=tuple(constructor for constructor, _ in made),
    )
    mentioned = [piece for _, needed in (*made, *answers) for piece in needed]
    return types, together([args, returns, got, *mentioned])


def _resume(
    interaction: Interaction, called: ToolName, lookup: Lookup
) -> tuple[Resume, tuple[Piece, ...]]:
    value, token = (slot(each, lookup, NONE) for each in (interaction.response, interaction.token))
    made = called.resumes[interaction.name]
    doc = f"The answer to `{interaction.name}`."
    base = runtime("ToolExecutionResume")
    return Resume(made, value.code, token.code, doc), (value, token, base)


def _any_resume(tool: Tool, called: ToolName) -> Piece:
    classes = [called.resumes[each.name] for each in tool.interactions]
    return alternatives([*(Piece(Code(f"{called.function}.{each}")) for each in classes), NONE])


def _refusal(tool: Tool, called: ToolName, lookup: Lookup) -> Refusal:
    tokens = {slot(each.token, lookup, NONE) for each in approvals(tool) if each.token}
    last = [] if all(each.token for each in approvals(tool)) else [NONE]
    token = alternatives([*sorted(tokens, key=lambda piece: piece.code), *last])
    return Refusal(called.function, called.stem, token.code)
