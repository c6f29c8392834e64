"""Functions of the Berkeley Function Calling Leaderboard as specs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from toolkiln.imports import Loss
from toolkiln.imports.mcp import convert
from toolkiln.value import JsonObject


def specs(
    functions: Sequence[Mapping[str, JsonObject]],
) -> Iterator[tuple[JsonObject, list[Loss]]]:
    """Specs that together hold all *functions*, each with what its conversion reports.

    The leaderboard has several functions of one name, so the second of each name stands in the
    second namespace, and so on. Names with other characters than tools may have are changed.
    """
    lists: dict[int, list[JsonObject]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    for function in functions:
        name = str(function["name"])
        lists[seen[name]].append(_tool(name, function))
        seen[name] += 1
    for number, tools in lists.items():
        spec, losses = convert(tools, f"bfcl_{number}")
        assert spec is not None
        yield spec, losses


def _tool(name: str, function: Mapping[str, JsonObject]) -> JsonObject:
    tool = {
        "name": name,
        "description": function["raw"].get("description"),
        "inputSchema": function["parameters"],
    }
    output = function.get("outputSchema")
    return tool if output is None else {**tool, "outputSchema": output}
