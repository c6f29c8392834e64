"""What docstrings say: the contract's own texts, and its facts in words."""

from __future__ import annotations

import json
from typing import Final

from toolkiln.contract import (
    Approval,
    Deprecation,
    Effects,
    Failure,
    Interaction,
    Namespace,
    Prompt,
    Test,
    Tool,
)

_UNITS: Final = (("days", 86_400_000), ("hours", 3_600_000), ("minutes", 60_000), ("seconds", 1000))


def tool_doc(tool: Tool) -> str:
    """Everything that who writes or reads a handler wants to know."""
    paragraphs = [
        tool.description or tool.title or f"The tool `{tool.name}`.",
        deprecation(tool.deprecated),
        _effects(tool.effects),
        _approval(tool.approval),
        _failures(tool.failures),
        _questions(tool.interactions),
        "It may finish later: return a `Deferred`." if tool.deferred else "",
        f"One attempt may take {_duration(tool.timeout)}." if tool.timeout else "",
        f"The caller needs {_listed(tool.scopes)}." if tool.scopes else "",
    ]
    return "\n\n".join(filter(None, paragraphs))


def deprecation(deprecated: Deprecation | None) -> str:
    """In one line why a tool should not be used, and what to use; empty if it may be used."""
    if deprecated is None:
        return ""
    note = " ".join(deprecated.note.split())
    # The sentences that follow need an end to follow.
    end = "" if note.endswith((".", "!", "?")) else "."
    use = f" Use `{deprecated.use}` instead." if deprecated.use else ""
    sunset = f" It goes away on {deprecated.sunset}." if deprecated.sunset else ""
    return f"Deprecated: {note}{end}{use}{sunset}"


def field_doc(description: str, hint: str) -> str:
    """The description of a field and what its schema says beyond its type."""
    text = description.strip()
    if not text or not hint:
        return text or hint
    if "\n" in text:
        return f"{text}\n\n{hint}"
    return f"{text}{'.' if text[-1].isalnum() or text[-1] in ')`' else ''} {hint}"


def failure_doc(failure: Failure) -> str:
    """What a failure means, and whether it may pass."""
    passing = "\n\nThe same call may succeed later." if failure.retryable else ""
    return f"{failure.description}{passing}"


def question_doc(interaction: Interaction) -> str:
    """What a person is asked."""
    expires = (
        f"\n\nThe question expires after {_duration(interaction.expires)}."
        if interaction.expires
        else ""
    )
    return f"Ask: {prompt(interaction.prompt)}{expires}"


def testing_doc(namespace: Namespace, function: str, keyword: str) -> str:
    """What testing.py is for; *keyword* is what registration calls one of the tools."""
    return f"""The tools of `{namespace.name}` for tests of what calls them: no handler runs.

    tools = fake_{function}({keyword}=Denied("Not now."))
    executor = Executor(Catalog([tools]))

Nothing else in the package imports this module."""


def fakes_doc(namespace: Namespace) -> str:
    """What a tool does for which a test says something, and for which it says nothing."""
    first = f"The tools of `{namespace.name}`, each with what a test says in place of its handler."
    return (
        f"{first}\n\nWhere it says nothing, a tool completes with an output that its schema "
        "accepts. An outcome (or an exception, to be raised) stands for every attempt. Of a list "
        "each attempt takes the next, None being made up; one attempt too many raises "
        "`toolkiln_runtime.testing.Unscripted`. A function is called as a handler would be."
    )


def prompt(pieces: Prompt) -> str:
    """A prompt as its author wrote it."""
    return "".join(
        piece if isinstance(piece, str) else f"{{{'.'.join(filter(None, piece))}}}"
        for piece in pieces
    )


def _effects(effects: Effects) -> str:
    words = [
        "reads only" if effects.read_only else "may destroy" if effects.destructive else "adds",
        *(["safe to repeat"] if effects.idempotent and not effects.read_only else []),
        "reaches the outside world" if effects.open_world else "stays in this system",
    ]
    return f"Effects: {', '.join(words)}."


def _approval(approval: Approval | None) -> str:
    if approval is None:
        return ""
    conditions = [" and ".join(map(_test, each)) for each in approval.conditions]
    when = f" if {', or if '.join(conditions)}" if conditions else ""
    return f"A person is asked before it runs{when}: {prompt(approval.prompt)}"


def _test(test: Test) -> str:
    path = f"`{'.'.join(test.path)}`"
    match test.schema:
        case {"const": value, **rest} if not rest:
            return f"{path} is {json.dumps(value, ensure_ascii=False)}"
        case _:
            return f"{path} fits {json.dumps(test.schema, ensure_ascii=False)}"


def _failures(failures: tuple[Failure, ...]) -> str:
    lines = [f"- `{failure.code}`: {' '.join(failure.description.split())}" for failure in failures]
    return "\n".join(["It may fail with:", *lines]) if lines else ""


def _questions(interactions: tuple[Interaction, ...]) -> str:
    names = [interaction.name for interaction in interactions]
    return f"It may ask {_listed(names)}." if names else ""


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _duration(milliseconds: int) -> str:
    for unit, size in _UNITS:
        if milliseconds % size == 0:
            count = milliseconds // size
            return f"{count} {unit if count > 1 else unit[:-1]}"
    return f"{milliseconds} milliseconds"
