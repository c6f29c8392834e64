"""Chains that a contract makes as long as it likes: neither recursion nor time may end first."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generating import texts
from tests.handmade import definition
from tests.lowering import JsonAny, errors, lowered, only_tool, tool_spec
from toolkiln.circles import Circles
from toolkiln.contract import Contract, Namespace
from toolkiln.shape import Field, List, Record, Ref
from toolkiln.targets.python.hints import hints
from toolkiln.targets.python.naming import names
from toolkiln.targets.python.places import cyclic

LINKS: dict[str, Callable[[JsonAny], JsonAny]] = {
    "only a reference": lambda following: following,
    "record": lambda following: {"type": "object", "properties": {"a": following}},
    "list": lambda following: {"type": "array", "items": following},
    "tuple": lambda following: {
        "type": "array",
        "prefixItems": [following],
        "items": False,
        "minItems": 1,
    },
    "pair": lambda following: {
        "type": "array",
        "prefixItems": [following, following],
        "items": False,
        "minItems": 2,
    },
    "lists of both": lambda following: {
        "anyOf": [
            {"type": "array", "items": following},
            {"type": "object", "additionalProperties": following},
        ]
    },
    "map": lambda following: {"type": "object", "additionalProperties": following},
    "union": lambda following: {"anyOf": [following, {"type": "null"}]},
    "all of one": lambda following: {"allOf": [following]},
    "condition": lambda following: {"if": {"required": ["b"]}, "then": following},
    "list of records": lambda following: {
        "type": "object",
        "properties": {"a": {"type": "array", "items": following}},
    },
}


def chain(link: Callable[[JsonAny], JsonAny], length: int) -> JsonAny:
    """A file whose one tool returns the first of *length* types that refer to the next each."""
    following = [{"$ref": f"#/$defs/T{number}"} for number in range(1, length)]
    types = {f"T{number}": link(each) for number, each in enumerate([*following, {}])}
    return tool_spec({"description": "x", "output": "T0"}, **{"$defs": types})


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_a_chain_of_three_thousand_types_is_lowered_in_seconds(
    link: Callable[[JsonAny], JsonAny],
) -> None:
    started = time.monotonic()
    contract, found = lowered({"a": chain(link, 3_000)})
    assert not errors(found)
    assert len(contract.tools) == 1
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_a_chain_of_types_becomes_code(link: Callable[[JsonAny], JsonAny]) -> None:
    _, contract = only_tool({"a": chain(link, 300)})
    assert "n/handlers.py" in texts(contract)


def test_a_chain_of_fifteen_hundred_records_becomes_code() -> None:
    _, contract = only_tool({"a": chain(LINKS["record"], 1_500)})
    assert "class T1498(" in texts(contract)["n/models.py"]


def test_hints_follow_three_thousand_records_to_the_last() -> None:
    spec = chain(LINKS["record"], 3_000)
    spec["$defs"]["T2999"] = {"type": "object", "properties": {"a": {"maxLength": 3}}}
    _, contract = only_tool({"a": spec})
    known = {each.key: each for namespace in contract.namespaces for each in namespace.definitions}
    assert hints(contract, known)["n#/$defs/T2999", "a"] == "At most 3 characters."


def test_a_type_in_error_at_the_end_of_a_long_chain_is_the_reason_at_the_tool() -> None:
    spec = chain(LINKS["only a reference"], 3_000)
    spec["$defs"]["T2999"] = {"type": "text"}
    contract, found = lowered({"a": spec})
    assert not contract.tools
    assert [each.rule for each in errors(found)] == ["schema-broken", "type-unknown"]


def test_each_reference_of_a_long_circle_is_a_loop() -> None:
    spec = chain(LINKS["only a reference"], 3_000)
    spec["$defs"]["T2999"] = {"$ref": "#/$defs/T0"}
    _, found = lowered({"a": spec})
    assert sum(each.rule == "reference-loop" for each in found) == 3_000


def test_imports_of_a_thousand_libraries_in_a_circle_are_cut_in_one_place() -> None:
    names_of = [f"pkg:acme/l{number:04}.yaml" for number in range(1_000)]
    libraries = tuple(
        Namespace(
            name,
            library=True,
            definitions=(
                definition(
                    f"{name}#/$defs/T",
                    ("T",),
                    Record(
                        (Field("a", Ref(f"{names_of[n - 1]}#/$defs/T"), required=True),),
                        closed=False,
                    ),
                ),
            ),
        )
        for n, name in enumerate(names_of)
    )
    contract = Contract(libraries)
    assert cyclic(contract, names(contract)) == {(names_of[0], names_of[-1])}


def test_a_list_of_lists_of_itself_has_a_name() -> None:
    spec = {"$defs": {"T": {"type": "array", "items": {"$ref": "#/$defs/T"}}}}
    _, contract = only_tool({"a": tool_spec({"description": "x", "output": "T"}, **spec)})
    (namespace,) = contract.namespaces
    assert [each.body for each in namespace.definitions if each.words == ("T",)] == [
        List(Ref("n#/$defs/T"))
    ]


graphs = st.lists(st.lists(st.integers(0, 7), max_size=4), min_size=8, max_size=8)


def reached(graph: list[list[int]], start: int) -> set[int]:
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        for node in graph[waiting.pop()]:
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return seen


@given(graphs, st.permutations(range(8)))
def test_circles_hold_what_leads_back_to_each_other(
    graph: list[list[int]], order: list[int]
) -> None:
    circles = Circles[int](lambda node: graph[node])
    numbers = {node: circles.number(node) for node in order}
    for node in order:
        for other in order:
            back = other in reached(graph, node) and node in reached(graph, other)
            assert (numbers[node] == numbers[other]) == (back or node == other)
        assert all(numbers[target] <= numbers[node] for target in graph[node])
        assert node in circles.members[numbers[node]]
