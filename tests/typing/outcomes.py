# pyright: reportUnnecessaryTypeIgnoreComment=true
"""The types of outcomes as their users see them. It is checked and never run.

A line that must be an error carries `type: ignore`: both checkers complain if it is needless.
"""

from typing import Any, Literal, assert_type

from toolkiln_runtime import (
    Catalog,
    Completed,
    Deferred,
    Denied,
    Executor,
    Failed,
    Progress,
    ToolCall,
)

Codes = Literal["not_found", "sold_out"]
Outcome = Completed[int] | Denied | Failed[Codes]


def allowed(number: int) -> Outcome:
    if number == 0:
        return Denied("no")
    return Completed(number) if number > 0 else Failed("not_found", "no such thing")


def refused(number: int) -> Outcome:
    if number == 0:
        return Failed("nowhere", "a code that is not declared")  # type: ignore[arg-type]
    if number == 1:
        return Completed("an output of another type")  # type: ignore[arg-type]
    return Deferred()  # type: ignore[return-value]


def narrowed(outcome: Outcome) -> str:
    match outcome:
        case Completed(output):
            assert_type(output, int)
            return str(output)
        case Denied(reason):
            return reason
        case Failed(code, message):
            assert_type(code, Codes)
            return message


def frozen(outcome: Completed[int]) -> None:
    outcome.output = 2  # type: ignore[misc]


async def run(executor: Executor) -> None:
    progress = await executor.run(
        [ToolCall("call_1", "buy", {"what": "bread"})],
        session_id="s",
        turn_id="t",
        step_id="p",
    )
    assert_type(progress, Progress)
    assert_type(progress.results[0].parse(int), Completed[int] | Denied | Failed[str])
    assert_type(progress.as_json(), dict[str, Any])


def made(slots: list[str]) -> Catalog:
    return Catalog(slots)  # type: ignore[arg-type]
