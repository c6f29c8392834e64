from __future__ import annotations

import asyncio
import logging
import math
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from toolkiln_runtime import (
    Choice,
    Completed,
    Deferred,
    Denied,
    Failed,
    ToolCall,
    ToolFailure,
    ToolModel,
)
from toolkiln_runtime.contract import Deferral, Failure

from .kit import NUMBER, declared, echo, once, outcome, plain, raises, returns, run, schema

OUTPUT = {
    "type": "object",
    "required": ["id"],
    "additionalProperties": False,
    "properties": {"id": {"type": "string"}, "note": {"type": "string"}, "null": {}},
}


async def code(outcome_value: Any, **facts: Any) -> str:
    result = await once(declared(returns(outcome_value), **facts))
    return str(outcome(result).get("code", result.kind))


async def test_E2_siblings_start_together_and_are_reported_in_call_order() -> None:
    log: list[str] = []
    gates = [asyncio.Event() for _ in range(3)]

    async def handler(args: dict[str, Any], _context: object) -> Completed[int]:
        n = args["n"]
        log.append(f"start {n}")
        if n < 2:
            await gates[n].wait()
        log.append(f"end {n}")
        if n > 0:
            gates[n - 1].set()
        return Completed(n)

    calls = [ToolCall(f"c{n}", "t", {"n": n}) for n in range(3)]
    progress = await run(plain(handler), *calls)
    assert log == ["start 0", "start 1", "start 2", "end 2", "end 1", "end 0"]
    assert [outcome(result)["output"] for result in progress.results] == [0, 1, 2]
    assert progress.status == "completed"


async def test_E2_a_failing_sibling_cancels_nobody() -> None:
    async def slow(_args: Any, _context: object) -> Completed[str]:
        await asyncio.sleep(0.02)
        return Completed("done")

    tools = (plain(slow, "slow"), plain(raises(ValueError("x")), "bad"))
    progress = await run(tools, ToolCall("a", "slow", "{}"), ToolCall("b", "bad", "{}"))
    assert [result.kind for result in progress.results] == ["completed", "failed"]


async def test_E2_an_empty_batch_is_completed() -> None:
    progress = await run(plain())
    assert progress.as_json() == {
        "status": "completed",
        "results": [],
        "pending": [],
        "deferred": [],
        "unfinished": [],
        "planId": None,
    }


@pytest.mark.parametrize(
    "error", [ValueError("x"), KeyError(), StopIteration(), RecursionError(), SystemExit(3)]
)
async def test_E3_a_raise_becomes_execution_failed(error: BaseException) -> None:
    result = await once(plain(raises(error)))
    assert outcome(result) == {
        "kind": "failed",
        "code": "tool.execution-failed",
        "message": "The tool failed.",
    }


async def test_E3_a_handler_of_the_wrong_shape_fails_only_its_calls() -> None:
    async def nothing() -> None: ...

    assert outcome(await once(plain(nothing)))["code"] == "tool.execution-failed"  # type: ignore[arg-type]


async def test_E3_exposed_errors_show_their_message() -> None:
    definition = plain(raises(ValueError("the reason")))
    assert outcome(await once(definition, expose_errors=True))["message"] == "the reason"


async def test_E3_exposed_errors_that_cannot_be_shown_are_not() -> None:
    class Broken(Exception):  # noqa: N818
        def __str__(self) -> str:
            raise RuntimeError

    for error in (Broken(), ValueError("\ud800"), ValueError("")):
        result = await once(plain(raises(error)), expose_errors=True)
        assert outcome(result)["message"] == "The tool failed."


@pytest.mark.parametrize("way", [raises, lambda f: returns(Failed(f.code, f.message))])
async def test_E3_a_tool_failure_keeps_its_code(way: Any) -> None:
    failure = ToolFailure("not_found", "No such invoice.")
    for definition in (
        plain(way(failure)),
        declared(way(failure), failures={"not_found": Failure("No.")}),
    ):
        assert outcome(await once(definition)) == {
            "kind": "failed",
            "code": "not_found",
            "message": "No such invoice.",
        }


async def test_E3_the_description_is_the_message_of_a_failure_without_one() -> None:
    definition = declared(returns(Failed("gone", "")), failures={"gone": Failure("It is gone.")})
    assert outcome(await once(definition))["message"] == "It is gone."


