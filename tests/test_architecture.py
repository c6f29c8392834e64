"""What the source code must look like: who may import whom, and how long things may get."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support import REPOSITORY, tracked

LONGEST_MODULE = 300
LONGEST_FUNCTION = 40
MOST_PARAMETERS = 5

WAIVERS = {
    "runtime/toolkiln_runtime/executor.py:__init__": "the settings of a host, all of them optional",
    "runtime/toolkiln_runtime/definition.py:tool": "the fields of a definition, by name",
}
"""Modules and functions that may be larger, each with its reason."""

STAGES = ("cli", "host", "load", "lower", "targets", "output", "config", "report", "rules")
WALLS = {
    "diagnostics": ("contract", "shape", "value", *STAGES),
    "value": ("contract", "shape", "diagnostics", *STAGES),
    "shape": ("contract", *STAGES),
    "contract": STAGES,
    "target": STAGES,
    "text": STAGES,
    "report": tuple(stage for stage in STAGES if stage != "report"),
    "source": STAGES,
    "load": ("cli", "host", "lower", "targets", "output", "config", "report", "rules"),
    "lower": ("cli", "host", "targets", "output", "config", "report", "rules"),
    "targets": ("cli", "host", "load", "lower", "source", "output", "config", "report", "rules"),
    "imports": ("cli", "host", "load", "lower", "targets", "output", "config", "report", "rules"),
    "output": ("cli", "host", "load", "lower", "targets", "source", "config", "report", "rules"),
    "config": ("cli", "host", "load", "lower", "targets", "source", "output", "report", "rules"),
}
"""What the modules and packages of the generator must know nothing of."""

RUNTIME_FORBIDS = {"toolkiln", "jinja2", "click", "yaml", "datamodel_code_generator", "ruff"}
HEAVY = {"jinja2", "yaml", "jsonschema", "rich", "importlib.metadata", "datamodel_code_generator"}
"""What must not be imported before it is needed: start-up time is a feature."""

READS_AND_WRITES = {"read_text", "read_bytes", "write_text", "write_bytes", "unlink"}
MAY_TOUCH_FILES = ("cli", "config", "host", "load", "output", "render", "_resources", "targets")


@cache
def modules() -> dict[str, ast.Module]:
    return {
        name: ast.parse((REPOSITORY / name).read_text(encoding="utf-8"))
        for name in tracked("generator", "runtime")
        if name.endswith(".py")
    }


def part(name: str) -> str:
    """The module or package right below `toolkiln` that a file is, or belongs to."""
    return Path(name).relative_to("generator/toolkiln").parts[0].removesuffix(".py")


def generator() -> dict[str, ast.Module]:
    return {
        name: tree for name, tree in modules().items() if name.startswith("generator/toolkiln/")
    }


def runtime() -> dict[str, ast.Module]:
    return {name: tree for name, tree in modules().items() if name.startswith("runtime/")}


def imports(name: str, tree: ast.AST) -> Iterator[str]:
    """Absolute names of everything that a module imports, wherever in it."""
    package = Path(name).with_suffix("").parts[1:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            origin = ".".join((*base, *([node.module] if node.module else [])))
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def begins(imported: str, names: set[str] | tuple[str, ...]) -> bool:
    return any(imported == name or imported.startswith(f"{name}.") for name in names)


def test_only_the_command_line_knows_click() -> None:
    knowing = {
        part(name)
        for name, tree in generator().items()
        if any(begins(found, {"click"}) for found in imports(name, tree))
    }
    assert knowing == {"cli"}


def test_only_the_host_knows_the_runtime() -> None:
    knowing = {
        part(name)
        for name, tree in generator().items()
        if any(begins(found, {"toolkiln_runtime"}) for found in imports(name, tree))
    }
    assert knowing <= {"host"}


def test_the_runtime_knows_nothing_of_generating() -> None:
    assert runtime()
    assert [
        f"{name}: {found}"
        for name, tree in runtime().items()
        for found in imports(name, tree)
        if begins(found, RUNTIME_FORBIDS)
    ] == []


@pytest.mark.parametrize("inner", WALLS)
def test_inner_modules_know_nothing_of_outer_ones(inner: str) -> None:
    forbidden = tuple(f"toolkiln.{name}" for name in WALLS[inner])
    assert [
        f"{name}: {found}"
        for name, tree in generator().items()
        if part(name) == inner
        for found in imports(name, tree)
        if begins(found, forbidden)
    ] == []


def test_nothing_imports_the_command_line_but_itself() -> None:
    assert [
        name
        for name, tree in generator().items()
        if part(name) not in {"cli", "__main__"}
        if any(begins(found, {"toolkiln.cli"}) for found in imports(name, tree))
    ] == []


def test_only_the_edges_touch_files() -> None:
    assert [
        f"{name}:{node.lineno}"
        for name, tree in generator().items()
        if part(name) not in MAY_TOUCH_FILES
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in READS_AND_WRITES)
        or (isinstance(node, ast.Name) and node.id == "open")
    ] == []


def test_what_is_heavy_is_imported_late_by_the_command_line() -> None:
    assert [
        f"{name}: {found}"
        for name, tree in generator().items()
        if part(name) in {"cli", "config", "output", "disk", "manifest", "report", "spelling"}
        for statement in tree.body
        if isinstance(statement, (ast.Import, ast.ImportFrom))
        for found in imports(name, statement)
        if begins(found, HEAVY)
    ] == []


def test_modules_are_short() -> None:
    long = {
        name: count
        for name in modules()
        if (count := (REPOSITORY / name).read_text(encoding="utf-8").count("\n")) > LONGEST_MODULE
    }
    assert {name: count for name, count in long.items() if name not in WAIVERS} == {}


def test_functions_are_short() -> None:
    assert [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in modules().items()
        for node in functions(tree)
        if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
        and f"{name}:{node.name}" not in WAIVERS
    ] == []


def test_functions_have_few_parameters() -> None:
    assert [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in modules().items()
        for node in functions(tree)
        if count(node.args) > MOST_PARAMETERS and f"{name}:{node.name}" not in WAIVERS
    ] == []


def count(arguments: ast.arguments) -> int:
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return sum(argument.arg not in {"self", "cls"} for argument in named)


def test_no_waiver_is_needless() -> None:
    names = set(modules())
    assert {waiver.partition(":")[0] for waiver in WAIVERS} <= names


def test_no_path_of_a_machine_is_in_the_tree() -> None:
    # Written so that it does not find itself.
    machine = re.compile(r"(^|[^a-z.])/(work|farm|home|Users)" + "/")
    assert [
        f"{name}:{number}"
        for name in tracked()
        if (path := REPOSITORY / name).is_file() and b"\0" not in (data := path.read_bytes())
        for number, line in enumerate(data.decode(errors="replace").splitlines(), start=1)
        if machine.search(line)
    ] == []


def test_every_test_asserts_something() -> None:
    assert [
        f"{name}:{node.lineno} {node.name}"
        for name in tracked("tests")
        if name.endswith(".py")
        for node in functions(ast.parse((REPOSITORY / name).read_text(encoding="utf-8")))
        if node.name.startswith("test_") and not any(map(asserts, ast.walk(node)))
    ] == []


def asserts(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in {"raises", "fail", "warns"}
    if isinstance(node, ast.Call):
        return "assert" in ast.unparse(node.func)
    return isinstance(node, ast.Assert)
