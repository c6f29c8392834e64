"""Tool lists of MCP servers as specs: what is kept, what is said to be lost, and same verdicts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.samples import samples, verdicts
from tests.support import REPOSITORY, SHARED
from tests.support_bfcl import specs
from toolkiln.contract import Contract, Schema
from toolkiln.diagnostics import Diagnostic, Level, ordered
from toolkiln.imports import RULES, Loss, read
from toolkiln.imports.mcp import convert
from toolkiln.load import load
from toolkiln.lower import lower
from toolkiln.proof import refusals
from toolkiln.value import Json
from toolkiln.write import spec as spectext

checked = partial(convert, refusals=refusals)
CASES = REPOSITORY / "tests" / "cases" / "import"
SERVERS = sorted(
    path for path in (SHARED / "corpus" / "mcp").glob("*.json") if path.stem != "index"
)
SUITE = sorted((SHARED / "corpus" / "jsts" / "tests").glob("draft*/*.json"))
HARD = sorted((SHARED / "corpus" / "hard").glob("*/case.json"))


def test_a_case_becomes_the_spec_and_the_findings_beside_it(
    case: Path, update_golden: bool
) -> None:
    data = (case / "input.json").read_bytes()
    spec, findings = read(data, "input.json", case.name, checked)
    written = {
        "spec.yaml": "" if spec is None else spectext.write(spec),
        "findings.txt": "".join(map(_line, ordered(findings))),
    }
    for name, text in written.items():
        if update_golden:
            (case / name).write_text(text)
        assert (case / name).read_text() == text


def test_a_case_becomes_a_spec_that_the_generator_takes(case: Path, tmp_path: Path) -> None:
    spec, _ = checked(json.loads((case / "input.json").read_text()), case.name)
    if spec is not None:
        assert len(contract_of([spec], tmp_path).tools) == len(spec["tools"])


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
def test_a_server_keeps_all_its_tools_and_their_verdicts(server: Path, tmp_path: Path) -> None:
    document = json.loads(server.read_text())
    spec, losses = convert(document, server.stem)
    assert spec is not None
    assert [loss for loss in losses if loss.rule.level is Level.ERROR] == []
    contract = contract_of([spec], tmp_path)
    assert [tool.name for tool in contract.tools] == [tool["name"] for tool in document["tools"]]
    for published, tool in zip(document["tools"], contract.tools, strict=True):
        assert tool.description == (published["description"] or "")
        assert_same_verdicts(published["inputSchema"], tool.parameters)
        if "outputSchema" in published:
            assert tool.output is not None
            assert_same_verdicts(published["outputSchema"], tool.output)


def contract_of(specs: Iterable[Json], root: Path) -> Contract:
    """What the generator makes of *specs*, written to files in *root*; nothing may be wrong."""
    files: list[Path] = []
    for number, spec in enumerate(specs):
        files.append(root / f"{number:03}.yaml")
        files[-1].write_text(spectext.write(spec))
    loaded, findings = load(root, files)
    assert findings == []
    contract, findings = lower(loaded)
    assert [finding for finding in findings if finding.level is not Level.NOTE] == []
    assert [spec.document.value for spec in loaded.files] == list(specs)
    return contract


def assert_same_verdicts(published: Json, converted: Schema) -> None:
    values = samples(published)
    enforced = verdicts(converted.source, values, formats=converted.formats)
    try:
        expected = verdicts(published, values)
    except ValueError:
        # No validator takes the published schema; that is why it was changed.
        assert published != converted.source
    else:
        assert enforced == expected


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


@pytest.mark.parametrize("path", SUITE, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_schemas_of_the_official_suite_keep_their_verdicts(path: Path) -> None:
    dialects = {
        "draft7": "http://json-schema.org/draft-07/schema#",
        "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    }
    for group in json.loads(path.read_text()):
        schema = group["schema"]
        if isinstance(schema, dict):
            schema = {"$schema": dialects[path.parent.name], **schema}
        tool = {"name": "tool", "inputSchema": {"type": "object"}, "outputSchema": schema}
        spec, losses = convert([tool], "suite")
        assert spec is not None
        if not spec["tools"]:
            # Only what refers to other documents cannot be kept.
            assert re.search("outside of the schema|not present in a registry", losses[0].message)
            continue
        assert {loss.rule.level for loss in losses} <= {Level.NOTE}
        values = [test["data"] for test in group["tests"]]
        output = spec["tools"]["tool"]["output"]
        assert verdicts(output, values) == verdicts(schema, values)


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
@settings(max_examples=300, deadline=None)
def test_no_input_is_too_malformed_for_findings(document: Json, schema: Json) -> None:
    for value in (document, {"tools": document}, [{"name": "a", "inputSchema": schema}]):
        spec, losses = checked(value, "x")
        assert spec is not None or losses
        if spec is not None:
            with TemporaryDirectory() as folder:
                assert len(contract_of([spec], Path(folder)).tools) == len(spec["tools"])


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


def test_all_functions_of_the_leaderboard_convert_without_a_loss(
    shared: Path, tmp_path: Path
) -> None:
    functions = json.loads((shared / "corpus" / "bfcl" / "functions.json").read_text())
    made = list(specs(functions))
    assert [loss for _, losses in made for loss in losses] == []
    contract = contract_of([spec for spec, _ in made], tmp_path)
    assert len(contract.tools) == len(functions)


def test_functions_with_types_of_python_mean_what_they_were_normalised_to(
    shared: Path, tmp_path: Path
) -> None:
    functions = json.loads((shared / "corpus" / "bfcl" / "functions.json").read_text())[::5]
    tools = [
        {"name": f"f{number}", "inputSchema": function["raw"]["parameters"]}
        for number, function in enumerate(functions)
    ]
    spec, losses = convert(tools, "raw")
    assert spec is not None
    assert {loss.rule.level for loss in losses} == {Level.WARNING, Level.NOTE}
    for function, tool in zip(functions, contract_of([spec], tmp_path).tools, strict=True):
        assert_same_verdicts({"type": "object", **function["parameters"]}, tool.parameters)
