"""Values written as YAML: what is read back, by which readers, and how it looks."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolkiln import source
from toolkiln.diagnostics import Level
from toolkiln.value import Json
from toolkiln.write import spec as spectext
from toolkiln.write import yaml as yamltext
from toolkiln.write.scalar import text

# Characters that begin, end or change something in YAML, beside arbitrary ones.
TEXTS = st.text(
    st.sampled_from("ab :#-?,[]{}&*!|>'\"%@`\\\n\t\r\x00\x85\u2028\ufeff0e1.~=<yN\U0001f600")
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS | TEXTS | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)
# What some reader of YAML takes for a number, a truth value, a date, nothing, or an instruction.
TREACHEROUS = (
    "NO no on Off yes y N true False null ~ 1e3 1E-3 017 0o17 0x1F 0b11 1_000 10:30 190:20:30 "
    "1.5 .5 5. +1 -0 .inf -.INF .nan 2024-01-31 2001-12-14t21:59:43.10-05:00 = << - ? : --- ... "
    "a: a:b: #a !a &a *a |a >a %a @a `a"
)
PLAIN = "a:b C#5 it's 1.2.3 v1 10:30h a-b 2-5 x_y ja $ref x-y é 日本 -a ?a :a 1a e3 Nope"


def assert_read_back(value: Json, written: str) -> None:
    document, findings = source.parse(written, "x.yaml")
    assert not [finding for finding in findings if finding.level is Level.ERROR], findings
    assert document is not None
    assert document.value == value
    assert yaml.load(written, yaml.CSafeLoader) == value


@given(VALUES)
@settings(max_examples=500)
@example({"a": "b\n c\n\n"})
@example({"a": ["  b\nc", {"d": "\n e"}]})
@example([[["a\nb"]]])
@example({"k" * 2000: {"l" * 2000: "m" * 2000}})
@example({"a": "word " * 80})
@example({"a": "word  " * 80})
@example([1e16, 1e-7, -0.0, 5.0, 10**30])
def test_every_value_is_read_back(value: Json) -> None:
    assert_read_back(value, yamltext.write(value))


@given(VALUES)
def test_empty_lines_between_entries_change_nothing(value: Json) -> None:
    outer: Json = {"toolkiln": 1, "tools": value, "$defs": {"a": value, "b": value}}
    assert_read_back(outer, yamltext.write(outer, spaced=("tools", "$defs")))


@pytest.mark.parametrize("value", TREACHEROUS.split())
def test_what_a_reader_could_take_for_something_else_is_quoted(value: str) -> None:
    assert text(value)[0] in "'\""
    assert_read_back([value, {value: value}], yamltext.write([value, {value: value}]))


@pytest.mark.parametrize("value", PLAIN.split())
def test_what_every_reader_takes_as_text_stays_plain(value: str) -> None:
    assert text(value) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("#/$defs/Money", '"#/$defs/Money"'),
        (r"^\d+$ #", r"'^\d+$ #'"),
        ('say "a: b"', """'say "a: b"'"""),
        ("", '""'),
        ("a\tb", r'"a\tb"'),
        ("it's: so", '"it\'s: so"'),
    ],
)
def test_quotes_are_those_that_need_no_escapes(value: str, written: str) -> None:
    assert text(value) == written


def test_a_spec_reads_as_if_a_person_had_written_it() -> None:
    spec: Json = {
        "tools": {
            "refund": {
                "parameters": {
                    "properties": {
                        "reason": {
                            "description": "Why.",
                            "enum": ["NO", "yes sir"],
                            "type": "string",
                        },
                        "note": {"type": "string", "description": "word " * 20 + "end"},
                    },
                    "required": ["reason"],
                },
                "description": "Refund.\n\nOnce.\n",
            },
            "status": {"output": {"type": "array", "items": {"$ref": "#/$defs/Line"}}},
        },
        "namespace": "billing",
        "toolkiln": 1,
        "$defs": {"Line": {"items": {"type": "string"}, "type": "array"}},
    }
    assert spectext.write(spec) == (
        """\
toolkiln: 1
namespace: billing

tools:
  refund:
    description: |
      Refund.

      Once.
    parameters:
      required: [reason]
      properties:
        reason: {type: string, enum: ["NO", yes sir], description: Why.}
        note:
          type: string
          description: >-
            word word word word word word word word word word word word word word word word word
            word word word end

  status:
    output: {type: array, items: {$ref: "#/$defs/Line"}}

$defs:
  Line: {type: array, items: {type: string}}
"""
    )
