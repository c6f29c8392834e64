"""What files must agree about: the namespaces and the names of tools that they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..diagnostics import Diagnostic, Level, Rule
from ..spelling import did_you_mean
from ..value import Json
from .schemas import Pointer
from .specs import Spec
from .texts import cut

TOOL_DUPLICATE = Rule("tool-duplicate", Level.ERROR, "A namespace holds two tools of one name.")
NAMESPACE_DISAGREES = Rule(
    "namespace-disagrees", Level.ERROR, "Files describe the namespace that they share differently."
)
FORMERLY_TAKEN = Rule("formerly-taken", Level.ERROR, "A former name of a tool is another tool's.")
DEPRECATED_USE = Rule(
    "deprecated-use", Level.WARNING, "A deprecated tool recommends one that does not exist."
)


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool, and where it is written."""

    spec: Spec
    pointer: Pointer
    namespace: str
    name: str
    content: Mapping[str, Json]

    @property
    def qualified(self) -> str:
        return f"{self.namespace}.{self.name}"

    @property
    def place(self) -> str:
        """Where it is named, as text."""
        pointer, key = self.pointer, not self.spec.plain
        if self.spec.plain:
            pointer = (*pointer, "name")
        span = self.spec.document.span(*pointer, key=key)
        return f"{span.file}:{span.line}"


def check(specs: Sequence[Spec]) -> Iterator[Diagnostic]:
    """Mistakes between the files that a project lists."""
    for key in ("version", "description"):
        yield from _agreement(specs, key)
    tools = [tool for spec in specs for tool in _tools(spec)]
    named: dict[tuple[str, str], _Tool] = {}
    for tool in tools:
        first = named.setdefault((tool.namespace, tool.name), tool)
        if first is not tool:
            yield _duplicate(tool, first)
    yield from _former(tools, named)
    names = {tool.name for tool in tools}
    for tool in tools:
        yield from _recommended(tool, names)


def _tools(spec: Spec) -> Iterator[_Tool]:
    value, namespace = spec.document.value, spec.namespace
    if not isinstance(value, Mapping) or namespace is None:
        return
    if spec.plain:
        tool = value.get("x-tool")
        if isinstance(tool, Mapping) and isinstance(tool.get("name"), str):
            yield _Tool(spec, ("x-tool",), namespace, str(tool["name"]), tool)
        return
    tools = value.get("tools")
    for name, tool in tools.items() if isinstance(tools, Mapping) else ():
        if isinstance(tool, Mapping):
            yield _Tool(spec, ("tools", name), namespace, name, tool)


def _agreement(specs: Sequence[Spec], key: str) -> Iterator[Diagnostic]:
    first: dict[str, tuple[Spec, Json]] = {}
    for spec in specs:
        value = spec.document.value
        if spec.plain or spec.namespace is None or not isinstance(value, Mapping):
            continue
        if key not in value:
            continue
        # Files are sorted, so the same one is blamed however the project lists them.
        other, said = first.setdefault(spec.namespace, (spec, value[key]))
        if said != value[key]:
            place = other.document.span(key)
            message = f"`{spec.namespace}` has another {key} in {place.file}:{place.line}."
            hint = "Say it in one of the files, or the same in all."
            yield NAMESPACE_DISAGREES.at(spec.document.span(key), message, hint=hint)


def _duplicate(tool: _Tool, first: _Tool) -> Diagnostic:
    pointer = (*tool.pointer, "name") if tool.spec.plain else tool.pointer
    span = tool.spec.document.span(*pointer, key=not tool.spec.plain)
    message = f"The namespace has a tool `{cut(tool.name)}` already, in {first.place}."
    return TOOL_DUPLICATE.at(span, message, tool=tool.qualified)


def _former(tools: Sequence[_Tool], named: Mapping[tuple[str, str], _Tool]) -> Iterator[Diagnostic]:
    claimed: dict[tuple[str, str], _Tool] = {}
    for tool in tools:
        names = tool.content.get("formerly")
        for number, name in enumerate(names if isinstance(names, list) else ()):
            if not isinstance(name, str):
                continue
            key = (tool.namespace, name)
            other = named.get(key) or claimed.get(key)
            if other is not None and not (other is tool and key in claimed):
                span = tool.spec.document.span(*tool.pointer, "formerly", number)
                owner = "this tool" if other is tool else f"the tool in {other.place}"
                message = f"`{cut(name)}` is a name of {owner}."
                hint = "An old name leads to one tool only."
                yield FORMERLY_TAKEN.at(span, message, hint=hint, tool=tool.qualified)
            claimed.setdefault(key, tool)


def _recommended(tool: _Tool, names: set[str]) -> Iterator[Diagnostic]:
    deprecated = tool.content.get("deprecated")
    use = deprecated.get("use") if isinstance(deprecated, Mapping) else None
    if isinstance(use, str) and use not in names:
        span = tool.spec.document.span(*tool.pointer, "deprecated", "use")
        message = f"`{cut(use)}` names no tool of the project."
        hint = did_you_mean(use, names)
        yield DEPRECATED_USE.at(span, message, hint=hint, tool=tool.qualified)
