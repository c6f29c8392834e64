"""The schema of the format, compiled: fast for a verdict, slowly for the reasons."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from .._resources import resource
from ..source.text import MOST
from ..value import Json
from .schemas import Pointer

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema_rs import Draft202012Validator as Fast


class _Slow(Protocol):
    """The part of jsonschema's validators that is used here."""

    def iter_errors(self, instance: Json) -> Iterator[ValidationError]: ...


SPEC: Final = ""
PLAIN: Final = "#/$defs/plain"
SUPPRESSIONS: Final = "#/$defs/suppressions"


@cache
def schema() -> Mapping[str, Any]:
    """The schema of spec files, with definitions for the other things that are validated."""
    text = resource("schemas", "spec.schema.json").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = json.loads(text)
    return loaded


def is_valid(value: Json, part: str) -> bool:
    """Whether *value* is valid under *part* of the schema."""
    try:
        return _fast(part).is_valid(value)
    except (ValueError, OverflowError, RecursionError):
        # What the fast validator cannot hold, the slow one decides.
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One reason why a value is not valid."""

    keyword: str
    """The keyword of the schema that it breaks."""
    argument: Any
    """What stands at the keyword."""
    value: Any
    schema: Mapping[str, Any]
    """The schema that holds the keyword."""
    pointer: Pointer
    """Where the value stands."""
    name: bool
    """Whether the value is the name of a key, and *pointer* leads to the map that holds it."""
    branches: tuple[tuple[Fault, ...], ...]
    """Why each of the alternatives does not fit."""

    @property
    def is_map(self) -> bool:
        """Whether the value is one that could hold keys."""
        return isinstance(self.value, Mapping)

    @property
    def title(self) -> str:
        """What the schema calls itself."""
        return str(self.schema.get("title", ""))

    @property
    def comment(self) -> str:
        """What names the rule that the schema states."""
        return str(self.schema.get("$comment", ""))


def faults(value: Json, part: str, prefix: Pointer = ()) -> list[Fault]:
    """Why *value*, which stands at *prefix*, is not valid under *part*: `MOST` reasons at most."""
    return [_fault(error, prefix) for error in islice(_slow(part).iter_errors(value), MOST)]


def _fault(error: ValidationError, prefix: Pointer) -> Fault:
    branches: dict[object, list[Fault]] = {}
    for inner in error.context or ():
        branch = branches.setdefault(inner.relative_schema_path[0], [])
        branch.append(_fault(inner, prefix))
    schema: object = error.schema
    return Fault(
        str(error.validator),
        error.validator_value,
        error.instance,
        cast("Mapping[str, Any]", schema),
        (*prefix, *error.absolute_path),
        "propertyNames" in error.absolute_schema_path,
        tuple(map(tuple, branches.values())),
    )


def resolved(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A subschema with what its `$ref` leads to; its own keywords come first."""
    ref = part.get("$ref")
    if not isinstance(ref, str):
        return part
    target: Any = schema()
    for step in ref.removeprefix("#/").split("/"):
        target = target[step]
    return {**resolved(target), **part}


def _part(part: str) -> Mapping[str, Any]:
    return {"$ref": part, "$defs": schema()["$defs"]} if part else schema()


@cache
def _fast(part: str) -> Fast:
    from jsonschema_rs import Draft202012Validator

    # Without `offline` it would fetch references that lead elsewhere.
    return Draft202012Validator(dict(_part(part)), validate_formats=True, offline=True)


@cache
def _slow(part: str) -> _Slow:
    from jsonschema import Draft202012Validator, FormatChecker, validators

    # The patterns are anchored, but Python's `$` also matches before a line break.
    untyped: Any = validators
    extend: Callable[..., Callable[..., _Slow]] = untyped.extend
    strict = extend(Draft202012Validator, {"pattern": _pattern})
    return strict(_part(part), format_checker=FormatChecker(["date"]))


def _pattern(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError("pattern")
