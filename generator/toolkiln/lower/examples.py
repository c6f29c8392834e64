"""Examples: calls that are held against the contract at build time (spec-format section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolkiln.contract import Example, Failure, Interaction, Schema, Tool
from toolkiln.diagnostics import Level, Rule
from toolkiln.lower.gates import opened
from toolkiln.lower.paths import Malformed, path
from toolkiln.lower.pointers import Pointer
from toolkiln.lower.run import Draft
from toolkiln.lower.written import mapping, text
from toolkiln.spelling import did_you_mean
from toolkiln.value import MISSING, Json, Missing

EXAMPLE_INVALID = Rule("example-invalid", Level.ERROR, "A value in an example violates its schema.")
EXAMPLE_REJECTS = Rule(
    "example-rejects", Level.ERROR, "Arguments that an example calls wrong are right."
)
EXAMPLE_UNDECLARED = Rule(
    "example-undeclared", Level.ERROR, "An example shows what its tool does not declare."
)
EXAMPLE_GATE = Rule(
    "example-gate", Level.ERROR, "An example and the approval of its tool disagree."
)
EXAMPLE_REPLY = Rule("example-reply", Level.ERROR, "The reply in an example answers nothing.")


@dataclass(frozen=True, slots=True)
class _Case:
    """An example as written, and the tool that it is about."""

    draft: Draft
    tool: Tool
    pointer: Pointer
    written: Mapping[str, Json]

    def wrong(self, rule: Rule, message: str, *steps: str, hint: str = "") -> None:
        key = not steps
        self.draft.report(rule, (*self.pointer, *steps), message, hint=hint, key=key)

    def check(self, schema: Schema | None, value: Json, *steps: str) -> None:
        """Report what is wrong with *value*, which stands at *steps*."""
        if schema is None:
            return
        for problem in self.draft.run.validators.problems(schema, value):
            where = (*self.pointer, *steps, *problem.path)
            message = f"In example `{self.pointer[-1]}`: {problem.message}."
            self.draft.report(EXAMPLE_INVALID, where, message)


def examples(draft: Draft, tool: Tool, written: Json) -> tuple[Example, ...]:
    """The examples of *tool*."""
    found: list[Example] = []
    for title, value in mapping(written).items():
        pointer = (*draft.pointer, "examples", title)
        case = _Case(draft, tool, pointer, mapping(value))
        _check_arguments(case)
        _check_gate(case)
        _check_asks(case)
        _check_outcome(case)
        found.append(_example(case, title))
    return tuple(found)


def _check_arguments(case: _Case) -> None:
    args = case.written.get("args", {})
    if "rejects" not in case.written:
        case.check(case.tool.parameters, args, "args")
        return
    places = case.draft.run.validators.places(case.tool.parameters, args)
    written = text(case.written["rejects"])
    try:
        names = path(written).names
    except Malformed as error:
        case.wrong(EXAMPLE_REJECTS, str(error), "rejects")
        return
    if names not in {tuple(map(str, place)) for place in places}:
        inside = sorted((place for place in places if place), key=str)
        shown = ["`" + ".".join(map(str, place)) + "`" for place in inside]
        where = f"They are invalid at {', '.join(shown)}." if shown else ""
        hint = where or ("They are invalid as a whole." if places else "They are valid.")
        case.wrong(EXAMPLE_REJECTS, f"Nothing is wrong at `{written}`.", "rejects", hint=hint)


def _check_gate(case: _Case) -> None:
    gate = case.tool.approval
    asks = case.written.get("asks") == "approval"
    if gate is None:
        if asks:
            message = "This tool never asks for approval."
            case.wrong(EXAMPLE_GATE, message, "asks", hint="Declare `approval`.")
        return
    if "rejects" in case.written or not gate.conditions or case.draft.parameters is None:
        return
    facts = case.draft.run.shapes.facts
    args = case.written.get("args", {})
    reason = opened(facts, case.draft.parameters, gate, args)
    if reason and not asks:
        case.wrong(
            EXAMPLE_GATE,
            f"These arguments ask for approval ({reason}).",
            hint="Add `asks: approval`, or change `when`.",
        )
    elif asks and not reason:
        message = "These arguments do not ask for approval."
        case.wrong(EXAMPLE_GATE, message, "asks", hint="Change the arguments, or `when`.")


def _check_asks(case: _Case) -> None:
    if "asks" not in case.written:
        return
    name = text(case.written["asks"])
    question = _question(case.tool, name)
    if question is None and name != "approval":
        known = ["approval", *(other.name for other in case.tool.interactions)]
        message = f"This tool never asks `{name}`."
        case.wrong(EXAMPLE_UNDECLARED, message, "asks", hint=did_you_mean(name, known))
        return
    reply = case.written.get("reply", MISSING)
    if isinstance(reply, Missing):
        return
    if question is not None and question.kind == "response":
        case.check(question.response, reply, "reply")
    elif not isinstance(reply, bool):
        case.wrong(EXAMPLE_REPLY, "The reply to this is `true` or `false`.", "reply")
    elif not reply and "denied" not in case.written:
        message = "A call that is refused is denied."
        case.wrong(EXAMPLE_REPLY, message, "reply", hint="Say `denied` and the reason.")


def _question(tool: Tool, name: str) -> Interaction | None:
    return next((other for other in tool.interactions if other.name == name), None)


def _check_outcome(case: _Case) -> None:
    if "output" in case.written:
        case.check(case.tool.output, case.written["output"], "output")
    if "failed" in case.written:
        _check_failed(case)
    if "deferred" in case.written:
        _check_deferred(case)


def _check_failed(case: _Case) -> None:
    code, details = _failed(case)
    failure = next((known for known in case.tool.failures if known.code == code), None)
    if failure is None:
        codes = [known.code for known in case.tool.failures]
        message = f"`{code}` is no failure of this tool."
        case.wrong(EXAMPLE_UNDECLARED, message, "failed", hint=did_you_mean(code, codes))
    elif not isinstance(details, Missing):
        _check_details(case, failure, details)


def _check_details(case: _Case, failure: Failure, details: Json) -> None:
    if failure.details is None:
        message = f"`{failure.code}` has no details."
        case.wrong(EXAMPLE_UNDECLARED, message, "failed", "details")
    else:
        case.check(failure.details, details, "failed", "details")


def _failed(case: _Case) -> tuple[str, Json | Missing]:
    written = case.written.get("failed")
    if isinstance(written, dict):
        return text(written.get("code")), written.get("details", MISSING)
    return text(written), MISSING


def _check_deferred(case: _Case) -> None:
    token, deferral = case.written["deferred"], case.tool.deferred
    if deferral is None:
        message = "This tool cannot finish later."
        case.wrong(EXAMPLE_UNDECLARED, message, "deferred", hint="Declare `deferred`.")
    elif deferral.token is not None:
        case.check(deferral.token, token, "deferred")
    elif token is not True:
        message = "This tool defers without a token."
        case.wrong(EXAMPLE_UNDECLARED, message, "deferred", hint="Write deferred: true")


def _example(case: _Case, title: str) -> Example:
    written = case.written
    code, details = _failed(case)
    return Example(
        title=title,
        args=mapping(written.get("args")),
        description=text(written.get("description")),
        asks=text(written.get("asks")) or None,
        reply=written.get("reply", MISSING),
        output=written.get("output", MISSING),
        failed=code or None,
        details=details,
        denied=text(written["denied"]) if "denied" in written else None,
        deferred=written.get("deferred", MISSING),
        rejects=text(written.get("rejects")) or None,
        span=case.draft.spec.document.span(*case.pointer),
    )
