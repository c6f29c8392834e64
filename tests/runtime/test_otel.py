"""Spans of attempts (V2)."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, get_current_span

from toolkiln_runtime import (
    Completed,
    Deferred,
    Denied,
    Failed,
    Interaction,
    InteractionRequired,
    ToolExecutionContext,
)
from toolkiln_runtime.contract import Approval
from toolkiln_runtime.otel import Telemetry

from .kit import declared, executor, plain, raises, returns, schema
from .test_replies import Tool, asking, asks, ids, start


class Spans:
    """A provider that keeps what is exported."""

    def __init__(self, **settings: Any) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.observer = Telemetry(self.provider, **settings)

    def finished(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


async def test_V2_an_attempt_is_a_span_of_the_genai_conventions() -> None:
    spans = Spans()
    runner = executor(plain(name="pay", description="Pays."), observers=[spans.observer])
    await start(runner, "pay", arguments={"p": "SENTINEL"})
    (span,) = spans.finished()
    assert (span.name, span.kind) == ("execute_tool pay", SpanKind.INTERNAL)
    found = attributes(span)
    assert found.pop("toolkiln.invocation.id").startswith("inv_")
    assert found == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "pay",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": "Pays.",
        "gen_ai.tool.call.id": "c0",
        "gen_ai.conversation.id": "ses",
        "toolkiln.turn.id": "turn",
        "toolkiln.step.id": "step",
        "toolkiln.outcome": "completed",
    }
    assert span.status.status_code is StatusCode.UNSET


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (Denied("no"), "denied"),
        (Deferred("SENTINEL"), "deferred"),
        (InteractionRequired(Interaction(kind="approval", prompt="?")), "interaction-required"),
    ],
)
async def test_V2_pauses_deferrals_and_denials_are_no_errors(result: Any, kind: str) -> None:
    spans = Spans()
    await start(executor(plain(returns(result)), observers=[spans.observer]), "t")
    (span,) = spans.finished()
    assert span.status.status_code is StatusCode.UNSET
    assert attributes(span)["toolkiln.outcome"] == kind
    assert "error.type" not in attributes(span)
    assert not span.events


async def test_V2_a_failure_has_its_code_and_no_text() -> None:
    spans = Spans()
    tools = (
        plain(raises(ValueError("SENTINEL")), "bad"),
        plain(returns(Failed("not_found", "SENTINEL")), "own"),
    )
    await start(executor(*tools, observers=[spans.observer]), "bad", "own", "none")
    codes = [attributes(span)["error.type"] for span in spans.finished()]
    assert codes == ["tool.execution-failed", "not_found"]
    for span in spans.finished():
        assert span.status.status_code is StatusCode.ERROR
        assert "SENTINEL" not in span.to_json()


async def test_V2_each_attempt_is_a_span_of_its_own_and_a_gate_is_none() -> None:
    spans = Spans()
    tool, definition = asking(asks(), approval=Approval(prompt=("?",)))
    runner = executor(definition, observers=[spans.observer])
    progress = await start(runner, "t")
    assert not spans.finished()
    progress = await runner.approve(*ids(progress), approved=True)
    await runner.approve(*ids(progress), approved=True)
    outcomes = [attributes(span)["toolkiln.outcome"] for span in spans.finished()]
    assert outcomes == ["interaction-required", "completed"]
    assert len({attributes(span)["toolkiln.invocation.id"] for span in spans.finished()}) == 1
    assert len(tool.args) == 2


@pytest.mark.parametrize("count", [1, 3])
async def test_V2_spans_of_the_handler_are_children_of_its_own(count: int) -> None:
    spans = Spans()

    async def handler(_args: Any, _context: ToolExecutionContext) -> Completed[None]:
        with spans.provider.get_tracer("x").start_as_current_span("query"):
            return Completed(None)

    def threaded(args: Any, context: ToolExecutionContext) -> Any:
        return handler(args, context)

    for execute in (handler, threaded):
        spans.exporter.clear()
        runner = executor(plain(execute), observers=[spans.observer])
        await start(runner, *["t"] * count)
        own = {span.context.span_id: span for span in spans.finished() if span.name != "query"}
        inner = [span for span in spans.finished() if span.name == "query"]
        assert len(own) == len(inner) == count
        assert {span.parent.span_id for span in inner if span.parent} == set(own)
        assert not get_current_span().get_span_context().is_valid
        await runner.close()


async def test_V2_content_is_recorded_only_if_asked_for_and_never_what_is_sensitive() -> None:
    secret = {"type": "object", "properties": {"p": {"x-sensitive": True}}}
    given = {"p": "SENTINEL", "q": 1}
    for record in (False, True):
        spans = Spans(record_content=record)
        runner = executor(
            declared(Tool(), parameters=secret, output=schema(secret)), observers=[spans.observer]
        )
        await start(runner, "t", arguments=given)
        (span,) = spans.finished()
        found = attributes(span)
        assert "SENTINEL" not in span.to_json()
        content = '{"p":{"$sensitive":true},"q":1}'
        assert found.get("gen_ai.tool.call.arguments") == (content if record else None)
        assert found.get("gen_ai.tool.call.result") == (content if record else None)


async def test_V1_a_tracer_that_fails_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Bad:
        def __call__(self, _event: object) -> None:
            raise ValueError

        def attempt(self, _beginning: object) -> Any:
            raise ValueError

    class Worse(Bad):
        def attempt(self, _beginning: object) -> Any:
            def end(_end: object) -> None:
                raise ValueError

            return end

    progress = await start(executor(plain(), observers=[Bad(), Worse()]), "t")
    assert progress.results[0].kind == "completed"
    assert "an observer failed" in caplog.text