async def test_E3_details_are_kept_if_they_fit_and_dropped_if_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Wait(BaseModel):
        seconds: int = Field(alias="retryAfter")

    details = schema({"type": "object", "properties": {"retryAfter": {"type": "integer"}}})
    failures = {"busy": Failure("Busy.", details=details), "none": Failure("None.")}
    for given, kept in [
        (Wait(retryAfter=3), {"retryAfter": 3}),
        ({"retryAfter": 3}, {"retryAfter": 3}),
        ({"retryAfter": "3"}, None),
        ({"retryAfter": math.nan}, None),
        ([1], None),
    ]:
        definition = declared(returns(Failed("busy", "", given)), failures=failures)
        result = outcome(await once(definition))
        assert (result["code"], result.get("details")) == ("busy", kept)
    result = outcome(await once(declared(returns(Failed("none", "", {})), failures=failures)))
    assert "details" not in result
    assert "left out" in caplog.text


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"kind": "completed", "output": 1},
        "done",
        Denied(3),  # type: ignore[arg-type]
        Denied("\ud800"),
        Failed(3, "x"),  # type: ignore[type-var]
        Failed("", "x"),
        Failed("x", None),  # type: ignore[arg-type]
        Completed,
    ],
)
async def test_E3_a_value_that_is_no_outcome_is_an_invalid_result(value: Any) -> None:
    assert await code(value) == "tool.invalid-tool-result"
    assert outcome(await once(plain(returns(value))))["code"] == "tool.invalid-tool-result"


@pytest.mark.parametrize(
    "output", [{}, {"id": 1}, {"id": "a", "more": 1}, None, math.nan, {"id": {1}}, object()]
)
async def test_E3_output_against_its_schema_is_invalid(output: Any) -> None:
    assert await code(Completed(output), output=schema(OUTPUT)) == "tool.invalid-output"


async def test_E3_output_that_is_no_json_is_invalid_even_without_a_schema() -> None:
    assert await code(Completed(math.nan)) == "tool.invalid-output"
    assert await code(Completed({"a": (1,)})) == "tool.invalid-output"


async def test_E3_an_invalid_output_is_told_without_its_values() -> None:
    definition = declared(returns(Completed({"id": 4242})), output=schema(OUTPUT))
    result = outcome(await once(definition))
    assert result["message"] == "The tool's output is not valid: id: must be string"
    assert "4242" not in str(result)


async def test_E3_undeclared_outcomes_have_their_codes() -> None:
    failures = {"known": Failure("Known.")}
    assert await code(Failed("unknown", "x"), failures=failures) == "tool.undeclared-failure"
    assert await code(Failed("tool.unknown", "x")) == "tool.undeclared-failure"
    assert await code(Deferred()) == "tool.undeclared-deferral"


async def test_E3_a_token_must_fit() -> None:
    token = schema({"type": "object", "required": ["job"]})
    for deferral, value, expected in [
        (Deferral(token=token), {}, "tool.invalid-token"),
        (Deferral(token=token), None, "tool.invalid-token"),
        (Deferral(), {"job": 1}, "tool.invalid-token"),
    ]:
        assert await code(Deferred(value), deferred=deferral) == expected
    definition = declared(returns(Deferred({"job": 1})), deferred=Deferral(token=token))
    progress = await run(definition, ToolCall("c", "t", "{}"))
    assert progress.status == "deferred"
    (deferred,) = progress.deferred
    assert deferred.token == {"job": 1}
    assert "job" not in repr(progress) + progress.to_json().decode()
    assert deferred.as_json() == {
        "callId": "c",
        "toolName": "t",
        "invocationId": deferred.invocation_id,
    }


async def test_E4_only_completed_output_is_validated() -> None:
    assert await code(Denied("no"), output=schema(OUTPUT)) == "denied"


async def test_E4_later_changes_by_the_tool_do_not_show() -> None:
    value = {"list": [1]}
    result = await once(plain(returns(Completed(value))))
    value["list"].append(2)
    assert outcome(result)["output"] == {"list": [1]}


class Refund(ToolModel):
    refund_id: str = Field(alias="id")
    note: str | None = None
    null: str | None = None


@pytest.mark.parametrize(
    ("model", "output"),
    [
        (Refund(id="a"), {"id": "a"}),
        (Refund(id="a", note=None), {"id": "a"}),
        (Refund(id="a", note=None, null=None), {"id": "a", "null": None}),
        (Refund(refund_id="a", note="n"), {"id": "a", "note": "n"}),  # type: ignore[call-arg]
    ],
)
async def test_E5_a_model_is_dumped_by_wire_name_without_what_is_unset(
    model: Refund, output: Any
) -> None:
    result = await once(declared(returns(Completed(model)), output=schema(OUTPUT)))
    assert outcome(result) == {"kind": "completed", "output": output}


async def test_E5_a_refused_null_is_left_out_inside_unions_and_lists_too() -> None:
    items = {"type": "array", "items": {"anyOf": [OUTPUT, {"type": "integer"}]}}
    definition = declared(returns(Completed([Refund(id="a", note=None)])), output=schema(items))
    assert outcome(await once(definition))["output"] == [{"id": "a"}]


async def test_E5_a_null_that_a_handler_wrote_itself_is_not_left_out() -> None:
    value = Completed({"id": "a", "note": None})
    assert await code(value, output=schema(OUTPUT)) == "tool.invalid-output"


async def test_E5_a_required_null_is_reported() -> None:
    class Wrong(ToolModel):
        id: str | None

    assert await code(Completed(Wrong(id=None)), output=schema(OUTPUT)) == "tool.invalid-output"


