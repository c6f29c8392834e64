"""Calls in the words of people: what they wait for, how old they are, why a reply was refused."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any, Final

from ..report import visible

if TYPE_CHECKING:
    from ..host import PendingInteraction, Reply, ToolError

_UNITS: Final = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
_NEW: Final = 60
"""Seconds for which something has happened just now."""

_HOW: Final = {
    "approved": "has approved it",
    "refused": "has refused it",
    "answered": "has answered it",
    "cancelled": "has cancelled the call",
    "settled": "has settled the call",
}
_ENDED: Final = {
    None: "has no result yet",
    "completed": "has completed",
    "denied": "was denied",
    "failed": "has failed",
}
_SAID: Final = {
    "interaction.unknown": "No question has this id. `toolkiln pending` lists those that are open.",
    "interaction.expired": "Nobody answered in time, and the call has ended.",
    "record.unknown-tool": "The tool of this call is gone. `toolkiln settle` or `toolkiln cancel` "
    "ends the call.",
    "record.contract-changed": "The contract of this tool is another one than when the call was "
    "made. `toolkiln settle` or `toolkiln cancel` ends the call.",
    "record.no-key": "The call holds secrets, and the key that sealed them is neither in "
    "TOOLKILN_KEYS nor in .toolkiln/keys.",
    "invocation.unknown": "No call has this id. `toolkiln pending` lists those that wait.",
    "invocation.running": "A process is at this call right now. `toolkiln cancel` interrupts it.",
}
_STATES: Final = {
    "waiting": "waits for the approvals of other calls",
    "running": "is running",
    "uncertain": "is uncertain: its process died, and what it has done is not known",
    "blocked": "is blocked: its tool is gone, or has another contract",
}


def amount(seconds: float) -> str:
    """A length of time, in the largest unit that says it well."""
    for unit, size in _UNITS:
        if round(seconds / size) > 1:
            return f"{round(seconds / size)} {unit}"
    return "1 second"


def age(seconds: float) -> str:
    """How long ago something was."""
    return "just now" if seconds < _NEW else f"{amount(seconds)} ago"


def wants(pending: PendingInteraction) -> str:
    """What an open question asks for, and whether anything has run before it."""
    needs = "an approval" if pending.interaction.kind == "approval" else "an answer"
    return f"{needs}, and nothing has run" if pending.gate else needs


def state(name: str) -> str:
    """What a call without a result or a question is at."""
    return _STATES[name]


def blocked(code: str) -> str:
    """Why an open question takes no answer."""
    return _SAID.get(code, code)


def ways(pending: PendingInteraction) -> list[str]:
    """The commands that answer an open question."""
    name = word(pending.interaction.id)
    if pending.interaction.kind == "response":
        return [f"toolkiln respond {name} VALUE"]
    return [f"toolkiln approve {name}", f"toolkiln deny {name} --reason TEXT"]


def word(text: str) -> str:
    """*text* as one word of a command line."""
    return visible(shlex.quote(text))


def inline(value: Any) -> str:
    """*value* as JSON on one line that a terminal only shows."""
    return _escaped(json.dumps(value, ensure_ascii=False))


def block(value: Any) -> str:
    """*value* as JSON on several lines that a terminal only shows."""
    return _escaped(json.dumps(value, indent=2, ensure_ascii=False))


def _escaped(text: str) -> str:
    # Strangers write values, and a terminal obeys what is printed; as JSON an escape is the same.
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def refusal(error: ToolError, reply: Reply | None, now: float) -> str:
    """Why the runtime has refused a reply; *reply* is the one that came first, if one did."""
    code = error.code
    if code in {"interaction.answered", "invocation.settled"}:
        said = "It is over already." if reply is None else _first(reply, now)
    elif code == "interaction.wrong-kind":
        said = f"{error.message} Use `toolkiln respond` for an answer, and `toolkiln approve` or "
        said += "`toolkiln deny` for an approval."
    else:
        said = _SAID.get(code, error.message)
    return f"error {code}: {visible(said)}"


def _first(reply: Reply, now: float) -> str:
    ended = _ENDED[reply.outcome]
    if reply.how is None:
        return f"The call {ended}."
    if reply.how == "expired":
        return f"Nobody answered in time. The call {ended}."
    return f"{reply.by or 'Somebody'} {_HOW[reply.how]} {age(now - reply.at)}. The call {ended}."
