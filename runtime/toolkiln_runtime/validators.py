"""Exact JSON Schema validation; the only module that knows jsonschema-rs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

import jsonschema_rs as rs
from msgspec import Struct

from .contract import Schema
from .documents import schemas, with_pointers
from .problems import Problem, explain
from .sensitive import STAND_IN, Mask
from .values import fresh, is_object

FORMATS: Final = frozenset(
    (
        "date",
        "date-time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "time",
        "uri",
        "uuid",
    )
)
"""The formats that may refuse a value; every other one only describes."""

BACKTRACKS: Final = 100_000
"""Steps after which a pattern with look-around gives up and refuses."""

_DIALECTS: Final[dict[str, type[rs.Validator]]] = {
    "https://json-schema.org/draft/2020-12/schema": rs.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": rs.Draft201909Validator,
    "http://json-schema.org/draft-07/schema": rs.Draft7Validator,
}
_KNOWN_FORMATS: Final = (
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
)
_SILENT: Final[dict[str, Callable[..., bool]]] = dict.fromkeys(
    _KNOWN_FORMATS, lambda *_values: True
)
_LINEAR: Final = rs.RegexOptions()
_BOUNDED: Final = rs.FancyRegexOptions(backtrack_limit=BACKTRACKS)


class InvalidSchema(ValueError):  # noqa: N818 - says what it is, not that it is an error
    """A schema that cannot be compiled; the message is for the author of the schema."""


class Validator(Struct, frozen=True, eq=False):
    """A compiled schema. Values that it is given must be strict JSON."""

    accepts: Callable[[Any], bool]
    first: Callable[[Any], None]
    all: Callable[[Any], Iterable[rs.ValidationError]]

    def problems(self, value: Any, *, large: bool = False) -> list[Problem]:
        """What is wrong with *value*; only the first thing where *large* would make it many."""
        if not large:
            return [problem for error in self.all(value) for problem in explain(error)]
        try:
            self.first(value)
        except rs.ValidationError as error:
            return explain(error)
        return []

    def nulls(self, value: Any) -> list[tuple[str | int, ...]]:
        """The places in *value* where some branch of the schema refuses a null."""
        found: list[tuple[str | int, ...]] = []
        for error in self.all(value):
            _collect_nulls(error, found)
        return found


def _collect_nulls(error: rs.ValidationError, found: list[tuple[str | int, ...]]) -> None:
    kind = error.kind
    if isinstance(kind, _UNIONS):
        for branch in kind.context:
            for inner in branch:
                _collect_nulls(inner, found)
    elif error.instance is None:
        found.append(tuple(error.instance_path))


_UNIONS: Final = (
    rs.ValidationErrorKind.AnyOf,
    rs.ValidationErrorKind.OneOfNotValid,
    rs.ValidationErrorKind.OneOfMultipleValid,
)


def build(document: Any, *, formats: bool = False) -> Validator:
    """Compile *document*; raises InvalidSchema.

    Patterns run in linear time, except in a schema where one of them needs look-around.
    """
    dialect = _dialect(document)
    try:
        compiled = _compiled(dialect, document, _LINEAR, formats=formats)
    except ValueError:
        try:
            compiled = _compiled(dialect, document, _BOUNDED, formats=formats)
        except ValueError as error:
            raise InvalidSchema(getattr(error, "message", str(error))) from error
    return Validator(compiled.is_valid, compiled.validate, compiled.iter_errors)


def linear(document: Any) -> Callable[[Any], bool]:
    """Compile the test of a gate's condition, which must not hold look-around (S4)."""
    return _compiled(_dialect(document), document, _LINEAR, formats=False).is_valid


@cache
def validator(schema: Schema) -> Validator:
    """The validator of a contract's *schema*, compiled when it is first asked for."""
    return build(fresh(schema.source.encode()), formats=schema.formats)


def fresh_document(schema: Schema) -> Any:
    """A contract's *schema* as JSON, with references as pointers."""
    return with_pointers(fresh(schema.source.encode()))


@cache
def mask(schema: Schema | None) -> Mask:
    """Puts stand-ins into the values of *schema*; nothing is known to be sensitive without one."""
    return Mask(True if schema is None else fresh_document(schema), STAND_IN)


def subschemas(document: Any) -> Callable[[str], Callable[[Any], bool]]:
    """Gives for a pointer into *document* the test of the schema there."""
    try:
        found = rs.validator_map_for(
            document, offline=True, validate_formats=False, pattern_options=_BOUNDED
        )
    except ValueError:
        return lambda _pointer: lambda _value: False
    return lambda pointer: found[pointer].is_valid if pointer in found else lambda _value: False


def _has_other_formats(document: Any) -> bool:
    return any(schema.get("format") in _SILENT for _, schema in schemas(document))


def _dialect(document: Any) -> type[rs.Validator]:
    # The library takes a dialect that it does not know for the newest one.
    names = {schema["$schema"] for _, schema in schemas(document) if "$schema" in schema}
    for name in names:
        if not isinstance(name, str) or name.rstrip("#") not in _DIALECTS:
            raise InvalidSchema(f"unknown dialect {name!r:.200}")
    if is_object(document) and "$schema" in document:
        return _DIALECTS[document["$schema"].rstrip("#")]
    return rs.Draft202012Validator


def _compiled(
    dialect: type[rs.Validator], document: Any, patterns: Any, *, formats: bool
) -> rs.Validator:
    return dialect(
        document,
        offline=True,
        pattern_options=patterns,
        validate_formats=formats,
        # A function in Python makes every validation slower, so only where a format needs one.
        formats=_SILENT if formats and _has_other_formats(document) else None,
    )
