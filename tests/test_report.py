from __future__ import annotations

import json
import time

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from tests.support import REPOSITORY
from toolkiln import report
from toolkiln.diagnostics import Diagnostic, Level, Rule, Span
from toolkiln.rules import all_rules

KEY = Rule("key-unknown", Level.ERROR, "A key means nothing.")
OPEN = Rule("object-open", Level.WARNING, "An object is open.")


def shown(line: str, column: int, length: int = 1) -> list[str]:
    found = KEY.at(Span("f", 1, column, length), "No.")
    return report.text([found], {"f": line}).splitlines()[1:]


def test_a_finding_is_a_place_a_line_a_caret_and_a_hint() -> None:
    found = KEY.at(Span("a.yaml", 2, 3, 4), "`naem` is no key.", hint="Did you mean `name`?")
    assert report.text([found], {"a.yaml": "x: 1\n  naem: 2\n"}) == (
        "a.yaml:2:3: error key-unknown: `naem` is no key.\n"
        "  2 |   naem: 2\n"
        "    |   ^^^^\n"
        "  hint: Did you mean `name`?\n"
    )


def test_a_finding_without_a_place_or_a_source_has_no_excerpt() -> None:
    assert report.text([KEY.at(None, "No.")], {}) == "error key-unknown: No.\n"
    assert report.text([KEY.at(Span("f", 9, 1), "No.")], {"f": ""}).count("\n") == 1
    assert report.text([KEY.at(Span("f", 1, 1), "No.")], {}).count("\n") == 1


def test_the_caret_stands_under_wide_and_combining_characters_and_tabs() -> None:
    assert shown("日本: x", 5) == ["  1 | 日本: x", "    |       ^"]
    assert shown("a: 日本", 4, 2) == ["  1 | a: 日本", "    |    ^^^^"]
    assert shown("e\u0301: x", 5) == ["  1 | e\u0301: x", "    |    ^"]
    assert shown("\tx", 2) == ["  1 |     x", "    |     ^"]


def test_the_caret_may_stand_behind_the_end() -> None:
    assert shown("ab", 3) == ["  1 | ab", "    |   ^"]
    assert shown("ab", 9, 9) == ["  1 | ab", "    |   ^"]
    assert shown("ab\r", 2, 9) == ["  1 | ab", "    |  ^"]


def test_control_and_bidirectional_characters_are_spelled_out() -> None:
    assert shown("a\x1b[2J\u202eb", 7) == ["  1 | a\\x1b[2J\\u202eb", "    |               ^"]
    found = KEY.at(Span("f\n", 1, 1), "m\x07\u2028", hint="h\u2066")
    assert report.text([found], {}) == (
        "f\\n:1:1: error key-unknown: m\\x07\\u2028\n  hint: h\\u2066\n"
    )


def test_lines_end_as_parsers_end_them() -> None:
    found = KEY.at(Span("f", 4, 1), "No.")
    assert "  4 | d" in report.text([found], {"f": "a\rb\r\nc\u2028\x0b\nd"})


def test_a_long_line_is_cut_around_the_caret() -> None:
    line, caret = shown("x" * 500 + "HERE" + "y" * 500, 501, 4)
    assert "HERE" in line
    assert len(line) < 120
    assert line[caret.index("^") :].startswith("HERE")
    assert caret.count("^") == 4


@given(st.text(max_size=300), st.integers(1, 320), st.integers(0, 400))
def test_no_line_breaks_the_report(line: str, column: int, length: int) -> None:
    line = line.replace("\n", "").replace("\r", "")
    lines = shown(line, column, length)
    assert len(lines) == 2
    assert all(text.isprintable() for text in lines if "\u00a0" not in text and text.isascii())
    assert lines[1].strip(" |").strip("^") == ""


def test_the_summary_counts_what_there_is() -> None:
    note = Diagnostic("n", Level.NOTE, "", None)
    assert report.summary([]) == ""
    assert report.summary([KEY.at(None, "")]) == "1 error"
    assert (
        report.summary([note, OPEN.at(None, ""), KEY.at(None, ""), note])
        == "1 error, 1 warning, 2 notes"
    )


def test_color_only_if_asked() -> None:
    found = [KEY.at(Span("f", 1, 1), "No.")]
    assert "\x1b" not in report.text(found, {"f": "x"})
    assert "\x1b[1;31merror\x1b[0m" in report.text(found, {"f": "x"}, color=True)


def test_json_is_valid_under_the_published_schema() -> None:
    schema = json.loads((REPOSITORY / "schemas" / "diagnostics.schema.json").read_text())
    found = [KEY.at(Span("f", 3, 4, 5), "m\u202e", hint="h", tool="a.b"), OPEN.at(None, "n")]
    document = json.loads(report.json_text(found))
    jsonschema.validate(document, schema)
    assert document["summary"] == {"errors": 1, "warnings": 1, "notes": 0}
    assert document["diagnostics"][0] == {
        "rule": "key-unknown",
        "level": "error",
        "message": "m\u202e",
        "file": "f",
        "line": 3,
        "column": 4,
        "length": 5,
        "hint": "h",
        "tool": "a.b",
    }


def test_every_rule_of_the_generator_is_in_the_table() -> None:
    rules = all_rules()
    assert {"project-key-unknown", "output-edited"} <= rules.keys()
    assert list(rules) == sorted(rules)
    assert all(rule.summary.endswith(".") for rule in rules.values())


def test_a_thousand_findings_in_one_long_line_take_no_thousand_lines_of_time() -> None:
    line = "x" * 2_000_000
    found = [KEY.at(Span("f", 1, column * 1000), "No.") for column in range(1, 1000)]
    started = time.process_time()
    report.text(found, {"f": line})
    assert time.process_time() - started < 5
