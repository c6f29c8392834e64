"""Tool lists of MCP servers as specs: what is kept, what is said to be lost, and same verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.samples import samples, verdicts
from tests.support import REPOSITORY, SHARED
from tests.support_bfcl import specs
from toolkiln import source, spectext
from toolkiln.contract import Json
from toolkiln.diagnostics import Diagnostic, Level
from toolkiln.imports import RULES, Loss, read
from toolkiln.imports.mcp import convert

CASES = REPOSITORY / "tests" / "cases" / "import"
SERVERS = sorted(
    path for path in (SHARED / "corpus" / "mcp").glob("*.json") if path.stem != "index"
)
HARD = sorted((SHARED / "corpus" / "hard").glob("*/case.json"))
_COMPOSED = {"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "additionalProperties"}


def test_a_case_becomes_the_spec_and_the_findings_beside_it(
    case: Path, update_golden: bool
) -> None:
    data = (case / "input.json").read_bytes()
    spec, findings = read(data, "input.json", case.name, convert)
    written = {
        "spec.yaml": "" if spec is None else spectext.write(spec),
        "findings.txt": "".join(map(_line, findings)),
    }
    for name, text in written.items():
        if update_golden:
            (case / name).write_text(text)
        assert (case / name).read_text() == text


@pytest.fixture(params=sorted(path.name for path in CASES.iterdir()))
def case(request: pytest.FixtureRequest) -> Path:
    return CASES / str(request.param)


def _line(finding: Diagnostic) -> str:
    span = finding.span
    place = f"{span.line}:{span.column}" if span else "-"
    hint = f" | {finding.hint}" if finding.hint else ""
    return f"{place} {finding.level} {finding.rule} [{finding.tool}] {finding.message}{hint}\n"


def test_each_rule_has_a_case_that_finds_it() -> None:
    found = "".join(path.read_text() for path in CASES.glob("*/findings.txt"))
    assert [rule.id for rule in RULES if f" {rule.id} " not in found] == []


@pytest.mark.parametrize("server", SERVERS, ids=lambda path: path.stem)
def test_a_server_keeps_all_its_tools_and_their_verdicts(server: Path) -> None:
    document = json.loads(server.read_text())
    spec, losses = convert(document, server.stem)
    assert spec is not None
    assert [loss for loss in losses if loss.rule.level is Level.ERROR] == []
    assert list(spec["tools"]) == [tool["name"] for tool in document["tools"]]
    for tool in document["tools"]:
        converted = spec["tools"][tool["name"]]
        assert converted.get("description") == (tool["description"] or None)
        assert_same_verdicts(tool["inputSchema"], _understood(converted.get("parameters", {})))
        if "outputSchema" in tool:
            assert_same_verdicts(tool["outputSchema"], converted["output"])
    parsed, findings = source.parse(spectext.write(spec), "x.yaml")
    assert findings == []
    assert parsed is not None
    assert parsed.value == spec


def assert_same_verdicts(published: Json, converted: Json) -> None:
    values = samples(published)
    try:
        expected = verdicts(published, values)
    except ValueError:
        # No validator takes the published schema; that is why it was changed.
        assert published != converted
        verdicts(converted, values)
    else:
        assert verdicts(converted, values) == expected


def _understood(parameters: Json) -> Json:
    """*parameters* with what the spec format understands at their root."""
    assert isinstance(parameters, dict)
    closed = {} if parameters.keys() & _COMPOSED else {"additionalProperties": False}
    return {"type": "object", **closed, **parameters}


@pytest.mark.parametrize("path", HARD, ids=lambda path: path.parent.name)
def test_a_hard_schema_keeps_its_verdicts_or_is_reported(path: Path) -> None:
    case = json.loads(path.read_text())
    schema = json.loads((path.parent / case["main"]).read_text())
    tool = {"name": "tool", "inputSchema": {"type": "object"}, "outputSchema": schema}
    spec, losses = convert([tool], "hard")
    assert spec is not None
    if case["schema_must_be_refused"]:
        assert losses
    if not spec["tools"]:
        assert any(loss.rule.level is Level.ERROR for loss in losses)
        return
    rewritten = [loss for loss in losses if loss.rule.level is not Level.NOTE]
    if rewritten or "output" not in spec["tools"]["tool"]:
        return
    output = spec["tools"]["tool"]["output"]
    assert all(verdicts(output, case["accept"]))
    assert not any(verdicts(output, case["reject"]))


KEYS = (
    "name inputSchema outputSchema annotations title description type properties required items "
    "anyOf $ref $schema $id $defs nullable enum exclusiveMinimum dependencies pattern "
    "patternProperties additionalProperties examples x-sensitive id"
)
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["object", "#", "#/$defs/a", "http://json-schema.org/draft-07/schema#"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=3) | st.sampled_from(KEYS.split()),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@given(JUNK, JUNK)
@settings(max_examples=300)
def test_no_input_is_too_malformed_for_findings(document: Json, schema: Json) -> None:
    for value in (document, {"tools": document}, [{"name": "a", "inputSchema": schema}]):
        spec, losses = convert(value, "x")
        assert spec is not None or losses
        if spec is not None:
            parsed, findings = source.parse(spectext.write(spec), "x.yaml")
            assert findings == []
            assert parsed is not None
            assert parsed.value == spec


def _deep(depth: int) -> Iterator[bytes]:
    yield b'[{"name": "a", "inputSchema": ' + b'{"not":' * depth + b"{}" + b"}" * depth + b"}]"
    yield b"[" * depth + b"]" * depth
    yield b'{"error": ' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"


@pytest.mark.parametrize("depth", [90, 150, 1_000, 100_000])
def test_no_input_is_too_deep_for_findings(depth: int) -> None:
    for data in _deep(depth):
        spec, findings = read(data, "deep.json", "deep", convert)
        assert all(finding.span is not None for finding in findings)
        assert bool(findings) != bool(spec and spec["tools"])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff",
        b'{"tools": [}',
        b'[{"name": NaN}]',
        b'{"tools": 1e999}',
        b"[" + b"9" * 5000,
    ],
)
def test_broken_files_are_findings_with_a_place(data: bytes) -> None:
    _, findings = read(data, "broken.json", "broken", convert)
    assert findings
    assert findings[0].span is not None


def test_a_large_list_takes_time_in_proportion() -> None:
    tools = [
        {"name": f"t{n}", "inputSchema": {"properties": {"a": {"$ref": "#/properties/b"}, "b": {}}}}
        for n in range(3_000)
    ]
    wide = {"properties": {f"p{n}": {"$ref": "#/$defs/p", "type": "string"} for n in range(3_000)}}
    wide |= {"$defs": {"p": {"minLength": 1}}}
    spec, losses = convert([*tools, {"name": "wide", "inputSchema": wide}], "large")
    assert spec is not None
    assert len(spec["tools"]) == 3_001
    assert losses == []


def test_the_input_stays_as_it_is() -> None:
    document = json.loads((CASES / "sloppy" / "input.json").read_text())
    before = json.dumps(document)
    convert(document, "x")
    assert json.dumps(document) == before


def test_a_loss_names_its_place_without_control_characters() -> None:
    loss = Loss(RULES[0], ("tools", 3, "a\nb"), "gone")
    assert loss.place == r"tools/3/a\nb"


def test_all_functions_of_the_leaderboard_convert_without_a_loss(shared: Path) -> None:
    functions = json.loads((shared / "corpus" / "bfcl" / "functions.json").read_text())
    made = list(specs(functions))
    assert [loss for _, losses in made for loss in losses] == []
    assert sum(len(spec["tools"]) for spec, _ in made) == len(functions)


def test_functions_with_types_of_python_mean_what_they_were_normalised_to(shared: Path) -> None:
    functions = json.loads((shared / "corpus" / "bfcl" / "functions.json").read_text())
    left_out = 0
    for function in functions[::5]:
        spec, losses = convert([{"name": "f", "inputSchema": function["raw"]["parameters"]}], "raw")
        assert spec is not None
        assert losses
        if not spec["tools"]:
            left_out += 1
            continue
        assert_same_verdicts(
            {"type": "object", **function["parameters"]},
            _understood(spec["tools"]["f"].get("parameters", {})),
        )
    assert left_out == 0
