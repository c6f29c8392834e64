"""One tool of the contract from its part of a spec file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast

from toolkiln.contract import Deprecation, Effects, Schema, Tool
from toolkiln.lower.approvals import approval
from toolkiln.lower.digest import digest
from toolkiln.lower.examples import examples
from toolkiln.lower.outcomes import deferral, failures, interactions
from toolkiln.lower.parameters import parameters
from toolkiln.lower.run import Draft, Run
from toolkiln.lower.written import extensions, mapping, milliseconds, text, texts
from toolkiln.shape import Anything
from toolkiln.value import Json

if TYPE_CHECKING:
    from toolkiln.load import Spec


def drafts(run: Run, spec: Spec) -> list[Draft]:
    """The tools that *spec* declares, in the order in which they are written."""
    value = mapping(spec.document.value)
    if spec.plain:
        name = text(mapping(value.get("x-tool")).get("name"))
        return [Draft(run, spec, ("x-tool",), name)] if name and spec.namespace else []
    return [Draft(run, spec, ("tools", name), name) for name in mapping(value.get("tools"))]


def tool(draft: Draft) -> Tool | None:
    """The tool of *draft*; None if it is in error."""
    value = mapping(draft.spec.document.value)
    inner = value.get("x-tool") if draft.spec.plain else mapping(value.get("tools"))[draft.name]
    facts = {**mapping(value.get("defaults")), **mapping(inner)}
    draft.expires = milliseconds(mapping(value.get("defaults")).get("expires"))
    arguments = parameters(draft)
    made = _tool(draft, facts, arguments)
    if arguments is None or draft.failed:
        return None
    return _exemplified(draft, made, facts.get("examples"))


def _exemplified(draft: Draft, made: Tool, written: Json) -> Tool | None:
    shown = examples(draft, made, written)
    return None if draft.failed else replace(made, examples=shown, digest=digest(made))


def _tool(draft: Draft, facts: Mapping[str, Json], arguments: Schema | None) -> Tool:
    title = text(facts.get("title"))
    return Tool(
        name=draft.name,
        namespace=draft.spec.namespace or "",
        parameters=arguments or Schema(source=False, type=Anything(), dialect="", formats=False),
        description=text(facts.get("description")),
        title=title,
        effects=_effects(facts.get("effects")),
        output=draft.schema((*draft.pointer, "output")),
        failures=failures(draft, facts.get("failures")),
        approval=approval(draft, facts.get("approval"), title or draft.name),
        interactions=interactions(draft, facts.get("interactions")),
        deferred=deferral(draft, facts.get("deferred")),
        timeout=milliseconds(facts.get("timeout")),
        scopes=texts(facts.get("scopes")),
        tags=texts(facts.get("tags")),
        stability=_stability(facts.get("stability")),
        deprecated=_deprecation(facts.get("deprecated")),
        formerly=texts(facts.get("formerly")),
        extensions=extensions(facts),
        source=draft.spec.document.file,
        span=draft.spec.document.span(*draft.pointer, key=True),
    )


def _effects(written: Json) -> Effects:
    flags = {key: flag for key, flag in mapping(written).items() if isinstance(flag, bool)}
    read_only = flags.get("read_only", False)
    return Effects(
        read_only=read_only,
        destructive=flags.get("destructive", not read_only),
        idempotent=flags.get("idempotent", read_only),
        open_world=flags.get("open_world", True),
    )


def _stability(written: Json) -> Literal["draft", "beta", "stable"]:
    known = written if written in {"draft", "beta"} else "stable"
    return cast("Literal['draft', 'beta', 'stable']", known)


def _deprecation(written: Json) -> Deprecation | None:
    facts = mapping(written)
    note = text(written) or text(facts.get("note"))
    if not note:
        return None
    return Deprecation(note, text(facts.get("use")) or None, text(facts.get("sunset")) or None)
