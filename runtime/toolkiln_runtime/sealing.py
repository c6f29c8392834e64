"""From calls as a model made them to calls that may run (S1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from msgspec import Struct, to_builtins

from .catalog import Catalog
from .compiled import Compiled, ViewRefused, model_problems
from .context import ToolExecutionResume
from .definition import BoundToolDefinition
from .ids import call_id, invocation_id
from .interactions import RequiredInteraction
from .logs import fault
from .outcomes import Failed
from .problems import Problem, summary
from .prompts import HIDDEN
from .results import SealedToolCall, ToolCall, ToolResult
from .sensitive import Mask
from .values import InvalidJson, encode, fresh, is_text, parse, printable, strict

LARGE: Final = 16_384
"""Bytes of arguments of which only the first problem is told: listing them all takes too long."""
_NAME: Final = 128
_NONE: Final[frozenset[str]] = frozenset()

INTERNAL: Final = Failed("tool.internal", "The tool could not be run: a fault of the runtime.")


class Sealed(Struct, eq=False):
    """A valid call with all that its attempts need."""

    call_id: str
    text: bytes
    """The arguments as sent: strict JSON."""
    tool: BoundToolDefinition
    compiled: Compiled
    invocation_id: str
    parsed: Any
    """What *text* says, until the first attempt takes it."""
    gate: RequiredInteraction | None = None
    """The question that has to be answered before it may start."""
    granted: ToolExecutionResume[None, None] | None = None
    """The approval that answered it."""
    resume: ToolExecutionResume[Any, Any] | None = None
    """The answer to a question of the handler, as JSON."""
    asked: str = ""
    """The declared name of that question."""

    @property
    def call(self) -> SealedToolCall:
        """The call as others may see it."""
        return SealedToolCall(self.call_id, self.tool.name, self.text)

    def plain(self) -> dict[str, Any]:
        """A copy of the arguments as sent."""
        return cast("dict[str, Any]", fresh(self.text))

    def args(self) -> dict[str, Any]:
        """A copy of the arguments with the declared defaults filled in."""
        args: dict[str, Any] = fresh(self.text)
        if self.compiled.fill is not None:
            self.compiled.fill(args)
        return args

    def typed(self) -> Any:
        """The arguments as the handler takes them, a copy for each attempt; raises ViewRefused."""
        compiled, args = self.compiled, self.parsed
        if args is None:
            args = fresh(self.text)
        else:
            self.parsed = None
        fill, view = compiled.fill, compiled.view
        if fill is not None:
            fill(args)
        return args if view is None else view(args)

    def resumed(self) -> ToolExecutionResume[Any, Any] | None:
        """The answer as the handler takes it; raises ViewRefused."""
        resume = self.resume
        if resume is None:
            return None
        views = self.compiled.answers.get(self.asked)
        if views is None:
            return resume
        value, token = resume.value, resume.token
        if views.response is not None and resume.kind == "response":
            value = views.response(value)
        if views.token is not None and token is not None:
            token = views.token(token)
        made: ToolExecutionResume[Any, Any] = views.resume()(
            interaction_id=resume.interaction_id,
            kind=resume.kind,
            approved=resume.approved,
            value=value,
            token=token,
        )
        return made

    def hidden(self) -> Mask:
        """Stars in the place of sensitive arguments, for prompts."""
        return Mask(self.compiled.document, HIDDEN)

    def failed(self, code: str, message: str, details: Any = None) -> ToolResult:
        """The call's end."""
        return ToolResult(self.call_id, self.tool.name, Failed(code, message, details))


Entry: TypeAlias = ToolResult | Sealed
"""One call of a batch: settled at once, or executable."""


def seal(catalog: Catalog, batch: Iterable[ToolCall]) -> list[Entry]:
    """Check each call of *batch*; the first check that fails settles it."""
    calls = list(batch)
    if len(calls) == 1:
        return [_seal(catalog, calls[0], _NONE)]
    return _several(catalog, calls)


