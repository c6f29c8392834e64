"""The exact validator at build time: the same one that generated code uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import jsonschema_rs

from toolkiln.contract import Schema
from toolkiln.lower.dialects import DRAFT_2020
from toolkiln.value import Json

_ASSERTED: Final = frozenset(
    ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"]
)
_OTHER_FORMATS: Final = [
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
]


def _anything(_: object) -> bool:
    return True


# `formats: assert` is about the ten above; the validator's other formats must never refuse.
_UNASSERTED: Final[dict[str, Callable[..., bool]]] = dict.fromkeys(_OTHER_FORMATS, _anything)


def compiled(source: Json, *, formats: bool = False) -> jsonschema_rs.Validator:
    """A validator for a bundle; `ValueError` says why there can be none."""
    schema: Any = source
    return jsonschema_rs.validator_for(
        schema, validate_formats=formats, formats=_UNASSERTED, offline=True
    )


def trouble(source: Json, *, linear: bool = False) -> str:
    """Why *source* does not compile; empty if it does.

    With *linear*, patterns may need nothing that could make matching slow.
    """
    schema: Any = source
    options = jsonschema_rs.RegexOptions() if linear else None
    try:
        jsonschema_rs.validator_for(schema, pattern_options=options, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        return str(error).partition("\n")[0]
    return ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a value violates a schema."""

    path: tuple[str | int, ...]
    message: str


@dataclass(slots=True)
class Validators:
    """Validators of contract schemas, each compiled once."""

    _known: dict[int, tuple[Schema, jsonschema_rs.Validator]] = field(
        default_factory=dict[int, tuple[Schema, jsonschema_rs.Validator]]
    )

    def of(self, schema: Schema) -> jsonschema_rs.Validator:
        """The validator of *schema*."""
        # By identity: comparing two bundles costs more than compiling one.
        if id(schema) not in self._known:
            made = compiled(schema.source, formats=schema.formats)
            self._known[id(schema)] = schema, made
        return self._known[id(schema)][1]

    def problems(self, schema: Schema, value: Json) -> list[Problem]:
        """What is wrong with *value*."""
        return [
            Problem(tuple(error.instance_path), shortened(error.message))
            for error in self.of(schema).iter_errors(value)
        ]

    def places(self, schema: Schema, value: Json) -> set[tuple[str | int, ...]]:
        """Where *value* is wrong, in any variant; a missing or surplus property is such a place."""
        return {place for error in self.of(schema).iter_errors(value) for place in _places(error)}


def _places(error: jsonschema_rs.ValidationError) -> Iterator[tuple[str | int, ...]]:
    path = tuple(error.instance_path)
    yield path
    facts = error.kind.as_dict()
    if isinstance(facts.get("property"), str):
        yield (*path, facts["property"])
    for name in facts.get("unexpected", ()):
        yield (*path, name)
    for branch in facts.get("context", ()):
        for inner in branch:
            yield from _places(inner)


def is_valid_schema(source: Json, uri: str) -> bool:
    """Whether *source* satisfies the meta-schema of its dialect."""
    schema: Any = {**source, "$schema": uri} if isinstance(source, dict) else source
    return isinstance(schema, bool) or jsonschema_rs.meta.is_valid(schema)


def schema_problems(source: Json, uri: str = DRAFT_2020.uri) -> list[Problem]:
    """Where *source* violates the meta-schema at *uri*, and how."""
    value: Any = source
    meta = jsonschema_rs.validator_for({"$schema": uri, "allOf": [{"$ref": uri}]}, offline=True)
    return [
        Problem(tuple(error.instance_path), shortened(error.message))
        for error in meta.iter_errors(value)
    ]


def shortened(message: str) -> str:
    """*message* in one line of bearable length: it may quote a value of any size."""
    line = " ".join(message.split())
    return line if len(line) <= 160 else f"{line[:157]}..."  # noqa: PLR2004
