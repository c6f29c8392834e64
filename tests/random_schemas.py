"""Random JSON Schemas of one small vocabulary, and values that often fit them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "c")
DEFINITIONS = ("X", "Y", "odd name/~")
TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")

scalars: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, 2, 1.0, 0.5, "", "a", "b", "ab"]
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)


def reference(name: str) -> str:
    return "#/$defs/" + name.replace("~", "~0").replace("/", "~1").replace(" ", "%20")


def _keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    named = st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    several = st.lists(inner, min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(TYPES)
            | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
            "properties": named,
            "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=1),
            "items": inner,
            "prefixItems": several,
            "minItems": st.integers(0, 3),
            "maxItems": st.integers(0, 3),
        },
    ) | st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(TYPES),
            "properties": named,
            "allOf": several,
            "anyOf": several,
            "oneOf": several,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "dependentSchemas": named,
            "unevaluatedProperties": inner,
            "default": values,
            "description": st.just("d"),
        },
    )


_leaves: st.SearchStrategy[Any] = st.one_of(
    st.booleans(),
    st.sampled_from(TYPES).map(lambda word: {"type": word}),
    st.builds(lambda value: {"const": value}, values),
    st.builds(lambda each: {"enum": each}, st.lists(values, min_size=1, max_size=3)),
    st.sampled_from(DEFINITIONS).map(lambda name: {"$ref": reference(name)}),
    st.builds(
        lambda name, more: {"$ref": reference(name), **more},
        st.sampled_from(DEFINITIONS),
        st.sampled_from([{"description": "d"}, {"required": ["a"]}, {"type": "object"}]),
    ),
)
schemas: st.SearchStrategy[Any] = st.recursive(_leaves, _keywords, max_leaves=8)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """A schema that stands alone, with definitions that may refer to each other and to it."""
    schema = draw(schemas.filter(lambda each: isinstance(each, dict)))
    return {**schema, "$defs": {name: draw(schemas) for name in DEFINITIONS}}


@st.composite
def instances(draw: st.DrawFn, document: dict[str, Any]) -> Any:
    """A value that was made with an eye on *document*."""
    return _instance(draw, document, document, 5)


def _instance(draw: st.DrawFn, document: dict[str, Any], schema: Any, depth: int) -> Any:
    if not isinstance(schema, dict) or depth == 0:
        return draw(values)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    if "$ref" in schema:
        name = next(each for each in DEFINITIONS if reference(each) == schema["$ref"])
        return _instance(draw, document, document["$defs"][name], depth - 1)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema and draw(st.booleans()):
            return _instance(draw, document, draw(st.sampled_from(schema[word])), depth - 1)
    if draw(st.integers(0, 9)) == 0:
        return draw(values)
    if "properties" in schema or schema.get("type") == "object":
        inner = schema.get("properties", {})
        kept = [name for name in inner if draw(st.booleans()) or name in schema.get("required", ())]
        return {name: _instance(draw, document, inner[name], depth - 1) for name in kept}
    if "items" in schema or "prefixItems" in schema:
        parts = [*schema.get("prefixItems", ()), *[schema.get("items", True)] * 2]
        return [
            _instance(draw, document, part, depth - 1)
            for part in parts[: draw(st.integers(0, len(parts)))]
        ]
    return draw(values)
