"""What people write instead of the keys and values of the format, and what to tell them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Word:
    """A text for a key or value that is often written."""

    message: str
    hint: str = ""
    means: str = ""
    """The key that it stands for, if there is one."""


def _called(name: str, *others: str) -> dict[str, Word]:
    word = Word(f"This key is called `{name}` here.", "", name)
    return dict.fromkeys(others, word)


_MCP: Final = "`toolkiln import mcp` converts whole files."
_CODE: Final = Word("A spec holds no code.", "`toolkiln generate` writes a handler to fill in.")
_AT_FILE: Final = Word("This stands at the top of the file, not at a tool.")

_TOOL: Final[Mapping[str, Word]] = {
    **_called("parameters", "inputSchema", "input_schema", "args", "arguments", "input"),
    **_called("output", "outputSchema", "output_schema", "returns", "result"),
    **dict.fromkeys(
        ("annotations", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"),
        Word("This is called `effects: {read_only: ...}` here.", _MCP, "effects"),
    ),
    "errors": Word("This key is called `failures` here.", _MCP, "failures"),
    "requires_approval": Word("This key is called `approval` here.", _MCP, "approval"),
    **dict.fromkeys(("run", "handler", "code", "script", "command"), _CODE),
    **dict.fromkeys(("namespace", "version"), _AT_FILE),
    "name": Word("The name of a tool is its key: `refund_invoice:` and the tool below it."),
}

KEYS: Final[Mapping[str, Mapping[str, Word]]] = {
    "A spec file": {
        **_called("$defs", "definitions", "types", "schemas", "components"),
        **_called("failures", "errors"),
        **_called("namespace", "package", "name"),
    },
    "A tool": _TOOL,
    "An `x-tool`": {
        key: word for key, word in _TOOL.items() if key not in ("name", "namespace", "version")
    }
    | {"parameters": Word("The parameters are the schema around `x-tool`.")},
    "Defaults": dict.fromkeys(
        (
            *("title", "description", "effects", "parameters", "output", "failures", "approval"),
            *("interactions", "deferred", "stability", "deprecated", "formerly", "examples"),
            "suppress",
        ),
        Word("This stands at the tool: it has no default."),
    ),
    "A failure": _called("description", "message", "text") | _called("details", "data", "schema"),
    "An approval": _called("prompt", "message", "question", "text") | _called("when", "if"),
    "An interaction": {
        **_called("prompt", "message", "question", "text", "description"),
        **_called("response", "schema", "answer", "output"),
        **_called("kind", "type"),
    },
    "An example": {
        **_called("args", "arguments", "input", "parameters"),
        **_called("output", "returns", "result", "outputs"),
        **_called("failed", "fails", "failure", "error"),
    },
    "A suppression": _called("reason", "because", "why", "note") | _called("rule", "id"),
}
"""Unknown keys, by the title of the schema that does not know them."""

VALUES: Final[Mapping[tuple[str, object], str]] = {
    ("approval", True): "`approval: always` asks before every call.",
    ("approval", False): "`approval: never` is the default: leave the key out.",
    ("deferred", False): "Without the key a call cannot be deferred: leave it out.",
    ("formats", True): "`formats: assert` is the default.",
    ("formats", False): "`formats: note` only describes values.",
    ("when", True): "`when: always` is the default.",
    ("when", "never"): "For no question at all leave `approval` out.",
}
"""Hints for values that are wrong at a key."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A text for keys that do not go together."""

    rule: str
    message: str
    hint: str
    about: tuple[str, ...]
    """The keys that the rule asks for: a misspelt one of them explains the finding."""
    at: tuple[str, ...] = ()
    """The keys to point at, the first that is there; the map itself if none is."""


_OUTCOMES: Final = ("output", "failed", "denied", "deferred", "rejects")

CLASHES: Final[Mapping[str, Clash]] = {
    "effects-contradict": Clash(
        "effects-contradict",
        "A tool that only reads destroys nothing: `read_only` contradicts `destructive`.",
        "Keep one of them.",
        (),
        ("destructive",),
    ),
    "interaction-answer": Clash(
        "interaction-answer",
        "What may the person answer?",
        "Add `response: ...`, or `kind: approval` for yes or no.",
        ("kind", "response"),
    ),
    "interaction-response": Clash(
        "interaction-answer",
        "What may the person answer? `kind: response` needs `response`.",
        "`response` takes a schema, such as `string` or [standard, instant].",
        ("response",),
        ("kind",),
    ),
    "interaction-approval": Clash(
        "interaction-answer",
        "The answer to an approval is yes or no: it has no `response` and no `choices`.",
        "For other answers leave out `kind`, and say `response`.",
        (),
        ("response", "choices"),
    ),
    "example-outcome": Clash(
        "example-outcome",
        "An example has one outcome: `output`, `failed`, `denied`, `deferred` or `rejects`.",
        "Only `asks` may stand alone, or with `reply` before an outcome.",
        (*_OUTCOMES, "asks"),
    ),
    "example-reply": Clash(
        "example-outcome",
        "`reply` answers nothing: no `asks` says what is asked.",
        "Add `asks: approval`, or the name of an interaction.",
        ("asks",),
        ("reply",),
    ),
    "example-answer": Clash(
        "example-outcome",
        "What is the answer? Between `asks` and an outcome stands `reply`.",
        "For example `reply: true`.",
        ("reply",),
        ("asks",),
    ),
}
"""By the `$comment` of the rule in the schema of the format."""

NAMES: Final[Mapping[str, Word]] = {
    "definition-name": Word(
        "This is the name of a JSON type, so a type of the file cannot have it.",
        "Use another name.",
    ),
    "interaction-name": Word(
        "`approval` is what asks before a tool runs, so no interaction can have its name.",
        "Use another name.",
    ),
}
"""As `CLASHES`, for names that a map may not hold."""
