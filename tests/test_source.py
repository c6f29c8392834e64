from __future__ import annotations

import json
import re
import subprocess
import sys
import time

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolkiln.diagnostics import Diagnostic, Level, Span
from toolkiln.source import Document, Lines, failed, parse
from toolkiln.source.text import SIZE

# Other work on the machine is no fault of the reader.
unhurried = settings(deadline=None)
Value = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
Yamlish = st.text(st.sampled_from("abc:-#&*!|>'\"{}[],%@`\\~<? \n\t\r1.0e\ufeff\u2028é😀"))


def document(text: str, file: str = "spec.yaml") -> Document:
    parsed, found = parse(text, file)
    assert parsed is not None
    assert not failed(found)
    return parsed


@unhurried
@given(Value)
def test_json_that_we_write_is_read_back(value: object) -> None:
    assert document(json.dumps(value), "spec.json").value == value
    assert document(json.dumps(value, ensure_ascii=False, indent=2), "spec.json").value == value


@unhurried
@given(Value)
def test_yaml_that_quotes_its_texts_is_read_back(value: object) -> None:
    """PyYAML writes words of YAML 1.1 in quotes, and so every word that means something in 1.2."""
    text = yaml.safe_dump(value, allow_unicode=False, default_style='"')
    # Under a quoted default style numbers carry tags, which are refused here.
    text = re.sub(r'!!(?:int|float|bool|null) "([^"]*)"', r"\1", text)
    text = text.replace(".0e", "e") if isinstance(value, float) else text

    assert document(text).value == value


@unhurried
@given(st.integers())
def test_integers_are_exact(value: int) -> None:
    assert document(f"- {value}\n- 0x{abs(value):x}\n- 0o{abs(value):o}").value == [
        value,
        abs(value),
        abs(value),
    ]


@unhurried
@given(Yamlish | st.text())
@example("a: &a [*a]")
@example("? [")
@example("\x00")
@example("\ud800")
@example("- - -\n-")
@example("'\n")
def test_no_text_breaks_the_reader_and_every_finding_stands_in_it(text: str) -> None:
    for file in ("spec.yaml", "spec.json"):
        parsed, found = parse(text, file)

        assert parsed is not None or failed(found)
        for finding in found:
            assert_inside(finding, text)
        if parsed is not None:
            json.dumps(parsed.value, allow_nan=False).encode()


@unhurried
@given(st.binary())
def test_no_bytes_break_the_reader(data: bytes) -> None:
    for file in ("spec.yaml", "spec.json"):
        parsed, found = parse(data, file)

        assert parsed is not None or failed(found)


def assert_inside(finding: Diagnostic, text: str) -> None:
    span = finding.span
    assert span is not None
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    assert 1 <= span.line <= len(lines)
    assert 1 <= span.column <= len(lines[span.line - 1]) + 1
    assert 1 <= span.length <= max(1, len(lines[span.line - 1]) - span.column + 1)


@unhurried
@given(Value, st.booleans())
def test_every_part_of_a_json_document_has_its_place(value: object, pretty: bool) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1 if pretty else None)
    parsed = document(text, "spec.json")

    for pointer, part in parts(value):
        start, end = parsed.places.locate(pointer, key=False)
        assert json.loads(text[start:end]) == part
        if pointer and isinstance(pointer[-1], str):
            start, end = parsed.places.locate(pointer, key=True)
            assert json.loads(text[start:end]) == pointer[-1]


Printable = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E) | st.just("é"))
PrintableValue = st.recursive(
    st.none() | st.booleans() | st.integers() | Printable,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(Printable, inner, max_size=4),
    max_leaves=20,
)


