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

WORD = "SENTINEL-5f2c"
STRING = {"type": "object", "properties": {"p": {"type": "integer"}}}


class Args(ToolModel):
    p: int


def sync(_args: Any, _context: object) -> None:
    raise ValueError(WORD)


async def stateful(_args: Any, context: ToolExecutionContext) -> Completed[Any]:
    return Completed(await context.state)


def fails(_request: object) -> None:
    raise ValueError(WORD)


CASES: list[tuple[Any, dict[str, Any]]] = [
    (plain(raises(ValueError(WORD))), {}),
    (plain(raises(SystemExit(WORD))), {}),
    (plain(sync), {}),
    (plain(stateful), {}),
    (plain(returns(WORD)), {}),
    (plain(returns(Completed({WORD}))), {}),
    (plain(returns(Completed({"a": object(), "b": WORD}))), {}),
    (declared(returns(Completed({"p": WORD})), output=schema(STRING)), {}),
    (declared(returns(Completed({"p": WORD})), output=schema({"enum": [1]})), {}),
    (declared(returns(Failed(WORD, WORD))), {}),
    (
        declared(
            returns(Failed("x", "y", {"p": WORD})),
            failures={"x": Failure("x", details=schema(STRING))},
        ),
        {},
    ),
    (declared(returns(Deferred({"p": WORD})), deferred=Deferral(token=schema(STRING))), {}),
    (declared(returns(Deferred({"p": WORD}))), {}),
    (plain(returns(Deferred({"p": WORD}))), {}),
    (
        declared(
            returns(
                InteractionRequired(
                    Interaction(kind="approval", name="q", metadata={"p": WORD}), WORD
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
    (plain(), {"policy": lambda _request: WORD}),
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
    calls = [ToolCall("c", "t", {"p": WORD}), ToolCall("d", "t", f'{{"p": "{WORD}"}}')]
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
    assert WORD not in repr(shown) + repr(events)
    assert WORD not in caplog.text


async def test_E3_the_debug_log_has_the_traceback(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await run(plain(raises(ValueError(WORD))), ToolCall("c", "t", "{}"))
    assert WORD in caplog.text
    assert "Traceback" in caplog.text


async def test_a_policy_request_does_not_show_arguments_by_accident() -> None:
    requests = []
    runner = executor(plain(), policy=requests.append)
    ids = {"session_id": "s", "turn_id": "t", "step_id": "p"}
    await runner.run([ToolCall("c", "t", {"p": WORD})], **ids)
    assert WORD not in repr(requests)
