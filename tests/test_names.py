"""Identifiers: valid, unique, and independent of everything but collisions."""

from __future__ import annotations

import keyword
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from toolkiln.names import (
    Claim,
    Style,
    allocate,
    camel,
    constant,
    fields,
    lower_camel,
    snake,
    words,
)

FIELDS = Style(snake, frozenset({*keyword.kwlist, "copy", "schema"}))
CLASSES = Style(camel, frozenset({"BaseModel", "None"}), prefix="T", fallback="Type")

wires = st.lists(
    st.text(max_size=6)
    | st.sampled_from(
        [
            "a",
            "A",
            "a_",
            "_a",
            "a-b",
            "a_b",
            "aB",
            "a.b",
            "class",
            "Class",
            "class_",
            "ﬁ",
            "fi",
            "copy",
            "1",
            "n1",
            "",
            "💞",
            "ª",
            "İ",
            "ß",
            "departDate",
            "depart_date",
        ]
    ),
    unique=True,
    max_size=8,
)


def test_words_are_split_at_humps_and_punctuation() -> None:
    assert words("departDate") == ["depart", "Date"]
    assert words("HTTPServer2x") == ["HTTP", "Server2x"]
    assert words("filter[name]") == ["filter", "name"]
    assert words("__a  b__") == ["a", "b"]


def test_cases_spell_the_same_words_differently() -> None:
    parts = ["depart", "Date"]
    assert snake(parts) == "depart_date"
    assert camel(parts) == "DepartDate"
    assert lower_camel(parts) == "departDate"
    assert constant(parts) == "DEPART_DATE"


def test_a_reserved_word_gets_an_underscore() -> None:
    assert fields(["class", "copy", "x"], FIELDS) == {"class": "class_", "copy": "copy_", "x": "x"}


def test_a_digit_does_not_come_first() -> None:
    assert fields(["1st"], FIELDS) == {"1st": "n1st"}
    assert CLASSES.of(("1st", "args")) == "T1stArgs"


def test_the_exact_wire_name_wins_and_the_others_are_told_apart() -> None:
    found = fields(["foo-bar", "foo_bar", "foo.bar"], FIELDS)
    assert found["foo_bar"] == "foo_bar"
    assert found["foo-bar"].startswith("foo_bar_")
    assert len(set(found.values())) == 3


def test_without_an_exact_name_nobody_wins() -> None:
    found = fields(["foo-bar", "foo.bar"], FIELDS)
    assert all(len(name) == len("foo_bar_1234") for name in found.values())


def test_a_name_without_letters_is_named_by_its_digest() -> None:
    alone = fields(["💞"], FIELDS)["💞"]
    assert alone.startswith("field_")
    assert fields(["💞", "🔥"], FIELDS)["💞"] == alone


def test_ranks_decide_before_spelling() -> None:
    claims = {
        1: Claim(("Money",), "n#/$defs/Money", rank=0),
        2: Claim(("money",), "n#/tools/money/output", rank=1),
        3: Claim(("mo", "ney"), "n#/x", rank=0),
    }
    found = allocate(claims, CLASSES)
    assert found[1] == "Money"
    assert found[2].startswith("Money_")
    assert found[3] == "MoNey"


def test_in_one_rank_the_exact_spelling_wins() -> None:
    claims = {1: Claim(("money",), "a"), 2: Claim(("Money",), "b"), 3: Claim(("MONEY",), "c")}
    assert allocate(claims, CLASSES)[2] == "Money"


@given(wires)
def test_identifiers_are_valid_unique_and_nobody_elses_wire_name(names: list[str]) -> None:
    found = fields(names, FIELDS)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    for wire, name in found.items():
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
        assert unicodedata.normalize("NFKC", name) == name
        assert not name.startswith("_")
        assert name not in FIELDS.reserved
        assert name == wire or name not in names


@given(wires, st.randoms())
def test_order_does_not_matter(names: list[str], random: object) -> None:
    shuffled = list(names)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fields(shuffled, FIELDS) == fields(names, FIELDS)


@given(wires, st.text(max_size=6))
def test_another_name_changes_only_names_that_it_collides_with(
    names: list[str], other: str
) -> None:
    before = fields(names, FIELDS)
    after = fields([*names, other], FIELDS)
    same = {FIELDS.of((other,)), other}
    for wire, name in before.items():
        if FIELDS.of((wire,)) not in same:
            assert after[wire] == name


def test_a_reserved_spelling_is_left_even_where_the_one_after_it_is_taken_too() -> None:
    style = Style(snake, frozenset({"models", "models_"}))
    assert fields(["models"], style) == {"models": "models__"}