def _several(catalog: Catalog, calls: Sequence[ToolCall]) -> list[Entry]:
    # Apart, because what a comprehension shares with its function is slower in all of that.
    counted = Counter(call.id for call in calls if isinstance(call.id, str))
    repeated = frozenset(name for name, count in counted.items() if count > 1)
    return [_seal(catalog, call, repeated) for call in calls]


def _seal(catalog: Catalog, call: ToolCall, repeated: frozenset[str]) -> Entry:
    # What the types promise about a call is what a model has to be held to.
    identifier: Any = call.id
    name: Any = call.name
    if type(identifier) is not str or not identifier or not is_text(identifier):
        return _renamed(call, "tool.invalid-call-id", "The call has no valid id.")
    if identifier in repeated:
        return _renamed(
            call, "tool.duplicate-call-id", "Several calls of one step have the same id."
        )
    tool = catalog.find(name) if type(name) is str else None
    if tool is None:
        return ToolResult(identifier, _shown(name), _unknown(catalog, name))
    try:
        return check(tool, identifier, call.arguments)
    except InvalidJson as error:
        problem = Failed("tool.invalid-arguments", f"The arguments are not valid: {error}.")
    except Exception as error:  # noqa: BLE001 - whatever it is, the call gets its result
        fault(error, "tool %s could not be prepared", name)
        problem = INTERNAL
    return ToolResult(identifier, name, problem)


def _shown(name: object) -> str:
    return printable(name) if isinstance(name, str) else "unknown"


def _renamed(call: ToolCall, code: str, message: str) -> ToolResult:
    """The failure of a call that cannot keep its id, to be answered under it all the same."""
    requested = printable(call.id) if isinstance(call.id, str) else ""
    return ToolResult(call_id(), _shown(call.name), Failed(code, message), requested)


def _unknown(catalog: Catalog, name: object) -> Failed[str]:
    message = "There is no such tool."
    if isinstance(name, str):
        present = catalog.former.get(name)
        if present is not None:
            message = f"This tool is called {present} now."
        else:
            from difflib import get_close_matches

            nearest = get_close_matches(name[:_NAME], catalog.tools, n=1)
            if nearest:
                message = f"There is no such tool. Did you mean {nearest[0]}?"
    return Failed("tool.unknown", message)


def check(tool: BoundToolDefinition, identifier: str, arguments: object) -> Entry:
    """A call with these arguments (S1.4, S1.5); raises InvalidJson."""
    core = tool.core
    compiled = core.ready or core.compiled
    if type(arguments) is str:
        try:
            text = arguments.encode()
        except UnicodeEncodeError:
            raise InvalidJson("a string with a lone surrogate") from None
        args = parse(text)
    else:
        text, args = _other(arguments)
    if type(args) is not dict:
        raise InvalidJson("not a JSON object")
    sealed = Sealed(identifier, text, tool, compiled, invocation_id(), args)
    if not compiled.accepts(args):
        return _invalid(sealed, compiled.arguments.problems(args, large=len(text) > LARGE))
    if compiled.view is not None and not core.declared:
        # A model that somebody wrote may check more than its schema says.
        try:
            compiled.view(sealed.args())
        except ViewRefused as error:
            return _invalid(sealed, model_problems(error.__cause__))
    return sealed


def _other(arguments: object) -> tuple[bytes, Any]:
    """Arguments that are not text: as JSON text, and what it says; raises InvalidJson."""
    if isinstance(arguments, bytes):
        return arguments, parse(arguments)
    if not isinstance(arguments, Mapping):
        raise InvalidJson("neither JSON text nor an object")
    args = strict(dict(cast("Any", arguments)))
    return encode(args), args


def _invalid(sealed: Sealed, problems: list[Problem]) -> ToolResult:
    message, named = summary(problems)
    return sealed.failed("tool.invalid-arguments", message, to_builtins(named))
