"""All tools of all files, put into namespaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolkiln.contract import Contract, Namespace, Tool
from toolkiln.diagnostics import Diagnostic, Level, Rule, ordered
from toolkiln.lower.definitions import home
from toolkiln.lower.reachable import used
from toolkiln.lower.run import Draft, Run
from toolkiln.lower.tools import drafts, tool
from toolkiln.lower.written import mapping, text
from toolkiln.shape import Definition

if TYPE_CHECKING:
    from toolkiln.load import Spec, Specs

TOO_DEEP = Rule("schema-too-deep", Level.ERROR, "Schemas are nested too deeply to follow.")


def lower(specs: Specs) -> tuple[Contract, list[Diagnostic]]:
    """The contract of *specs*, and what is wrong with their tools and schemas.

    Specs in which `load` found an error may be incomplete; nothing sensible comes of them.
    """
    run = Run(specs)
    run.units.check_all()
    _shared_shapes(run)
    tools: list[Tool] = []
    found: list[Diagnostic] = []
    for draft in [draft for spec in specs.files for draft in drafts(run, spec)]:
        made = _guarded(draft)
        found += draft.found
        tools += [made] if made else []
    found += run.units.findings()
    return _contract(run, tools), ordered(found)


def _guarded(draft: Draft) -> Tool | None:
    try:
        return tool(draft)
    except RecursionError:
        draft.run.shapes.forget()
        draft.report(TOO_DEEP, draft.pointer, "Its schemas are nested too deeply.", key=True)
        return None


def _shared_shapes(run: Run) -> None:
    """Lower what files share before any tool, so that no tool's place decides about names."""
    for spec in sorted(run.specs.documents.values(), key=lambda spec: spec.document.file):
        for place in run.sources.definitions(spec):
            try:
                if run.units.broken(place) is None:
                    run.shapes.slot(place)
            except RecursionError:
                run.shapes.forget()


def _contract(run: Run, tools: list[Tool]) -> Contract:
    definitions = used(tools, run.shapes.definitions)
    names = dict.fromkeys(
        [spec.namespace for spec in run.specs.files if spec.namespace]
        + [definition.home for definition in definitions]
    )
    return Contract(tuple(_namespace(run, name, tools, definitions) for name in names))


def _namespace(
    run: Run, name: str, tools: list[Tool], definitions: Iterable[Definition]
) -> Namespace:
    specs = [spec for spec in run.specs.documents.values() if home(spec) == name]
    return Namespace(
        name=name,
        library=not any(spec.namespace for spec in specs),
        version=_first(specs, "version") or "0.0.0",
        description=_first(specs, "description"),
        tools=tuple(tool for tool in tools if tool.namespace == name),
        definitions=tuple(definition for definition in definitions if definition.home == name),
        sources=tuple(sorted(spec.document.file for spec in specs)),
    )


def _first(specs: list[Spec], key: str) -> str:
    values = (text(mapping(spec.document.value).get(key)) for spec in specs if not spec.plain)
    return next((value for value in values if value), "")
