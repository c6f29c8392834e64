"""Values that a schema accepts, made up for tests.

They are built from what the schema says and then checked with the exact validator, so what comes
out is valid; schemas that say too much in too many places may have none that is found.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from .contract import Schema
from .documents import parts
from .numbers import number
from .strings import text
from .validators import Validator, build, fresh_document, validator
from .values import encode, is_array, is_object, same, strict

TRIES: Final = 200
_DEPTH: Final = 6
_HINTS: Final = {
    "object": ("properties", "required", "minProperties", "additionalProperties"),
    "array": ("items", "prefixItems", "minItems", "contains", "uniqueItems"),
    "string": ("pattern", "minLength", "maxLength", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")


class NoSample(LookupError):  # noqa: N818 - says what was found
    """No value was found that the schema accepts."""


def fake(schema: Schema | Mapping[str, Any] | bool, *, seed: object = 0) -> Any:  # noqa: FBT001
    """A value that *schema* accepts, always the same for one *seed*; raises NoSample."""
    checks: Validator
    if isinstance(schema, Schema):
        document, checks = fresh_document(schema), validator(schema)
    else:
        copy = strict(dict(schema)) if isinstance(schema, Mapping) else schema
        document = fresh_document(Schema(encode(copy).decode()))
        checks = build(copy, formats=True)
    for number_ in range(TRIES):
        # The first one is as small as can be; the others differ from each other.
        sampler = _Sampler(document, Random(f"{seed}/{number_}"), bare=number_ == 0)  # noqa: S311
        value = sampler.value(document, 0)
        if checks.accepts(value):
            return value
    raise NoSample("No valid value was found for the schema.")


class _Sampler:
    """Makes one value."""

    def __init__(self, root: Any, random: Random, *, bare: bool) -> None:
        self._root = root
        self._random = random
        self._bare = bare

    def value(self, schema: Any, depth: int) -> Any:
        facts = self._facts(schema)
        for key in ("const", "enum"):
            if key in facts:
                options = [facts[key]] if key == "const" else facts[key]
                return self._random.choice(options) if options else None
        if not self._bare and self._random.random() < 1 / 4:
            # What an author wrote down is the best sample, and often the only one that makes sense.
            written = [
                *facts.get("examples", ()),
                *([facts["default"]] if "default" in facts else []),
            ]
            if written:
                return self._random.choice(written)
        return self._of_type(self._type(facts), facts, depth)

    def _of_type(self, name: str, facts: dict[str, Any], depth: int) -> Any:
        match name:
            case "object":
                return self._object(facts, depth)
            case "array":
                return self._array(facts, depth)
            case "string":
                return text(facts, self._random)
            case "integer" | "number":
                return number(facts, self._random, whole=name == "integer" or self._bare)
            case "boolean":
                return self._random.random() < 1 / 2
            case _:
                return None

    def _facts(self, schema: Any) -> dict[str, Any]:
        """All that is said about a value, with one arm of each union."""
        facts: dict[str, Any] = {}
        waiting = [schema]
        while waiting:
            for part in parts(self._root, waiting.pop(), unsure=False):
                unions = (part[key] for key in ("anyOf", "oneOf") if part.get(key))
                waiting.extend(map(self._random.choice, unions))
                if "if" in part:
                    waiting.append(part.get("then", True))
                for key, said in part.items():
                    facts[key] = _both(key, facts[key], said) if key in facts else said
        return facts

    def _type(self, facts: dict[str, Any]) -> str:
        said = facts.get("type")
        if isinstance(said, str):
            return said
        if is_array(said) and said:
            return str(self._random.choice(said))
        for name, keys in _HINTS.items():
            if any(key in facts for key in keys):
                return name
        return "string" if self._bare else self._random.choice(_TYPES)

    def _object(self, facts: dict[str, Any], depth: int) -> dict[str, Any]:
        known = facts.get("properties", {})
        names = list(facts.get("required", ()))
        if not self._bare and depth < _DEPTH:
            names += [name for name in known if self._random.random() < 1 / 2]
        for name in list(names):
            names += facts.get("dependentRequired", {}).get(name, ())
        count, spare = facts.get("minProperties", 0), iter(known)
        while len(set(names)) < count:
            names.append(next(spare, f"extra_{len(names)}"))
        other = facts.get("additionalProperties", True)
        return {
            name: self.value(known.get(name, other), depth + 1) for name in dict.fromkeys(names)
        }

    def _array(self, facts: dict[str, Any], depth: int) -> list[Any]:
        first = list(facts.get("prefixItems", ()))
        least, most = facts.get("minItems", 0), facts.get("maxItems", 5)
        count = least
        if not self._bare and depth < _DEPTH and most > least:
            count = self._random.randint(least, min(most, least + 3))
        items = facts.get("items", True)
        made: list[Any] = []
        if "contains" in facts and not (first and count <= len(first)):
            needed = facts.get("minContains", 1)
            made = [self.value(facts["contains"], depth + 1) for _ in range(needed)]
            count = max(count, len(made))
        for index in range(len(made), count):
            schema = first[index] if index < len(first) else items
            value = self.value(schema, depth + 1)
            if not facts.get("uniqueItems") or not any(same(value, other) for other in made):
                made.append(value)
        return made


def _both(key: str, one: Any, other: Any) -> Any:
    """What holds if *key* says *one* and also says *other*."""
    if key.startswith("min") or key == "exclusiveMinimum":
        return max(one, other)
    if key.startswith("max") or key == "exclusiveMaximum":
        return min(one, other)
    if key == "required":
        return [*one, *(name for name in other if name not in one)]
    if key == "properties" and is_object(one) and is_object(other):
        return {
            **one,
            **{
                name: {"allOf": [one[name], said]} if name in one else said
                for name, said in other.items()
            },
        }
    if key == "enum":
        return [option for option in one if any(same(option, said) for said in other)]
    if key == "type":
        kinds = [one] if isinstance(one, str) else one
        allowed = [other] if isinstance(other, str) else other
        return [kind for kind in kinds if kind in allowed] or one
    if key in ("items", "additionalProperties") and is_object(one):
        return {"allOf": [one, other]}
    return other
