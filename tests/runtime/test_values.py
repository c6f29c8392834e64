from __future__ import annotations

import datetime as dt
import enum
import json
import math
import uuid
from collections import UserDict, namedtuple
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from toolkiln_runtime.values import DEPTH, SIZE, InvalidJson, dotted, encode, parse, strict

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
FINITE = SCALARS.filter(lambda value: not isinstance(value, float) or math.isfinite(value))
JSON = st.recursive(FINITE, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner))

Pair = namedtuple("Pair", "a b")  # noqa: PYI024 - the old kind, as handlers have it


class Word(enum.StrEnum):
    YES = "yes"


class Colour(enum.Enum):
    RED = "red"


class Lying(dict[str, Any]):
    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


WRONG = [
    math.nan,
    math.inf,
    {"a": [-math.inf]},
    "\ud800",
    {"\ud800": 1},
    b"x",
    bytearray(b"x"),
    {1, 2},
    frozenset(),
    (1, 2),
    [(1,)],
    Pair(1, 2),
    {1: 2},
    {1.5: 2},
    {True: 1},
    {None: 1},
    Decimal("1.5"),
    dt.datetime(2020, 1, 1),  # noqa: DTZ001
    dt.date(2020, 1, 1),
    dt.timedelta(1),
    uuid.UUID(int=1),
    Colour.RED,
    UserDict(a=1),
    object(),
    range(3),
]


@given(JSON)
def test_E5_strict_json_is_copied_exactly(value: Any) -> None:
    copy = strict(value)
    assert copy == value
    assert encode(copy) == encode(strict(copy))
    assert json.loads(encode(copy)) == value


@given(JSON)
def test_E5_text_of_strict_json_parses_to_the_same_value(value: Any) -> None:
    assert parse(json.dumps(value).encode()) == value


@given(st.recursive(SCALARS | st.binary() | st.dates(), lambda x: st.lists(x) | st.tuples(x)))
def test_E5_anything_else_is_refused_and_never_converted(value: Any) -> None:
    try:
        copy = strict(value)
    except InvalidJson:
        return
    assert copy == value


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_E5_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(InvalidJson):
        strict(value)
    with pytest.raises(InvalidJson):
        strict({"deep": [value]})


@pytest.mark.parametrize("value", [Word.YES, Lying(a=1), [Lying()]])
def test_E5_subclasses_of_json_types_become_their_base_type(value: Any) -> None:
    copy = strict(value)
    assert type(copy) in {str, dict, list}
    assert json.dumps(copy) == json.dumps(value)


def test_E5_later_changes_do_not_show_in_a_copy() -> None:
    value = {"a": [{"b": 1}]}
    copy = strict(value)
    value["a"][0]["b"] = 2
    assert copy == {"a": [{"b": 1}]}


def test_E5_a_cycle_is_refused() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    with pytest.raises(InvalidJson, match="nested deeper"):
        strict(cycle)


def nested(levels: int, leaf: Any = None, *, objects: bool = False) -> Any:
    value = leaf
    for _ in range(levels):
        value = {"k": value} if objects else [value]
    return value


@pytest.mark.parametrize("objects", [False, True])
@pytest.mark.parametrize("leaf", [0, "[", [], {}])
def test_E5_exactly_200_levels_are_accepted(leaf: Any, objects: bool) -> None:
    deepest = DEPTH - (1 if leaf in ([], {}) and leaf != 0 else 0)
    for padding in ([], ["[[[{{{" * 50]):
        ok = [nested(deepest - 1, leaf, objects=objects), *padding]
        assert strict(ok) == ok
        assert parse(json.dumps(ok).encode()) == ok
        deep = [nested(deepest, leaf, objects=objects), *padding]
        for refuse in (strict, lambda value: parse(json.dumps(value).encode())):
            with pytest.raises(InvalidJson, match="nested deeper"):
                refuse(deep)


@pytest.mark.parametrize("levels", [900, 5_000, 100_000])
def test_E5_very_deep_values_do_not_crash(levels: int) -> None:
    with pytest.raises(InvalidJson):
        strict(nested(levels))
    with pytest.raises(InvalidJson):
        parse(b"[" * levels + b"]" * levels)


@pytest.mark.parametrize(
    "text",
    ["NaN", "Infinity", "-Infinity", "1e400", '"\\ud800"', "[1,]", "{}{}", "", "'a'", "\ufeff{}"],
)
def test_S1_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidJson):
        parse(text.encode())


def test_S1_a_repeated_key_takes_its_last_value() -> None:
    assert parse(b'{"a": 1, "a": 2}') == {"a": 2}


def test_S1_big_integers_are_exact() -> None:
    assert parse(b"18446744073709551617") == 2**64 + 1


def test_S1_a_text_over_the_size_limit_is_refused() -> None:
    with pytest.raises(InvalidJson, match="longer than"):
        parse(b'"' + b"x" * SIZE + b'"')
    with pytest.raises(InvalidJson, match="longer than"):
        strict(["x" * SIZE])


class Inner(BaseModel):
    pair: tuple[int, int]
    extra: Any = None


def test_E5_models_are_dumped_wherever_they_stand() -> None:
    assert strict(Inner(pair=(1, 2))) == {"pair": [1, 2]}
    assert strict([Inner(pair=(1, 2))]) == [{"pair": [1, 2]}]
    assert strict({"a": {"b": Inner(pair=(1, 2), extra=3)}}) == {
        "a": {"b": {"pair": [1, 2], "extra": 3}}
    }


@pytest.mark.parametrize("extra", [math.nan, {1}, dt.date(2020, 1, 1), b"x", {1: 2}])
def test_E5_a_model_hides_nothing_that_is_not_json(extra: Any) -> None:
    for value in (Inner(pair=(1, 2), extra=extra), [Inner(pair=(1, 2), extra=[extra])]):
        with pytest.raises(InvalidJson):
            strict(value)


def test_paths_read_like_the_values_are_written() -> None:
    assert dotted([]) == "(root)"
    assert dotted(["amount", "cents"]) == "amount.cents"
    assert dotted(["items", 0, "odd name"]) == 'items[0]["odd name"]'
    assert len(dotted(["x" * 1_000])) < 100
    assert dotted(["\ud800"]) == '["\\\\ud800"]'
