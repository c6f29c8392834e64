"""OpenTelemetry: one span an attempt, named and described as GenAI conventions say (V2).

The extra `otel` brings the library that this needs; without a configured SDK spans go nowhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .events import Event
from .tracing import Beginning, End
from .values import encode

try:
    from opentelemetry import context
    from opentelemetry.trace import (
        SpanKind,
        StatusCode,
        TracerProvider,
        get_tracer,
        set_span_in_context,
    )
except ImportError as error:
    raise ImportError("tracing needs `pip install toolkiln-runtime[otel]`") from error


class Telemetry:
    """An observer for executors. Spans of what a handler does itself become children of its own.

    A pause, a deferral and a denial are outcomes and no errors; a failure sets `error.type` to its
    code. *record_content* adds arguments and outputs, which never hold what is marked sensitive.
    """

    def __init__(
        self, tracer_provider: TracerProvider | None = None, *, record_content: bool = False
    ) -> None:
        self._tracer = get_tracer("toolkiln_runtime", tracer_provider=tracer_provider)
        self._content = record_content

    def __call__(self, event: Event, /) -> None:
        """Events beside attempts make no span."""

    def attempt(self, beginning: Beginning, /) -> Callable[[End], None]:
        """Start the span of an attempt; gives what ends it."""
        event = beginning.event
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": event.tool_name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": event.call_id,
            "gen_ai.conversation.id": event.session_id,
            "toolkiln.turn.id": event.turn_id,
            "toolkiln.step.id": event.step_id,
            "toolkiln.invocation.id": event.invocation_id,
        }
        if beginning.description:
            attributes["gen_ai.tool.description"] = beginning.description
        if self._content:
            attributes["gen_ai.tool.call.arguments"] = _text(beginning.args())
        span = self._tracer.start_span(
            f"execute_tool {event.tool_name}", kind=SpanKind.INTERNAL, attributes=attributes
        )
        token = context.attach(set_span_in_context(span))

        def end(ended: End) -> None:
            context.detach(token)
            span.set_attribute("toolkiln.outcome", ended.kind)
            if self._content and ended.output is not None:
                span.set_attribute("gen_ai.tool.call.result", _text(ended.output()))
            if ended.code is not None:
                span.set_attribute("error.type", ended.code)
                span.set_status(StatusCode.ERROR)
            span.end()

        return end


def _text(value: Any) -> str:
    return encode(value).decode()
