"""When a person is asked before anything runs (spec-format section 5)."""

from __future__ import annotations

from collections.abc import Iterator

from toolkiln.contract import Approval, Test
from toolkiln.diagnostics import Level, Rule
from toolkiln.lower.arguments import reach
from toolkiln.lower.bundle import UnbundledError, bundle
from toolkiln.lower.decide import Verdict, verdict
from toolkiln.lower.paths import Malformed, path
from toolkiln.lower.pointers import Pointer
from toolkiln.lower.prompts import PATH_UNKNOWN, gate_prompt, is_known, suggestion
from toolkiln.lower.run import SCHEMA_UNUSABLE, Draft
from toolkiln.lower.validators import trouble
from toolkiln.lower.written import extensions, mapping, milliseconds, text
from toolkiln.value import Json

CONDITION_MALFORMED = Rule(
    "condition-malformed", Level.ERROR, "A condition is not a map from paths to tests."
)
CONDITION_NEVER = Rule("condition-never", Level.ERROR, "A test can never hold.")
CONDITION_ALWAYS = Rule("condition-always", Level.ERROR, "A test holds for every value.")
CONDITION_PATTERN = Rule(
    "condition-pattern", Level.ERROR, "A pattern in a condition may take long to match."
)


def approval(draft: Draft, written: Json, title: str) -> Approval | None:
    """The gate that a tool declares."""
    if written is None or written == "never":
        return None
    pointer = (*draft.pointer, "approval")
    facts = mapping(written)
    prompt = text(facts.get("prompt"))
    expires = milliseconds(facts.get("expires"))
    return Approval(
        conditions=tuple(_conditions(draft, (*pointer, "when"), facts.get("when"))),
        prompt=gate_prompt(draft, pointer, prompt) if prompt else (f"Run {title}?",),
        allow_edit=facts.get("allow_edit") is True,
        expires=draft.expires if expires is None else expires,
        extensions=extensions(facts),
        span=draft.spec.document.span(*pointer),
    )


def _conditions(draft: Draft, pointer: Pointer, written: Json) -> Iterator[tuple[Test, ...]]:
    if isinstance(written, dict):
        yield tuple(_tests(draft, pointer, written))
    elif isinstance(written, list):
        for index, condition in enumerate(written):
            if isinstance(condition, dict):
                yield tuple(_tests(draft, (*pointer, index), condition))


def _tests(draft: Draft, pointer: Pointer, condition: dict[str, Json]) -> Iterator[Test]:
    for written, test in condition.items():
        where = (*pointer, written)
        try:
            names = path(written).names
        except Malformed as error:
            draft.report(CONDITION_MALFORMED, where, str(error), key=True)
            continue
        if draft.parameters is None or not is_known(draft, draft.parameters, names):
            _report_path(draft, where, written, test)
            continue
        made = _test(draft, where)
        if made is not None:
            _decide(draft, where, names, made)
            yield Test(names, made)


def _report_path(draft: Draft, where: Pointer, written: str, test: Json) -> None:
    if written in {"properties", "anyOf", "allOf", "oneOf", "required", "not", "if"} and (
        isinstance(test, dict | list)
    ):
        draft.report(
            CONDITION_MALFORMED,
            where,
            "A condition is no JSON Schema.",
            hint="A condition maps parameter paths to tests: "
            "`when: {amount.cents: {minimum: 100000}}`",
            key=True,
        )
        return
    hint = suggestion(draft, path(written))
    draft.report(PATH_UNKNOWN, where, f"`{written}` is no parameter.", hint=hint, key=True)


def _test(draft: Draft, where: Pointer) -> Json:
    """The bundled schema of the test at *where*; None if it is in error."""
    place = draft.run.sources.slot(draft.spec, where)
    if place is None or draft.run.units.broken(place):
        draft.unusable = True
        return None
    try:
        made = bundle(draft.run.sources, place)
    except UnbundledError as error:
        draft.report(SCHEMA_UNUSABLE, where, f"This test cannot be used: {error}.")
        return None
    if trouble(made, linear=True):
        draft.report(
            CONDITION_PATTERN,
            where,
            "Patterns in conditions know no look-around and no back-references.",
            hint="A condition that takes long to decide would let a call pass unasked.",
        )
        return None
    return made


def _decide(draft: Draft, where: Pointer, names: tuple[str, ...], test: Json) -> None:
    if draft.parameters is None or draft.unusable:
        return
    places = reach(draft.run.shapes.facts, draft.parameters, names)
    match verdict(draft.run, places, test):
        case Verdict.NEVER:
            draft.report(CONDITION_NEVER, where, f"No valid `{where[-1]}` passes this test.")
        case Verdict.ALWAYS:
            draft.report(
                CONDITION_ALWAYS,
                where,
                f"Every valid `{where[-1]}` passes this test.",
                hint="To ask about every call write `approval: always`.",
            )
        case Verdict.OPEN:
            pass
