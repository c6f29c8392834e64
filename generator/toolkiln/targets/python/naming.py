"""All Python names of a contract: packages, classes, fields, tools and their constructors."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolkiln.contract import Contract, Namespace, Tool
from toolkiln.names import Claim, allocate, snake, words
from toolkiln.names import fields as attributes
from toolkiln.shape import Definition, Record
from toolkiln.text import Code, identifier

from . import styles


@dataclass(frozen=True, slots=True)
class ToolName:
    """How one tool is called in Python."""

    function: Code
    """`refund_invoice`: its handler's keyword, and the class of its constructors."""
    stem: Code
    """`RefundInvoice`: what the names of its types start with."""
    constructors: Mapping[tuple[str, str], Code]
    """By ("failure", code) and ("interaction", name)."""
    resumes: Mapping[str, Code]
    """`PickAccountResume`: the class of the answers to an interaction, by its name."""

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
        style = styles.attribute(own.values())
        for definition in namespace.definitions:
            for wire, name in attributes(_wires(definition), style).items():
                fields[definition.key, wire] = identifier(name)
        for tool, called in _tools(namespace, packages).items():
            tools[namespace.name, tool] = called
    homes = {
        definition.key: namespace.name
        for namespace in contract.namespaces
        for definition in namespace.definitions
    }
    return Names(packages, classes, fields, tools, homes)


def _packages(namespaces: Iterable[Namespace]) -> dict[str, tuple[Code, ...]]:
    """A namespace's dotted name is a path; a library goes by its file's name without suffixes."""
    paths: dict[str, tuple[Code, ...]] = {}
    libraries: dict[str, Claim] = {}
    for namespace in namespaces:
        if namespace.library:
            libraries[namespace.name] = Claim((_stem(namespace.name),), namespace.name)
        else:
            paths[namespace.name] = tuple(map(_segment, namespace.name.split(".")))
    style = styles.package({path[0] for path in paths.values()})
    found = allocate(libraries, style)
    return paths | {name: (identifier(package),) for name, package in found.items()}


def _segment(word: str) -> Code:
    return identifier(f"{word}_" if word in styles.MODULES or keyword.iskeyword(word) else word)


def _stem(file: str) -> str:
    return file.rpartition("/")[2].partition(".")[0]


def _classes(definitions: Iterable[Definition]) -> dict[str, Code]:
    """Types that an author named come first, then those of a tool's slots, then all below."""
    claims = {each.key: _claim(each) for each in definitions}
    return {key: identifier(name) for key, name in allocate(claims, styles.CLASS).items()}


def _claim(definition: Definition) -> Claim:
    # A tool that is written `refund_invoice` keeps its names when `refundInvoice` joins it.
    odd = any(word != snake(words(word)) for word in definition.words)
    match definition.key.rpartition("#")[2].split("/")[1:]:
        case ["$defs", _]:
            return Claim(definition.words, definition.key, wire=definition.words[-1])
        case ["tools", _, "parameters" | "output"]:
            return Claim(definition.words, definition.key, rank=1 + odd)
        case _:
            return Claim(definition.words, definition.key, rank=3 + odd)


def _wires(definition: Definition) -> list[str]:
    body = definition.body
    return [field.wire for field in body.fields] if isinstance(body, Record) else []


def _tools(namespace: Namespace, packages: Mapping[str, tuple[Code, ...]]) -> dict[str, ToolName]:
    here = packages[namespace.name]
    inner = {path[len(here)] for path in packages.values() if _below(path, here)}
    modules = {f"{'_'.join(path)}_models" for path in packages.values()}
    style = styles.function({*inner, *modules, f"{namespace.name.rpartition('.')[2]}_tools"})
    functions = attributes((tool.name for tool in namespace.tools), style)
    claims = {name: Claim((made,), name) for name, made in functions.items()}
    stems = allocate(claims, styles.STEM)
    return {
        tool.name: ToolName(
            identifier(functions[tool.name]),
            identifier(stems[tool.name]),
            _constructors(tool, modules),
            _resumes(tool),
        )
        for tool in namespace.tools
    }


def _below(path: tuple[Code, ...], parent: tuple[Code, ...]) -> bool:
    return len(path) > len(parent) and path[: len(parent)] == parent


def _constructors(tool: Tool, modules: Iterable[str]) -> dict[tuple[str, str], Code]:
    claims = {("failure", each.code): Claim((each.code,), each.code) for each in tool.failures}
    for each in tool.interactions:
        claims["interaction", each.name] = Claim((each.name,), each.name, rank=1)
    style = styles.constructor({*modules, *(["deferred"] if tool.deferred else [])})
    return {key: identifier(name) for key, name in allocate(claims, style).items()}


def _resumes(tool: Tool) -> dict[str, Code]:
    claims = {each.name: Claim((each.name, "resume"), each.name) for each in tool.interactions}
    return {key: identifier(name) for key, name in allocate(claims, styles.RESUME).items()}
