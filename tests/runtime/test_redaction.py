"""No value of a model, and no text of an exception, gets out where nobody asked for it."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from toolkiln_runtime import (
    Completed,
    Deferred,
    Denied,
    Failed,
    Interaction,
    InteractionRequired,
    ToolCall,
    ToolExecutionContext,
    ToolModel,
)
from toolkiln_runtime.contract import Approval, Deferral, Failure, Question
from toolkiln_runtime.contract import Test as Check

from .kit import declared, executor, plain, raises, returns, run, schema

SECRET = "SENTINEL-5f2c"
STRING = {"type": "object", "properties": {"p": {"type": "integer"}}}


class Args(ToolModel):
    p: int


def sync(_args: Any, _context: object) -> None:
    raise ValueError(SECRET)


async def stateful(_args: Any, context: ToolExecutionContext) -> Completed[Any]:
    return Completed(await context.state)


def fails(_request: object) -> None:
    raise ValueError(SECRET)


CASES: list[tuple[Any, dict[str, Any]]] = [
    (plain(raises(ValueError(SECRET))), {}),
    (plain(raises(SystemExit(SECRET))), {}),
    (plain(sync), {}),
    (plain(stateful), {}),
    (plain(returns(SECRET)), {}),
    (plain(returns(Completed({SECRET}))), {}),
    (plain(returns(Completed({"a": object(), "b": SECRET}))), {}),
    (declared(returns(Completed({"p": SECRET})), output=schema(STRING)), {}),
    (declared(returns(Completed({"p": SECRET})), output=schema({"enum": [1]})), {}),
    (declared(returns(Failed(SECRET, SECRET))), {}),
    (
        declared(
            returns(Failed("x", "y", {"p": SECRET})),
            failures={"x": Failure("x", details=schema(STRING))},
        ),
        {},
    ),
    (declared(returns(Deferred({"p": SECRET})), deferred=Deferral(token=schema(STRING))), {}),
    (declared(returns(Deferred({"p": SECRET}))), {}),
    (plain(returns(Deferred({"p": SECRET}))), {}),
    (
        declared(
            returns(
                InteractionRequired(
                    Interaction(kind="approval", name="q", metadata={"p": SECRET}), SECRET
                )
            ),
            interactions={"q": Question(kind="approval", prompt=("?",), metadata=schema(STRING))},
        ),
        {},
    ),
    (declared(parameters=STRING, model=Args), {}),
    (declared(parameters={"type": "object"}, model=Args), {}),
    (plain(parameters=STRING), {}),
    (plain(parameters=Args), {}),
    (plain(), {"policy": fails}),
    (plain(), {"policy": lambda _request: SECRET}),
    (
        declared(
            approval=Approval(prompt=("?",), conditions=((Check(("p",), '{"type": "odd"}'),),))
        ),
        {},
    ),
    (plain(returns(Denied(3))), {}),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("definition", "settings"), CASES)
async def test_E3_secrets_stay_out_of_results_reprs_and_the_ordinary_log(
    definition: Any, settings: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    calls = [ToolCall("c", "t", {"p": SECRET}), ToolCall("d", "t", '{"p": "%s"}' % SECRET)]
    events: list[Any] = []
    progress = await run(definition, *calls, **settings, observers=[events.append])
    form = progress.as_json()
    for pending in form["pending"]:
        # The person who decides sees the arguments, where they are not sensitive.
        del pending["args"]
        if "metadata" in pending["interaction"]:
            del pending["interaction"]["metadata"]
    for result in form["results"]:
        result.pop("output", None)
    shown = [form, progress, progress.results, progress.pending, progress.deferred, calls]
    assert SECRET not in repr(shown) + repr(events)
    assert SECRET not in caplog.text


async def test_E3_the_debug_log_has_the_traceback(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await run(plain(raises(ValueError(SECRET))), ToolCall("c", "t", "{}"))
    assert SECRET in caplog.text
    assert "Traceback" in caplog.text


async def test_a_policy_request_does_not_show_arguments_by_accident() -> None:
    requests = []
    runner = executor(plain(), policy=requests.append)
    ids = {"session_id": "s", "turn_id": "t", "step_id": "p"}
    await runner.run([ToolCall("c", "t", {"p": SECRET})], **ids)
    assert SECRET not in repr(requests)