async def test_E6_data_that_looks_like_an_outcome_is_data() -> None:
    value = {"kind": "failed", "code": "x", "message": "y"}
    assert outcome(await once(plain(returns(Completed(value)))))["output"] == value


async def test_E8_a_model_that_refuses_what_the_validator_accepts_is_our_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Args(ToolModel):
        n: Literal[1]

    entered = []

    async def handler(_args: Args, _context: object) -> Completed[None]:
        entered.append(1)
        return Completed(None)

    definition = declared(handler, model=Args, parameters=NUMBER)
    assert outcome(await once(definition, '{"n": 1}'))["output"] is None
    assert outcome(await once(definition, '{"n": 4242}'))["code"] == "tool.internal"
    assert entered == [1]
    assert "a fault of the runtime" in caplog.text


async def test_a_model_accepts_every_integer_that_the_schema_accepts() -> None:
    class Args(ToolModel):
        n: int

    definition = declared(returns(Completed(1)), model=Args, parameters=NUMBER)
    for text in ("1.0", "1e3", "1e19", "1e300", str(2**70)):
        assert (await once(definition, f'{{"n": {text}}}')).kind == "completed"


async def test_a_model_reads_wire_names_only_and_keeps_unknown_properties() -> None:
    class Args(ToolModel):
        depart_date: str | None = Field(default=None, alias="departDate")

    seen: list[Args] = []

    async def handler(args: Args, _context: object) -> Completed[None]:
        seen.append(args)
        return Completed(None)

    await once(declared(handler, model=Args), '{"depart_date": "x"}')
    assert seen[0].depart_date is None
    assert seen[0].model_extra == {"depart_date": "x"}


async def test_the_handler_sees_defaults_and_a_copy_of_its_own() -> None:
    parameters = {
        "type": "object",
        "properties": {
            "a": {"default": 1},
            "list": {"default": []},
            "bad": {"type": "string", "default": 3},
            "inner": {"allOf": [{"$ref": "#/$defs/Inner"}]},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Inner"}},
        },
        "$defs": {"Inner": {"properties": {"b": {"$ref": "#/$defs/B"}}}, "B": {"default": 2}},
    }
    shown = []

    async def handler(args: dict[str, Any], _context: object) -> Completed[Any]:
        args["list"].append(1)
        return Completed(args)

    definition = plain(handler, parameters=parameters)
    for _ in range(2):
        result = await once(
            definition,
            {"inner": {}, "items": [{}, {"b": 3}]},
            policy=lambda request: shown.append((request.call.args, request.args)),
        )
        assert outcome(result)["output"] == {
            "a": 1,
            "list": [1],
            "inner": {"b": 2},
            "items": [{"b": 2}, {"b": 3}],
        }
    sent, filled = shown[1]
    assert sent == {"inner": {}, "items": [{}, {"b": 3}]}
    assert filled["list"] == []


async def test_defaults_of_a_recursive_type_end() -> None:
    parameters = {
        "type": "object",
        "properties": {"child": {"$ref": "#", "default": {}}, "n": {"default": 1}},
    }
    output = outcome(await once(plain(parameters=parameters), "{}"))["output"]
    assert output["n"] == output["child"]["n"] == 1


async def test_a_result_is_parsed_into_its_type() -> None:
    result = await once(declared(returns(Completed({"id": "a"})), output=schema(OUTPUT)))
    parsed = result.parse(Refund)
    assert isinstance(parsed, Completed)
    assert parsed.output.refund_id == "a"
    many = await once(declared(returns(Completed([{"id": "a"}]))))
    listed = many.parse(list[Refund])
    assert isinstance(listed, Completed)
    assert listed.output[0].refund_id == "a"
    denied = await once(declared(returns(Denied("no"))))
    assert denied.parse(Refund) == Denied("no")


async def test_results_have_the_json_form_of_the_page() -> None:
    tools = (
        plain(returns(Completed({"a": 1})), "completed"),
        plain(returns(Denied("no")), "denied"),
        plain(returns(Failed("x", "y", {"z": 1})), "failed"),
    )
    calls = [ToolCall(str(i), definition.name, "{}") for i, definition in enumerate(tools)]
    progress = await run(tools, *calls)
    assert [result.as_json() for result in progress.results] == [
        {"callId": "0", "toolName": "completed", "kind": "completed", "output": {"a": 1}},
        {"callId": "1", "toolName": "denied", "kind": "denied", "reason": "no"},
        {
            "callId": "2",
            "toolName": "failed",
            "kind": "failed",
            "code": "x",
            "message": "y",
            "details": {"z": 1},
        },
    ]


async def test_logs_are_quiet_while_tools_work(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await run(plain(echo), ToolCall("a", "t", "{}"), ToolCall("b", "t", "{}"))
    assert not [record for record in caplog.records if record.name.startswith("toolkiln")]


def test_choices_are_values() -> None:
    assert Choice(1, "one") == Choice(1, "one")
