"""What is wrong with a value, told by path, keyword and schema, never by the value (S1.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import jsonschema_rs as rs
from msgspec import Struct

from .values import dotted, encode

COUNT: Final = 20
"""Problems in one message."""
LENGTH: Final = 4_000
"""Characters of one message."""
_QUOTED: Final = 200
_UNEXPECTED: Final = 5

Kind = rs.ValidationErrorKind


class Problem(Struct, frozen=True):
    """One thing that is wrong."""

    path: str
    keyword: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def explain(error: rs.ValidationError) -> list[Problem]:
    """The problems of one error; several only where one keyword refuses several properties."""
    kind, path = error.kind, list(error.instance_path)
    keyword = _keyword(error)
    match kind:
        case Kind.Required(name):
            return [Problem(dotted([*path, name]), keyword, "is required")]
        case Kind.AdditionalProperties(names) | Kind.UnevaluatedProperties(names):
            return [
                Problem(dotted([*path, name]), keyword, "is not a known property")
                for name in names[:_UNEXPECTED]
            ]
        case Kind.PropertyNames(inner):
            return [Problem(dotted(path), keyword, f"has a property whose name {_text(inner)}")]
        case _:
            return [Problem(dotted(path), keyword, _text(error))]


def summary(problems: Sequence[Problem]) -> tuple[str, list[Problem]]:
    """The message of a call that has *problems*, and those of them that it names."""
    named: list[Problem] = []
    message = ""
    for problem in problems[:COUNT]:
        longer = f"{message}; {problem}" if message else str(problem)
        if len(longer) > LENGTH:
            break
        message = longer
        named.append(problem)
    if rest := len(problems) - len(named):
        message = f"{message}; and {rest} more" if message else f"{rest} problems"
    return message, named


def _keyword(error: rs.ValidationError) -> str:
    steps = [step for step in error.schema_path if isinstance(step, str)]
    return steps[-1] if steps else error.kind.name


def _text(error: rs.ValidationError) -> str:
    kind = error.kind
    wording = _WORDING.get(type(kind))
    return f"violates `{_keyword(error)}`" if wording is None else wording(kind)


def _quoted(value: Any) -> str:
    text = encode(value).decode()
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."


def _options(options: list[Any]) -> str:
    text = ", ".join(map(_quoted, options))
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."


_WORDING: Final[dict[type, Callable[[Any], str]]] = {
    Kind.Type: lambda kind: f"must be {' or '.join(kind.types)}",
    Kind.Enum: lambda kind: f"must be one of {_options(kind.options)}",
    Kind.Constant: lambda kind: f"must be {_quoted(kind.expected_value)}",
    Kind.Minimum: lambda kind: f"must be at least {kind.limit}",
    Kind.Maximum: lambda kind: f"must be at most {kind.limit}",
    Kind.ExclusiveMinimum: lambda kind: f"must be more than {kind.limit}",
    Kind.ExclusiveMaximum: lambda kind: f"must be less than {kind.limit}",
    Kind.MultipleOf: lambda kind: f"must be a multiple of {kind.multiple_of}",
    Kind.MinLength: lambda kind: f"must have at least {kind.limit} characters",
    Kind.MaxLength: lambda kind: f"must have at most {kind.limit} characters",
    Kind.Pattern: lambda kind: f"must match the pattern {kind.pattern[:_QUOTED]}",
    Kind.BacktrackLimitExceeded: lambda _kind: "is too hard to match against the pattern",
    Kind.Format: lambda kind: f"must have the format {kind.format}",
    Kind.MinItems: lambda kind: f"must have at least {kind.limit} items",
    Kind.MaxItems: lambda kind: f"must have at most {kind.limit} items",
    Kind.UniqueItems: lambda _kind: "must not repeat an item",
    Kind.Contains: lambda _kind: "must contain an item that the schema asks for",
    Kind.AdditionalItems: lambda kind: f"must have at most {kind.limit} items",
    Kind.UnevaluatedItems: lambda _kind: "has more items than allowed",
    Kind.MinProperties: lambda kind: f"must have at least {kind.limit} properties",
    Kind.MaxProperties: lambda kind: f"must have at most {kind.limit} properties",
    Kind.AnyOf: lambda _kind: "must match one of the allowed forms",
    Kind.OneOfNotValid: lambda _kind: "must match one of the allowed forms",
    Kind.OneOfMultipleValid: lambda _kind: "must match only one of the allowed forms",
    Kind.Not: lambda _kind: "has a form that is not allowed",
    Kind.FalseSchema: lambda _kind: "is not allowed",
}
