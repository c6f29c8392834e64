"""Generated code for real tool lists and for the official suite: it compiles, and its models take
every value that the contract accepts and give it back unchanged."""

from __future__ import annotations

import json
import keyword
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import support_bfcl
from tests.generating import importable, module, mypy, pyright, ruff, write
from tests.lowering import errors, lowered
from tests.support import SHARED, require
from tests.test_suite_jsts import groups, spec
from toolkiln.contract import Contract
from toolkiln.imports import read
from toolkiln.imports.mcp import convert
from toolkiln.value import JsonObject

BFCL = SHARED / "corpus" / "bfcl"
MCP = SHARED / "corpus" / "mcp"


def servers() -> Iterator[JsonObject]:
    for path in sorted(MCP.glob("*.json")):
        name = "".join(char if char.isalnum() else "_" for char in path.stem.lower())
        if path.stem == "index":
            continue
        made, _ = read(path.read_bytes(), path.name, f"s_{name}", convert)
        assert made is not None
        yield made


def functions() -> Iterator[JsonObject]:
    for made, _ in support_bfcl.specs(json.loads((BFCL / "functions.json").read_text())):
        yield made


@cache
def contract(source: Callable[[], Iterator[JsonObject]]) -> Contract:
    require("shared")
    files = {f"specs/{made['namespace']}.yaml": made for made in source()}
    found, findings = lowered(files)
    assert errors(findings) == []
    return found


# --- calls ----------------------------------------------------------------------------------------


@cache
def places() -> Mapping[str, tuple[str, str]]:
    """The namespace and tool that each function of the leaderboard became, by its id."""
    listed = json.loads((BFCL / "functions.json").read_text())
    seen: dict[str, int] = defaultdict(int)
    ids: dict[int, list[str]] = defaultdict(list)
    for function in listed:
        ids[seen[function["name"]]].append(function["fid"])
        seen[function["name"]] += 1
    return {
        fid: (f"bfcl_{number}", tool.name)
        for number, namespace in enumerate(contract(functions).namespaces)
        for fid, tool in zip(ids[number], namespace.tools, strict=True)
    }


def bound(namespace: str) -> Mapping[str, Any]:
    """The definitions of all tools of a generated package, by name, with handlers of no use."""
    made = module(f"leaderboard.{namespace}")
    register = getattr(made, f"{namespace}_tools")
    names = [name for name in register.__annotations__ if name not in {"capability", "return"}]
    slot = register(**dict.fromkeys(names, print))
    return {definition.name: definition for definition in slot.tools}


@pytest.fixture(scope="module")
def leaderboard(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Mapping[str, Mapping[str, Any]]]:
    root = tmp_path_factory.mktemp("leaderboard")
    write(contract(functions), root, "leaderboard")
    with importable(root):
        yield {each.name: bound(each.name) for each in contract(functions).namespaces}


def test_every_call_of_the_leaderboard_gets_its_verdict_and_a_model_that_gives_it_back(
    leaderboard: Mapping[str, Mapping[str, Any]],
) -> None:
    calls = json.loads((BFCL / "calls.json").read_text())
    wrong: list[str] = []
    for call in calls:
        namespace, tool = places()[call["fid"]]
        compiled = leaderboard[namespace][tool].core.compiled
        accepted = compiled.accepts(call["arguments"])
        if accepted != call["valid"]:
            wrong.append(f"{call['cid']}: {accepted}")
        elif accepted and not same(compiled.view, call["arguments"]):
            wrong.append(f"{call['cid']}: changed")
    assert len(calls) == 2139
    assert wrong == []


def same(view: Callable[[Any], Any] | None, value: Any) -> bool:
    """Whether a model takes *value* and gives back the same JSON."""
    if view is None:
        return True
    return bool(view(value).model_dump(mode="json", by_alias=True, exclude_unset=True) == value)


# --- the official suite ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """A schema of the suite, and the values that it accepts."""

    name: str
    namespace: str
    valid: tuple[Any, ...]


def suite(draft: str) -> tuple[list[Group], Contract]:
    """All groups of *draft* whose schema can be a tool's."""
    made: list[Group] = []
    files: dict[str, Any] = {}
    for number, group in enumerate(groups(draft)):
        file = {**spec(draft, group["schema"]), "namespace": f"g{number}"}
        _, findings = lowered({"suite.yaml": file})
        if not errors(findings):
            files[f"{number}.yaml"] = file
            valid = tuple(test["data"] for test in group["tests"] if test["valid"])
            made.append(Group(group["description"], f"g{number}", valid))
    found, findings = lowered(files)
    assert errors(findings) == []
    return made, found


@pytest.mark.parametrize("draft", ["draft2020-12", "draft7"])
def test_models_refuse_and_change_nothing_that_the_suite_accepts(
    draft: str, tmp_path: Path
) -> None:
    require("shared")
    made, found = suite(draft)
    write(found, tmp_path, "suite")
    wrong: list[str] = []
    with importable(tmp_path):
        for group in made:
            (definition,) = (
                module(f"suite.{group.namespace}.registration")
                .__dict__[f"{group.namespace}_tools"](t=print)
                .tools
            )
            compiled = definition.core.compiled
            for value in group.valid:
                given = {"v": value}
                if compiled.accepts(given) and not same(compiled.view, given):
                    wrong.append(f"{group.name}: {value!r}")
    assert len(made) > 100
    assert wrong == []


# --- checkers -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["model", "dict"])
@pytest.mark.parametrize("source", [servers, functions])
def test_checkers_find_nothing_in_code_for_real_tools(
    source: Callable[[], Iterator[JsonObject]], arguments: str, tmp_path: Path
) -> None:
    found = contract(source)
    assert len(found.tools) == {servers: 1744, functions: 1722}[source]
    options = {"handlers": "app/handlers", "arguments": arguments}
    out = write(found, tmp_path, "app.tools", options)
    assert not any(keyword.iskeyword(part) for path in out.rglob("*") for part in path.parts)
    assert ruff("format", "--check", "--quiet", ".", cwd=tmp_path) == ""
    assert ruff("check", "--quiet", ".", cwd=tmp_path) == ""
    assert mypy(tmp_path, ".") == []
    assert pyright(tmp_path, ".") == []
