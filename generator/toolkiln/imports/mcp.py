"""What an MCP server answers to `tools/list`, as a spec.

Tools keep their names, texts and the verdicts of their schemas. What a spec says otherwise or
not at all is reported, each with its place in the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from toolkiln.diagnostics import Diagnostic
from toolkiln.value import Json, JsonObject

from .keywords import subschemas
from .loss import DROPPED, LEFT_OUT, RENAMED, UNREADABLE, Loss, Place, Pointer, shown
from .naming import namespace, wire_name
from .strict import fit, too_deep
from .tool import convert_tool

_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?", re.ASCII
)

Refusals: TypeAlias = Callable[[JsonObject], Iterable[tuple[str, Diagnostic]]]
"""Which tools of a spec cannot be generated, by wire name, and why."""


def _nothing(_spec: JsonObject) -> Iterable[tuple[str, Diagnostic]]:
    return ()


def convert(
    document: Json, name: str, *, refusals: Refusals = _nothing
) -> tuple[JsonObject | None, list[Loss]]:
    """The spec of the server called *name*, and everything that it does not say as *document* did.

    *document* is the answer itself, its JSON-RPC envelope, a bare list of tools, or an object that
    holds `tools` among other things (`initialize`: what the server said of itself). The spec is
    None if there is no list of tools in it. Tools that *refusals* finds in the spec are left out.
    """
    answer, pointer = _answer(document)
    listed, below = _listed(answer)
    if listed is None:
        return None, [_unreadable(document)]
    losses: list[Loss] = []
    space = namespace(name)
    tools, places = _tools(listed, Place((*pointer, *below), losses, space))
    spec: dict[str, Json] = {"toolkiln": 1, "namespace": space, **_about(document, losses)}
    if any(_has_format(tool) for tool in tools.values()):
        spec["formats"] = "note"
    for wire, refusal in refusals(spec | {"tools": tools}):
        place = places[wire]
        del tools[wire]
        losses[:] = [loss for loss in losses if loss.pointer[: len(place.pointer)] != place.pointer]
        place.lost(LEFT_OUT, f"{refusal.message} {refusal.hint}".rstrip())
    if isinstance(answer, dict) and answer.get("nextCursor"):
        cursor = (*pointer, "nextCursor")
        losses.append(Loss(DROPPED, cursor, "the server has more tools than this page lists"))
    return spec | {"tools": tools}, losses


def _answer(document: Json) -> tuple[Json, Pointer]:
    if isinstance(document, dict) and isinstance(document.get("result"), (dict, list)):
        return document["result"], ("result",)
    return document, ()


def _listed(answer: Json) -> tuple[Sequence[Json] | None, Pointer]:
    if isinstance(answer, list):
        return answer, ()
    tools = answer.get("tools") if isinstance(answer, dict) else None
    return (tools, ("tools",)) if isinstance(tools, list) else (None, ())


def _unreadable(document: Json) -> Loss:
    error = document.get("error") if isinstance(document, dict) else None
    if error is not None:
        return Loss(UNREADABLE, ("error",), f"the server answered with an error: {shown(error)}")
    if too_deep(document):
        return Loss(UNREADABLE, (), "nothing here is a list of tools, and it is nested very deeply")
    hint = 'An answer to `tools/list` is {"tools": [...]}, alone or in its JSON-RPC envelope.'
    return Loss(UNREADABLE, (), f"{shown(document)} holds no list of tools", hint=hint)


def _about(document: Json, losses: list[Loss]) -> dict[str, Json]:
    """Version and description of the namespace, from what the server said when it was started."""
    initialize = document.get("initialize") if isinstance(document, dict) else None
    if not isinstance(initialize, dict) or too_deep(initialize):
        return {}
    place = Place(("initialize",), losses)
    server = initialize.get("serverInfo")
    info = server if isinstance(server, dict) else {}
    about: dict[str, Json] = {}
    version = info.get("version")
    if isinstance(version, str) and _VERSION.fullmatch(version):
        about["version"] = version
    elif version:
        below = place.below("serverInfo", "version")
        below.lost(DROPPED, f"{shown(version)} is no semantic version, so the spec has none")
    texts = [info.get("description"), initialize.get("instructions")]
    said = [text for text in texts if isinstance(text, str) and text.strip()]
    if said:
        about["description"] = fit({"description": "\n\n".join(said)}, place)["description"]
    return about


def _tools(listed: Sequence[Json], place: Place) -> tuple[dict[str, JsonObject], dict[str, Place]]:
    """All tools that can be kept, and where they stand, by wire name.

    *place* is the list, and its tool the namespace.
    """
    tools: dict[str, JsonObject] = {}
    places: dict[str, Place] = {}
    # Legal names are taken whether they come first or last: what is right must not move.
    legal = {name for entry in listed if (name := _name(entry)) and wire_name(name, ()) == name}
    for index, entry in enumerate(listed):
        name = _name(entry)
        wire = wire_name(name, legal | tools.keys()) if name else ""
        own = Place((*place.pointer, index), [], f"{place.tool}.{name}" if name else place.tool)
        if wire in tools:
            own.lost(LEFT_OUT, f"another tool is called {shown(name)}")
        tool = {} if own.hopeless else _tool(entry, own)
        if own.hopeless:
            place.found.extend(loss for loss in own.found if loss.rule is LEFT_OUT)
            continue
        if wire != name:
            own.below("name").lost(RENAMED, f"{shown(name)} is called `{wire}` in the spec")
        tools[wire], places[wire] = tool, Place(own.pointer, place.found, own.tool)
        place.found.extend(own.found)
    return tools, places


def _name(entry: Json) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else ""


def _tool(entry: Json, place: Place) -> dict[str, Json]:
    if not isinstance(entry, dict) or not _name(entry):
        place.lost(LEFT_OUT, f"{shown(entry)} is no tool with a name")
        return {}
    if too_deep(entry):
        place.lost(LEFT_OUT, "the tool is nested too deeply")
        return {}
    clean = fit(entry, place)
    if place.hopeless:
        return {}
    return convert_tool(clean, place)


def _has_format(tool: JsonObject) -> bool:
    """Whether a schema of *tool* has a `format`, which JSON Schema takes as a remark."""
    return any(
        "format" in part
        for slot in ("parameters", "output")
        for _, part in subschemas(tool.get(slot))
    )
