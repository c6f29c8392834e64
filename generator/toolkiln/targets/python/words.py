"""Python identifiers for the names of a contract.

A name depends on its own wire name and on those that it collides with, never on their order.
"""

from __future__ import annotations

import hashlib
import keyword
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from typing import Final

from toolkiln.text import Code, identifier

BUILTINS: Final = frozenset({"bool", "dict", "float", "int", "list", "str", "tuple"})
"""What annotations mention; a name in the same scope would take its meaning away."""

# As of pydantic 2; a list, because names must not change with the installed version.
_MODEL: Final = frozenset(
    [
        "construct",
        "copy",
        "dict",
        "from_orm",
        "json",
        "model_computed_fields",
        "model_config",
        "model_construct",
        "model_copy",
        "model_dump",
        "model_dump_json",
        "model_extra",
        "model_fields",
        "model_fields_set",
        "model_json_schema",
        "model_parametrized_name",
        "model_post_init",
        "model_rebuild",
        "model_validate",
        "model_validate_json",
        "model_validate_strings",
        "parse_file",
        "parse_obj",
        "parse_raw",
        "schema",
        "schema_json",
        "update_forward_refs",
        "validate",
    ]
)
FIELDS: Final = _MODEL | BUILTINS | {"kwargs"}
"""What no field of a model can be called; `kwargs` confuses pydantic's plugin for mypy."""

CLASSES: Final = frozenset(
    [
        "Annotated",
        "Any",
        "BaseModel",
        "ConfigDict",
        "Field",
        "Literal",
        "None",
        "NotRequired",
        "ToolModel",
        "True",
        "False",
        "TypeAlias",
        "TypeAliasType",
        "TypedDict",
        "Union",
    ]
)
"""What no class of a module of models can be called."""


def snake(name: str) -> str:
    """`departDate` -> `depart_date`; always an identifier, perhaps a reserved one."""
    return _sound("_".join(word.lower() for word in _words(name)), "n")


def camel(name: str) -> str:
    """`depart_date` -> `DepartDate`; always an identifier."""
    return _sound("".join(word[:1].upper() + word[1:] for word in _words(name)), "N")


def free(name: str, taken: Collection[str]) -> str:
    """*name*, with `_` behind it while it is a keyword or taken."""
    while keyword.iskeyword(name) or name in taken:
        name += "_"
    return name


def allotted(
    wires: Iterable[str], make: Callable[[str], str], taken: Collection[str] = ()
) -> dict[str, Code]:
    """An identifier for each of *wires*, unique among them, and not *taken*.

    Where several come to the same, the one that is so written keeps it and the others get four
    digits of their digest. None is the wire name of another.
    """
    made = {wire: free(make(wire), taken) for wire in wires}
    counts: dict[str, int] = {}
    for name in made.values():
        counts[name] = counts.get(name, 0) + 1
    return {
        wire: identifier(
            name
            if wire == name or (counts[name] == 1 and name not in made)
            else distinct(name, wire, made.keys() | counts.keys())
        )
        for wire, name in made.items()
    }


def distinct(name: str, wire: str, taken: Collection[str]) -> str:
    """*name* with as many digits of the digest of *wire* as make it differ from all *taken*."""
    digest = hashlib.sha256(wire.encode(errors="surrogatepass")).hexdigest()
    longer = (f"{name}_{digest[:length]}" for length in range(4, len(digest)))
    return next(made for made in longer if made not in taken)


def _words(name: str) -> list[str]:
    # Python reads identifiers in this form; two spellings of one identifier are one name.
    text = unicodedata.normalize("NFKC", name)
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text)
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", text)
    return [word for word in re.split(r"[\W_]+", text) if word]


def _sound(name: str, start: str) -> str:
    normal = unicodedata.normalize("NFKC", name)
    kept = "".join(letter for letter in normal if f"a{letter}".isidentifier())
    return kept if kept.isidentifier() else f"{start}{kept}"
