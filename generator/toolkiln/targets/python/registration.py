"""registration.py and testing.py: functions that bind handlers, or fakes, to the tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolkiln.contract import Namespace, Tool
from toolkiln.names import camel, words
from toolkiln.shape import Ref
from toolkiln.text import Code, literal

from .code import Import, Piece, attribute, call, mapping, name, together
from .handlers import approvals
from .naming import Names, ToolName
from .places import models_module


@dataclass(frozen=True, slots=True)
class Binding:
    """How registration binds one tool."""

    function: Code
    stem: Code
    constant: Code
    definition: Code
    """The expression that makes its definition."""


@dataclass(frozen=True, slots=True)
class Loader:
    """A function that imports a module when it is called."""

    name: Code
    module: Code
    symbol: Code
    """What is imported, with its alias."""
    local: Code
    """What it is called then."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The module that binds handlers."""

    tools: tuple[Binding, ...]
    loaders: tuple[Loader, ...]
    imports: frozenset[Import]
    """What is mentioned beyond what the template itself imports."""


def registration(namespace: Namespace, names: Names, *, dicts: bool) -> Registration:
    """How the tools of *namespace* are bound; *dicts*: to handlers that get dictionaries."""
    binder = _Binder(namespace, names, dicts)
    tools = tuple(map(binder.binding, namespace.tools))
    asking = any(tool.interactions for tool in namespace.tools)
    imports = {Import("toolkiln_runtime", "Answer")} if asking else set[Import]()
    return Registration(tools, tuple(binder.loaders()), frozenset(imports))


def registering(namespace: Namespace) -> Code:
    """The function that binds the handlers of *namespace*."""
    return Code(f"{_last(namespace)}_tools")


def refusing(namespace: Namespace) -> Code | None:
    """The type of what releases tokens; None if no tool asks for approvals."""
    if any(map(approvals, namespace.tools)):
        return Code(f"{camel(words(_last(namespace)))}Refused")
    return None


def _last(namespace: Namespace) -> str:
    return namespace.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class _Binder:
    namespace: Namespace
    names: Names
    dicts: bool

    def binding(self, tool: Tool) -> Binding:
        called = self.names.tools[self.namespace.name, tool.name]
        function = Piece(called.function)
        positional = [attribute(name(".", "contracts"), called.constant), function]
        definition = call(Piece(Code("define")), positional, dict(self._keywords(tool, called)))
        return Binding(called.function, called.stem, called.constant, definition.code)

    def loaders(self) -> Iterator[Loader]:
        """For all modules that definitions mention."""
        found = {*filter(None, map(self._models, self.namespace.tools))}
        if any(tool.interactions for tool in self.namespace.tools):
            found.add(name(".", "handlers"))
        yield from map(_loader, sorted(together(found)))

    def _keywords(self, tool: Tool, called: ToolName) -> Iterator[tuple[str, Piece]]:
        module, shape = self._models(tool), tool.parameters.type
        if module and isinstance(shape, Ref):
            yield "model", _later(f"_{module.code}().{self.names.classes[shape.key]}")
        if tool.interactions:
            yield "answers", mapping(self._answers(tool, called))
        if approvals(tool):
            found = f"(refused or {{}}).get({literal(str(called.function))})"
            yield "refused", Piece(Code(found))

    def _answers(self, tool: Tool, called: ToolName) -> Mapping[Code, Piece]:
        plain = {"plain": Piece(Code("True"))} if self.dicts else {}
        answers: dict[Code, Piece] = {}
        for each in tool.interactions:
            made = _later(f"_handlers().{called.function}.{called.resumes[each.name]}")
            said = {"resume": made, **plain}
            answers[literal(each.name)] = call(Piece(Code("Answer")), (), said)
        return answers

    def _models(self, tool: Tool) -> Piece | None:
        """The module of the class of the tool's arguments, if they become one."""
        shape = tool.parameters.type
        if self.dicts or not isinstance(shape, Ref):
            return None
        return models_module(self.names, self.namespace.name, self.names.homes[shape.key])


def _later(expression: str) -> Piece:
    return Piece(Code(f"lambda: {expression}"))


def _loader(imported: Import) -> Loader:
    local = Code(imported.alias or imported.name)
    alias = f" as {imported.alias}" if imported.alias else ""
    symbol = Code(f"{imported.name}{alias}")
    return Loader(Code(f"_{local}"), Code(imported.module), symbol, local)
