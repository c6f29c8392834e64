"""The official JSON Schema test suite, through bundling and lowering.

Each schema is embedded as the property `v` of a tool's parameters, a resource with its own `$id`,
and what it expects to find on the network stands beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.lowering import admits, errors, lowered, tool_spec, validity
from tests.support import SHARED, require

SUITE = SHARED / "corpus" / "jsts"
REMOTE = "http://localhost:1234/"
URIS = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
}


@dataclass
class Verdicts:
    """What came of the required tests of one draft."""

    tests: int = 0
    refused: int = 0
    wrong: int = 0
    too_narrow: int = 0


def groups(draft: str) -> Iterator[dict[str, Any]]:
    for path in sorted((SUITE / "tests" / draft).glob("*.json")):
        yield from json.loads(path.read_text())


def remotes(draft: str) -> dict[str, Any]:
    """What the suite serves, by address; only what this dialect can read."""
    found: dict[str, Any] = {}
    for path in sorted((SUITE / "remotes").rglob("*.json")):
        name = path.relative_to(SUITE / "remotes").as_posix()
        top = name.partition("/")[0]
        foreign = (top.startswith("draft") or top == "v1") and top != draft
        if not foreign and not any(part in name for part in ("metaschema", "format-", "ignore-")):
            found[REMOTE + name] = json.loads(path.read_text())
    return found


def embedded(draft: str, uri: str, schema: Any) -> Any:
    if draft == "draft7" and "$ref" in schema:
        # Beside `$ref` an `$id` would not count.
        rest = {word: value for word, value in schema.items() if word not in {"$ref", "$id"}}
        return {"$id": uri, "allOf": [{"$ref": schema["$ref"]}], **rest}
    return {**schema, "$id": uri}


def spec(draft: str, schema: Any) -> dict[str, Any]:
    definitions: dict[str, Any] = {}
    for uri, remote in remotes(draft).items() if REMOTE in json.dumps(schema) else ():
        if isinstance(remote, dict):
            definitions[uri] = embedded(draft, uri, remote)
            if "$id" in remote and remote["$id"] != uri:
                definitions[f"{uri} by its name"] = remote
    if isinstance(schema, dict) and not (draft == "draft7" and "$ref" in schema):
        schema = {"$id": "https://suite.example/v", **schema}
    parameters = {
        "$schema": URIS[draft],
        "properties": {"v": schema},
        "definitions" if draft == "draft7" else "$defs": definitions,
    }
    return tool_spec({"description": "d", "parameters": parameters}, formats="note")


def judge(draft: str, group: dict[str, Any], verdicts: Verdicts) -> None:
    contract, found = lowered({"suite.yaml": spec(draft, group["schema"])})
    if errors(found):
        verdicts.refused += len(group["tests"])
        return
    parameters = contract.tools[0].parameters
    for test in group["tests"]:
        value = {"v": test["data"]}
        accepted = validity(parameters, value)
        verdicts.wrong += accepted != test["valid"]
        verdicts.too_narrow += accepted and not admits(contract, parameters.type, value)


@pytest.mark.parametrize("draft", list(URIS))
def test_the_official_suite_keeps_its_verdicts(draft: str) -> None:
    require("shared")
    verdicts = Verdicts()
    for group in groups(draft):
        verdicts.tests += len(group["tests"])
        judge(draft, group, verdicts)
    assert verdicts.tests > 400
    assert verdicts.wrong + verdicts.refused <= verdicts.tests / 1000
    assert verdicts.too_narrow == 0