@unhurried
@given(PrintableValue, st.sampled_from([None, 1]))
def test_every_part_of_a_yaml_document_has_its_place(value: object, indent: int | None) -> None:
    """Such JSON is YAML as well, and what libyaml calls the end of a value is its end."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    parsed = document(text)

    for pointer, part in parts(value):
        start, end = parsed.places.locate(pointer, key=False)
        assert json.loads(text[start:end]) == part
        if pointer and isinstance(pointer[-1], str):
            start, end = parsed.places.locate(pointer, key=True)
            assert json.loads(text[start:end]) == pointer[-1]


@pytest.mark.parametrize(
    "text",
    [
        "a: b" + " " * 1_000_000 + "#\n",
        " " * 1_000_000 + "#x",
        "a: [" + " #x]\n" * 100_000,
        "{" * 1_000_000,
        "a: &a 1\n" * 100_000,
        "? " * 100_000,
        '"' * 1_000_001,
    ],
    ids=["blanks", "indent", "comments", "braces", "anchors", "keys", "quotes"],
)
def test_long_runs_of_one_thing_take_no_long_time(text: str) -> None:
    before = time.process_time()

    parse(text, "spec.yaml")
    parse(text, "spec.json")

    assert time.process_time() - before < 10


def parts(value: object) -> list[tuple[tuple[str | int, ...], object]]:
    found: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    for pointer, part in found:
        if isinstance(part, dict):
            found += [((*pointer, key), item) for key, item in part.items()]
        elif isinstance(part, list):
            found += [((*pointer, number), item) for number, item in enumerate(part)]
    return found


TEXT = """\
tools:
  refund:
    title: Refund it   # a comment
    tags: [a, "b c"]
    long: |
      Text
"""


@pytest.mark.parametrize(
    ("pointer", "key", "place"),
    [
        ((), False, (1, 1, 6)),
        (("tools",), True, (1, 1, 5)),
        (("tools", "refund"), True, (2, 3, 6)),
        (("tools", "refund", "title"), False, (3, 12, 9)),
        (("tools", "refund", "tags"), False, (4, 11, 10)),
        (("tools", "refund", "tags", 1), False, (4, 15, 5)),
        (("tools", "refund", "tags", "1"), True, (4, 15, 5)),
        (("tools", "refund", "long"), False, (5, 11, 1)),
        (("tools", "refund", "gone", "deeper"), False, (3, 5, 30)),
        (("tools", "refund", "tags", 2), False, (4, 11, 10)),
        (("tools", "refund", "title", "x"), True, (3, 5, 5)),
    ],
)
def test_places_of_values_and_keys_and_of_what_encloses_the_absent(
    pointer: tuple[str | int, ...], key: bool, place: tuple[int, int, int]
) -> None:
    span = document(TEXT).span(*pointer, key=key)

    assert (span.line, span.column, span.length) == place


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("file", ["spec.yaml", "spec.json"])
def test_columns_count_code_points_after_any_line_break_and_mark(
    break_: str, mark: str, file: str
) -> None:
    text = f'{mark}{{"é": 1,{break_}"😀": 2, "ö": 3}}'

    assert document(text, file).span("é") == Span(file, 1, 7, 1)
    assert document(text, file).span("ö", key=True) == Span(file, 2, 9, 3)


def test_lines_are_those_of_an_editor() -> None:
    lines = Lines("a\u2028b\x0cc\r\nd\re\n")

    assert [lines[number] for number in range(6)] == ["", "a\u2028b\x0cc", "d", "e", "", ""]


def test_a_file_beyond_the_limit_is_not_parsed() -> None:
    parsed, found = parse(b" " * (SIZE + 1), "big.yaml")

    assert parsed is None
    assert [finding.rule for finding in found] == ["text-size"]


def test_values_of_an_alias_are_fresh() -> None:
    value = document("a: &x {k: []}\nb: *x").value

    assert isinstance(value, dict)
    assert value["a"] == value["b"]
    assert value["a"] is not value["b"]


def test_a_comment_is_only_a_warning() -> None:
    _, found = parse("a: see #12\n", "spec.yaml")

    assert [finding.level for finding in found] == [Level.WARNING]


@pytest.mark.parametrize("module", ["toolkiln.diagnostics", "toolkiln.source", "toolkiln.load"])
def test_importing_a_stage_loads_no_parser_and_no_validator(module: str) -> None:
    heavy = ("yaml", "jsonschema", "jsonschema_rs", "referencing", "difflib")
    program = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert done.stdout.decode().strip() == "[]"
