"""The facts of a tool, as generated code states them.

Behaviour is not here: these are values that `definition` turns into something that runs. Schemas
are JSON text, so that importing a thousand contracts parses and compiles nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

PROTOCOL: Final = 1
"""What generated code and runtime agree on; a newer runtime runs older protocols."""

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

Path: TypeAlias = tuple[str, ...]
Prompt: TypeAlias = tuple[str | Path, ...]
"""Pieces of text, and paths whose values go between them; a path that starts with "" leads into
the interaction's metadata, any other into the arguments."""


class Schema(Struct, frozen=True):
    """A bundled JSON Schema that compiles alone; 2020-12 unless its `$schema` says otherwise."""

    source: str
    """JSON text."""
    formats: bool = False
    """Whether `format` refuses values."""


class Failure(Struct, frozen=True):
    """A way the tool may fail."""

    description: str
    retryable: bool = False
    details: Schema | None = None
    extensions: Mapping[str, Any] = NOTHING


class Test(Struct, frozen=True):
    """One test of an approval's condition: the value at *path* is valid under *schema*."""

    path: Path
    schema: str
    """JSON text."""


class Approval(Struct, frozen=True, kw_only=True):
    """When a person is asked before anything runs."""

    prompt: Prompt
    conditions: tuple[tuple[Test, ...], ...] = ()
    """Asked if all tests of one of them hold; none means always."""
    allow_edit: bool = False
    expires: float | None = None
    """Seconds."""
    extensions: Mapping[str, Any] = NOTHING


class Question(Struct, frozen=True, kw_only=True):
    """An interaction that the handler may ask."""

    kind: Literal["approval", "response"]
    prompt: Prompt
    response: Schema | None = None
    choices: bool = False
    metadata: Schema | None = None
    token: Schema | None = None
    expires: float | None = None
    """Seconds."""
    extensions: Mapping[str, Any] = NOTHING


class Deferral(Struct, frozen=True, kw_only=True):
    """That the tool may finish later."""

    token: Schema | None = None
    expires: float | None = None
    """Seconds."""
    extensions: Mapping[str, Any] = NOTHING


class Effects(Struct, frozen=True, kw_only=True):
    """What a call does to the world; the defaults are the worst case."""

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True


class Contract(Struct, frozen=True, kw_only=True):
    """All facts of one tool."""

    protocol: int
    name: str
    namespace: str
    version: str
    digest: str
    """Wire digest (semantics R2), hexadecimal."""
    parameters: Schema
    title: str = ""
    description: str = ""
    effects: Effects = Effects()
    output: Schema | None = None
    failures: Mapping[str, Failure] = NOTHING
    approval: Approval | None = None
    interactions: Mapping[str, Question] = NOTHING
    deferred: Deferral | None = None
    timeout: float | None = None
    """Seconds of one attempt; None leaves it to the executor."""
    scopes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    stability: Literal["draft", "beta", "stable"] = "stable"
    deprecated: str = ""
    """Why and what to use instead, one line."""
    formerly: tuple[str, ...] = ()
    extensions: Mapping[str, Any] = NOTHING
