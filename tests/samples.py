"""Values that are valid or nearly valid under a schema, and what a validator says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

import jsonschema_rs

from toolkiln.value import Json

_OTHERS: tuple[Json, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    1e9,
    "",
    "a",
    "2024-01-31",
    [],
    ["a"],
    {},
    {"a": 1},
)
_BY_TYPE: Mapping[str, Json] = {
    "integer": 3,
    "number": 2.5,
    "boolean": False,
    "null": None,
}


def samples(schema: Json, count: int = 40) -> list[Json]:
    """At most *count* values: one that follows *schema*, and others that leave it at one place."""
    value = _value(schema, schema, 0)
    return [value, *islice(_mutations(schema, schema, value, 0), count - 1)]


def _value(schema: Json, root: Json, depth: int) -> Json:
    """A value that follows the shape of *schema*, though perhaps not all of its limits."""
    if not isinstance(schema, dict) or depth > 6:
        return "text"
    if "$ref" in schema:
        return _value(_target(root, str(schema["$ref"])), root, depth + 1)
    if "const" in schema or schema.get("enum"):
        return schema["const"] if "const" in schema else schema["enum"][0]
    arms = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if arms and "properties" not in schema:
        return _value(arms[0], root, depth + 1)
    declared = schema.get("type", "object" if "properties" in schema else "string")
    kind = str(declared[0] if isinstance(declared, list) else declared)
    return _of_type(kind, schema, root, depth + 1)


def _of_type(kind: str, schema: Mapping[str, Json], root: Json, depth: int) -> Json:
    match kind:
        case "object":
            properties = schema.get("properties", {})
            return {name: _value(child, root, depth) for name, child in properties.items()}
        case "array":
            item = _value(schema.get("items", True), root, depth)
            return [item] * max(1, int(schema.get("minItems", 1)))
        case "integer" | "number":
            return schema.get("minimum", _BY_TYPE[kind])
        case "string":
            return "t" * max(4, int(schema.get("minLength", 0)))
        case _:
            return _BY_TYPE.get(kind, "text")


def _mutations(schema: Json, root: Json, value: Json, depth: int) -> Iterator[Json]:
    """*value* with one thing wrong, or only different, at each place in turn, outermost first."""
    if isinstance(schema, dict) and "$ref" in schema:
        schema = _target(root, str(schema["$ref"]))
    if not isinstance(schema, dict) or depth > 4:
        return
    if isinstance(value, dict):
        yield value | {"another": 1}
        yield from ({key: value[key] for key in value if key != name} for name in value)
        yield from (value | {name: other} for other in _OTHERS for name in value)
        for name, child in schema.get("properties", {}).items():
            for inner in islice(_mutations(child, root, value.get(name), depth + 1), 6):
                yield value | {name: inner}
    elif isinstance(value, list) and value:
        yield [*value, *value]
        yield from ([item] for item in _OTHERS)
        for inner in islice(_mutations(schema.get("items", True), root, value[0], depth + 1), 6):
            yield [inner]


def _target(root: Json, reference: str) -> Json:
    for key in reference.removeprefix("#").split("/")[1:]:
        root = root[int(key)] if isinstance(root, list) else root[key]
    return root


def verdicts(schema: Json, values: list[Json], *, formats: bool = False) -> list[bool]:
    """Whether each of *values* is valid, by the dialect that *schema* declares, else 2020-12."""
    validator = jsonschema_rs.validator_for(schema, offline=True, validate_formats=formats)
    return [validator.is_valid(value) for value in values]
