"""Text from a contract stays inside the literal, docstring or comment that it was put in."""

from __future__ import annotations

import ast
import json
import re
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkiln import text
from toolkiln.value import Json

HOSTILE = (
    '"""',
    '\\"""',
    '"',
    '""',
    "'''",
    "\\",
    "a\\",
    'a"',
    '\\"',
    "\n",
    "a\nb",
    "\r\nimport os",
    "\x00",
    "\x1b[31m",
    "\u202eevil\u202c",
    "\u2028import os",
    "\x85import os",
    "\ufeff",
    "{{ x }}{% if %}",
    "# noqa",
    "coding: latin-1",
    "type: ignore",
    "\\N{BULLET} \\x41 \\u0041",
    "%s {0} ${x}",
    "\ud800",
    "\U000e0041",
)
texts = (
    st.text(max_size=60)
    | st.sampled_from(HOSTILE)
    | st.lists(st.sampled_from(HOSTILE), max_size=4).map("".join)
)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
json_values = st.recursive(
    scalars.filter(lambda value: value not in {float("inf"), -float("inf")}),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_a_literal_reads_back_as_the_same_value_of_the_same_types(value: Json) -> None:
    code = text.literal(value)
    assert repr(ast.literal_eval(code)) == repr(value)


@given(st.tuples(texts, st.tuples(texts), st.tuples()))
def test_a_tuple_stays_a_tuple(value: tuple[object, ...]) -> None:
    assert ast.literal_eval(text.literal(value)) == value


def test_an_integer_of_any_size_is_a_literal() -> None:
    assert ast.literal_eval(text.literal(7**20_000)) == 7**20_000


@given(texts | st.text(alphabet="ab \n", min_size=100, max_size=300))
def test_a_paragraph_reads_back_whole(value: str) -> None:
    assert ast.literal_eval(text.paragraph(value)) == value


def test_a_paragraph_is_broken_where_it_has_spaces() -> None:
    pieces = re.findall('"([^"]*)"', text.paragraph("word " * 60))
    assert len(pieces) > 3
    assert all(len(piece) <= 80 and piece.endswith(" ") for piece in pieces)


@given(texts)
def test_a_docstring_is_one_statement_with_the_words_of_its_text(value: str) -> None:
    code = text.docstring(value)
    tree = ast.parse(f"class A:\n    {code}\n    x = 1\n")
    (made,) = tree.body
    assert isinstance(made, ast.ClassDef)
    assert len(made.body) == (2 if value.split() else 1)
    assert (ast.get_docstring(made) or "").split() == value.split()


def test_a_docstring_keeps_lines_and_paragraphs_that_fit() -> None:
    source = "class A:\n    " + text.docstring("One.\n\n  - two\n    three\n\n\n\nfour  \n")
    doc = ast.get_docstring(cast("ast.ClassDef", ast.parse(source).body[0]))
    assert doc == "One.\n\n  - two\n    three\n\nfour"


def test_long_lines_of_a_docstring_are_wrapped_below_their_bullet() -> None:
    code = text.docstring("Known:\n- " + "word " * 40)
    lines = code.split("\n")
    assert max(map(len, lines)) <= text.WIDTH - 4
    assert lines[2].startswith("      word")


@given(texts)
def test_a_comment_is_one_line_and_no_directive(value: str) -> None:
    code = text.comment(value)
    assert len(code.splitlines()) == 1
    assert "#" not in code[1:]
    assert not re.search(r"coding[:=]", code, re.IGNORECASE)
    assert ast.dump(ast.parse(f"{code}\nx = 1\n")) == ast.dump(ast.parse("\nx = 1\n"))


@given(json_values, st.sampled_from([4, 8]))
def test_json_text_is_a_string_of_json_that_decodes_to_the_same_value(
    value: Json, indent: int
) -> None:
    read = ast.literal_eval(text.json_text(value, indent))
    assert repr(json.loads(read)) == repr(value)


@given(texts)
def test_no_generated_code_holds_what_cannot_be_seen(value: str) -> None:
    unseen = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
    made = (
        text.literal(value),
        text.paragraph(value * 5),
        text.docstring(value),
        text.comment(value),
        text.json_text({value: [value] * 30}),
    )
    assert not any(unseen.search(code) for code in made)


def test_long_json_is_laid_out_for_people() -> None:
    value = {"type": "object", "properties": {name * 9: {"type": "string"} for name in "abc"}}
    lines = text.json_text(value, 4).split("\n")
    assert lines[0] == 'r"""'
    assert lines[2:4] == ['      "type": "object",', '      "properties": {']
    assert all(line.startswith("    ") for line in lines[1:])


@pytest.mark.parametrize("name", ["class", "a b", "", "1a", "a\n"])
def test_what_is_no_identifier_does_not_become_one(name: str) -> None:
    with pytest.raises(ValueError, match="is no identifier"):
        text.identifier(name)


def test_visible_source_means_the_same() -> None:
    source = 'x = "a\u202eb"\ny = 1\n'
    assert text.visible(source) == 'x = "a\\u202eb"\ny = 1\n'
