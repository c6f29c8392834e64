"""What the printer leaves out of a module of models: texts, and defaults of lists and objects.

Lines are found by the syntax tree, never by their looks: text from a contract may look like code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from toolkiln.shape import Definition, Field, List, Map, Record, Ref, Type, Union
from toolkiln.text import Code, docstring, literal
from toolkiln.value import Missing

from .shapes import is_plain

_Edit: TypeAlias = tuple[int, int, list[str]]
"""The lines from the first to before the second become these."""

_CLOSED: Final = '    model_config = ConfigDict(extra="forbid")'


@dataclass(frozen=True, slots=True)
class Shape:
    """A definition with its Python names and finished texts."""

    definition: Definition
    name: Code
    attributes: Mapping[str, Code] = field(default_factory=dict[str, Code])
    """By the wire name of the field."""
    doc: str = ""
    docs: Mapping[str, str] = field(default_factory=dict[str, str])
    """By the wire name of the field."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """Of a record; no other shape has any."""
        body = self.definition.body
        return body.fields if isinstance(body, Record) else ()

    @property
    def closed(self) -> bool:
        """Whether it is a record that refuses other properties."""
        return isinstance(self.definition.body, Record) and self.definition.body.closed


def completed(
    source: str, tree: ast.Module, shapes: Mapping[str, Shape], *, dicts: bool
) -> Iterator[str]:
    """The lines of *source* below its imports, with all that *shapes* know.

    A shape whose class or alias is not there is our mistake: `ValueError`.
    """
    statements = [node for node in tree.body if not isinstance(node, ast.ImportFrom)]
    if missing := shapes.keys() - {declared(node) for node in statements}:
        raise ValueError(f"the printer left out or renamed {', '.join(sorted(missing))}")
    lines = source.split("\n")
    at = statements[0].lineno
    for node in statements:
        for start, end, new in _statement(node, lines, shapes.get(declared(node)), dicts=dicts):
            yield from lines[at - 1 : start - 1]
            yield from new
            at = end
    yield from lines[at - 1 :]


def declared(node: ast.stmt) -> str:
    """The class or alias that a statement of the printer declares; empty for any other."""
    match node:
        case ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return ""


def default(field: Field) -> str:
    """What follows a field that the printer has not finished."""
    if is_plain(field) or field.required:
        return ""
    if isinstance(field.default, Missing) or field.default is None:
        return " = None"
    checked = ", validate_default=True" if field.default != [] and converts(field.type) else ""
    return f" = Field(default={literal(field.default)}{checked})"


def _statement(
    node: ast.stmt, lines: list[str], shape: Shape | None, *, dicts: bool
) -> Iterator[_Edit]:
    if shape is None:
        # `X.model_rebuild()`: a model is built when it is first used.
        yield node.lineno, _after(node), []
    elif isinstance(node, ast.ClassDef):
        if dicts and _misleads(node, shape):
            yield node.lineno, _after(node), _functional(node, shape)
        else:
            yield from _class(node, lines, shape, dicts=dicts)
    elif text := docstring(_alias_doc(shape), 0):
        yield _after(node), _after(node), [text]


def _misleads(node: ast.ClassDef, shape: Shape) -> bool:
    """Whether keys, written as attributes, would be mangled or hide what annotations mention."""
    annotated = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    mentioned = {
        each.id
        for statement in annotated
        for each in ast.walk(statement.annotation)
        if isinstance(each, ast.Name)
    }
    wires = [each.wire for each in shape.fields]
    return any(w in mentioned or (w.startswith("__") and not w.endswith("__")) for w in wires)


def _functional(node: ast.ClassDef, shape: Shape) -> list[str]:
    """The same dictionary, its keys as literals; annotations are quoted: they may look ahead."""
    annotated = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    pairs = [
        f"{literal(each.wire)}: {literal(ast.unparse(statement.annotation))}"
        for each, statement in zip(shape.fields, annotated, strict=True)
    ]
    below = docstring(_alias_doc(shape), 0)
    made = f'{shape.name} = TypedDict("{shape.name}", {{{", ".join(pairs)}}})'
    return [made, *([below] if below else [])]


def _alias_doc(shape: Shape) -> str:
    """What stands below an alias: dictionaries with odd keys have no place for the keys' texts."""
    keys = [f"- `{wire}`: {' '.join(doc.split())}" for wire, doc in shape.docs.items() if doc]
    return "\n\n".join(filter(None, [shape.doc, "\n".join(keys)]))


def _class(node: ast.ClassDef, lines: list[str], shape: Shape, *, dicts: bool) -> Iterator[_Edit]:
    text = docstring(shape.doc)
    if text:
        yield node.body[0].lineno, node.body[0].lineno, [f"    {text}", ""]
    fields = iter(shape.fields)
    for statement in node.body:
        start, end = statement.lineno, _after(statement)
        if isinstance(statement, ast.AnnAssign):
            yield start, end, _field(statement, lines, next(fields), shape, dicts=dicts)
        elif isinstance(statement, ast.Assign):
            yield start, end, [_CLOSED] if shape.closed else []
        elif text:
            yield start, end, []
    if next(fields, None):
        raise ValueError(f"the printer left out a field of {shape.name}")


def _field(
    node: ast.AnnAssign, lines: list[str], field: Field, shape: Shape, *, dicts: bool
) -> list[str]:
    wanted = field.wire if dicts else str(shape.attributes[field.wire])
    printed = ast.unparse(node.target)
    if not dicts and wanted != printed and not _has_alias(node, field.wire):
        raise ValueError(f"the printer called {field.wire!r} {printed}")
    # The printer does not know all letters that identifiers may have.
    first = lines[node.lineno - 1].replace(printed, wanted, 1)
    source = "\n".join([first, *lines[node.lineno : node.end_lineno]])
    below = docstring(shape.docs.get(field.wire, ""))
    value = "" if dicts else default(field)
    return [f"{source}{value}", *([f"    {below}"] if below else [])]


def _has_alias(node: ast.AnnAssign, wire: str) -> bool:
    keywords = (each for each in ast.walk(node.annotation) if isinstance(each, ast.keyword))
    return any(
        each.arg == "alias" and isinstance(each.value, ast.Constant) and each.value.value == wire
        for each in keywords
    )


def _after(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) + 1


def converts(shape: Type) -> bool:
    """Whether a value of *shape*, as a model has it, is something else than its JSON."""
    match shape:
        case Ref():
            return True
        case List(items, prefix):
            return bool(prefix) or converts(items)
        case Map(values):
            return converts(values)
        case Union(members):
            return any(converts(member) for member in members)
        case _:
            return False
