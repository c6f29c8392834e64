"""All Python names of a contract: packages, classes, fields, tools and their constructors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from toolkiln.contract import Contract, Definition, Namespace, Record, Tool
from toolkiln.text import Code, identifier

from .words import BUILTINS, CLASSES, FIELDS, allotted, camel, distinct, free, snake

MODULES: Final = frozenset({"contracts", "handlers", "models", "registration", "testing"})
_TOOLS: Final = MODULES | BUILTINS | {"capability", "define", "refused"}
_CONSTRUCTORS: Final = MODULES | BUILTINS | {"staticmethod"}


@dataclass(frozen=True, slots=True)
class ToolName:
    """How one tool is called in Python."""

    function: Code
    """`refund_invoice`: its handler's keyword, and the class of its constructors."""
    stem: Code
    """`RefundInvoice`: what the names of its types start with."""
    constructors: Mapping[tuple[str, str], Code]
    """By ("failure", code) and ("interaction", name)."""

    @property
    def constant(self) -> Code:
        """`REFUND_INVOICE`: its contract."""
        return Code(self.function.upper())


@dataclass(frozen=True, slots=True)
class Names:
    """How everything is called."""

    packages: Mapping[str, tuple[Code, ...]]
    """The path of a namespace's package below the generated one, by its name."""
    classes: Mapping[str, Code]
    """By the key of the definition; unique in its namespace."""
    fields: Mapping[tuple[str, str], Code]
    """By the key of the definition and the wire name."""
    tools: Mapping[tuple[str, str], ToolName]
    """By namespace and name."""
    homes: Mapping[str, str]
    """The namespace or library of a definition, by its key."""


def names(contract: Contract) -> Names:
    """The names of everything in *contract*."""
    classes: dict[str, Code] = {}
    fields: dict[tuple[str, str], Code] = {}
    tools: dict[tuple[str, str], ToolName] = {}
    packages = _packages(contract.namespaces)
    for namespace in contract.namespaces:
        own = _classes(namespace.definitions)
        classes |= own
        for definition in namespace.definitions:
            # A class without capitals, as in scripts that have none, could be hidden by a field.
            for wire, attribute in _attributes(definition, own.values()).items():
                fields[definition.key, wire] = attribute
        here = packages[namespace.name]
        inner = {str(path[len(here)]) for path in packages.values() if _below(path, here)}
        inner |= {f"{'_'.join(path)}_models" for path in packages.values()}
        for tool, name in _tools(namespace, inner).items():
            tools[namespace.name, tool] = name
    homes = {
        definition.key: namespace.name
        for namespace in contract.namespaces
        for definition in namespace.definitions
    }
    return Names(packages, classes, fields, tools, homes)


def _packages(namespaces: Iterable[Namespace]) -> dict[str, tuple[Code, ...]]:
    """A namespace's dotted name is a path; a library goes by its file's name without suffixes."""
    paths: dict[str, tuple[Code, ...]] = {}
    libraries: dict[str, str] = {}
    for namespace in namespaces:
        if namespace.library:
            libraries[namespace.name] = snake(_stem(namespace.name))
        else:
            words = namespace.name.split(".")
            paths[namespace.name] = tuple(identifier(free(word, MODULES)) for word in words)
    taken = {path[0] for path in paths.values()} | MODULES
    counts = Counter(libraries.values())
    for name, stem in libraries.items():
        made = free(stem, ())
        alone = made not in taken and counts[stem] == 1
        paths[name] = (identifier(made if alone else distinct(made, name, taken)),)
    return paths


def _stem(file: str) -> str:
    return file.rpartition("/")[2].partition(".")[0]


def _below(path: tuple[Code, ...], parent: tuple[Code, ...]) -> bool:
    return len(path) > len(parent) and path[: len(parent)] == parent


def _classes(definitions: Iterable[Definition]) -> dict[str, Code]:
    """Types that an author named come first, then those of a tool's slots, then all below."""
    tiers: tuple[dict[str, Definition], ...] = ({}, {}, {})
    for definition in definitions:
        tiers[_tier(definition)][definition.key] = definition
    made: dict[str, Code] = {}
    taken = set(CLASSES)
    for tier in tiers:
        candidates = {key: camel(" ".join(each.words)) for key, each in tier.items()}
        counts = Counter(candidates.values())
        named: dict[str, Code] = {}
        for key, name in candidates.items():
            alone = counts[name] == 1 or tier[key].words == (name,)
            clear = alone and name not in taken
            named[key] = identifier(name if clear else distinct(name, key, taken))
        made |= named
        taken |= set(named.values())
    return made


def _tier(definition: Definition) -> int:
    steps = definition.key.rpartition("#")[2].split("/")[1:]
    match steps:
        case ["$defs", _]:
            return 0
        case ["tools", _, "parameters" | "output"]:
            return 1
        case _:
            return 2


def _attributes(definition: Definition, classes: Iterable[Code]) -> dict[str, Code]:
    if not isinstance(definition.body, Record):
        return {}
    wires = [field.wire for field in definition.body.fields]
    return allotted(wires, snake, {*FIELDS, *classes})


def _tools(namespace: Namespace, inner: Iterable[str]) -> dict[str, ToolName]:
    taken = {*_TOOLS, *inner, f"{namespace.name.rpartition('.')[2]}_tools"}
    functions = allotted((tool.name for tool in namespace.tools), snake, taken)
    stems = allotted(functions.values(), camel)
    return {
        tool.name: ToolName(functions[tool.name], stems[functions[tool.name]], _constructors(tool))
        for tool in namespace.tools
    }


def _constructors(tool: Tool) -> dict[tuple[str, str], Code]:
    kinds = [("failure", failure.code) for failure in tool.failures]
    kinds += [("interaction", interaction.name) for interaction in tool.interactions]
    taken = {*_CONSTRUCTORS, *({"deferred"} if tool.deferred else ())}
    made: dict[tuple[str, str], Code] = {}
    for kind, wire in kinds:
        made[kind, wire] = identifier(free(wire, taken))
        taken.add(made[kind, wire])
    return made
