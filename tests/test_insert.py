from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolkiln import source
from toolkiln.value import JsonObject
from toolkiln.write.insert import insert

TOOL: JsonObject = {"description": "d", "output": {"type": "object"}}
HEAD = "toolkiln: 1\nnamespace: a\n"
BLOCK = "  new:\n    description: d\n    output: {type: object}\n"

DEEPER = "    new:\n      description: d\n      output: {type: object}\n"


def inserted(text: str, file: str = "a.yaml", name: str = "new") -> str | None:
    document, found = source.parse(text, file)
    assert document is not None
    assert found == []
    return insert(document, name, TOOL)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # behind the comments of the last tool, before those of what follows
        (
            "tools:\n  a: {}  # one\n  # about a\n\n# about types\n$defs: {}\n",
            f"tools:\n  a: {{}}  # one\n  # about a\n\n{BLOCK}\n# about types\n$defs: {{}}\n",
        ),
        ("tools:\n  a:\n    output: {}\n", f"tools:\n  a:\n    output: {{}}\n\n{BLOCK}"),
        # tools line by line stay a table
        ("tools:\n  a: {}\n  b: {}\n", f"tools:\n  a: {{}}\n  b: {{}}\n{BLOCK}"),
        ("tools:\n  a: {}\n\n  b: {}", f"tools:\n  a: {{}}\n\n  b: {{}}\n\n{BLOCK}"),
        # blocks of text, and the author's own indentation
        (
            "tools:\n    a:\n        description: |\n            x\n\n            y\n",
            f"tools:\n    a:\n        description: |\n            x\n\n            y\n\n{DEEPER}",
        ),
        ("", f"tools:\n{BLOCK}"),
        ("tools: {}  # none yet\n", f"tools:  # none yet\n{BLOCK}"),
        ("tools: {}\nformats: note\n", f"tools:\n{BLOCK}\nformats: note\n"),
        (
            "tools: {a: {}, b: {}}  # few\n",
            f'tools: {{a: {{}}, b: {{}}, "new": {json.dumps(TOOL)}}}  # few\n',
        ),
    ],
)
def test_everything_else_in_yaml_is_kept(before: str, after: str) -> None:
    assert inserted(HEAD + before) == HEAD + after


def test_line_ends_are_those_of_the_file() -> None:
    text = inserted(f"{HEAD}tools:\n  a: {{}}\n".replace("\n", "\r\n"))
    assert text == f"{HEAD}tools:\n  a: {{}}\n\n{BLOCK}".replace("\n", "\r\n")


@pytest.mark.parametrize("tools", [None, {}, {"a": {"output": {}}}])
@pytest.mark.parametrize("indent", [2, 4, None])
def test_json_stays_json_in_its_layout(tools: JsonObject | None, indent: int | None) -> None:
    spec = {"toolkiln": 1, "namespace": "a"} | ({} if tools is None else {"tools": tools})
    text = inserted(json.dumps(spec, indent=indent) + "\n", "a.json")
    assert text is not None
    assert json.loads(text) == spec | {"tools": {**(tools or {}), "new": TOOL}}
    if indent == 2:
        assert text == json.dumps(json.loads(text), indent=2) + "\n"


@pytest.mark.parametrize("name", ["on", "12", "1e3", "null", "a.b", "0x1", "-", "a-b"])
def test_a_name_that_looks_like_another_value_is_quoted(name: str) -> None:
    text = inserted(f"{HEAD}tools:\n  a: {{}}\n", name=name)
    document, _ = source.parse(text or "", "a.yaml")
    assert document is not None
    assert document.value == {
        "toolkiln": 1,
        "namespace": "a",
        "tools": {"a": {}, name: TOOL},
    }


@pytest.mark.parametrize("text", ["- a\n", "tools: [a]\n", "tools:\n  new: {}\n"])
def test_where_there_is_no_place_nothing_is_made_up(text: str) -> None:
    assert inserted(text) is None


def test_a_layout_that_is_not_understood_is_refused() -> None:
    assert inserted("{toolkiln: 1, namespace: a}") is None


def test_real_specs_keep_every_line(shared: Path) -> None:
    paths = sorted((shared / "reference" / "spec-trials").glob("*.yaml"))
    assert paths
    for path in paths:
        before = path.read_text(encoding="utf-8")
        document, _ = source.parse(before, path.name)
        assert document is not None
        after = insert(document, "brand_new_tool", TOOL)
        assert after is not None, path.name
        rest = iter(after.splitlines())
        assert all(line in rest for line in before.splitlines() if line != "tools: {}"), path.name
