"""Names of types that authors write in schemas although JSON Schema has others for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

JSON_TYPES: Final = frozenset({"string", "integer", "number", "boolean", "null", "object", "array"})

PSEUDO_TYPES: Final[Mapping[str, str]] = {
    **{name: name for name in JSON_TYPES},  # Gemini spells them in capitals
    **dict.fromkeys(("dict", "map", "mapping", "hashmap", "hashtable", "record"), "object"),
    **dict.fromkeys(("list", "tuple", "arraylist"), "array"),
    **dict.fromkeys(("str", "text"), "string"),
    **dict.fromkeys(("int", "long", "short", "int32", "int64"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    "bool": "boolean",
    **dict.fromkeys(("none", "nonetype", "nil"), "null"),
    "any": "any",
}
"""By their name in lower case; `any` is no type and means that none is checked."""
