"""The contract: what `lower` makes of spec files and every later stage reads.

All values are frozen, compare by content and ignore positions, so `old == new` means that
nothing changed but perhaps its place. This module knows no file format, no target language and
no runtime.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .diagnostics import Span
from .shape import Definition, Type
from .value import MISSING, Json, JsonObject, Missing

Path: TypeAlias = tuple[str, ...]
"""Names of properties from the root of the arguments, through objects only."""


# --- schemas ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Schema:
    """A slot's schema: the source decides what is valid, the shape what typed code looks like."""

    source: Json
    """Bundled: a JSON Schema, object or boolean, that compiles alone, with no reference out."""
    type: Type
    dialect: str
    """URI of its meta-schema: 2020-12, 2019-09 or draft-07."""
    formats: bool
    """Whether `format` refuses values (spec-format section 1, `formats`)."""
    span: Span | None = field(default=None, compare=False)


# --- outcomes and pauses ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Failure:
    """A way a tool may fail (spec-format section 4)."""

    code: str
    description: str
    retryable: bool = False
    details: Schema | None = None
    extensions: JsonObject = field(default_factory=dict[str, Json])
    span: Span | None = field(default=None, compare=False)


Prompt: TypeAlias = tuple[str | Path, ...]
"""A text with placeholders: pieces of text, and paths whose values go between them. A path that
starts with the empty name leads into the interaction's metadata."""


@dataclass(frozen=True, slots=True)
class Test:
    """One test of a condition: the value at *path* is valid under *schema*."""

    path: Path
    schema: Json


@dataclass(frozen=True, slots=True)
class Approval:
    """When a person is asked before anything runs (spec-format section 5)."""

    conditions: tuple[tuple[Test, ...], ...]
    """Asked if all tests of one condition hold; none at all means always."""
    prompt: Prompt
    allow_edit: bool = False
    expires: int | None = None
    """Milliseconds."""
    extensions: JsonObject = field(default_factory=dict[str, Json])
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Interaction:
    """A question that a handler may ask (spec-format section 6)."""

    name: str
    kind: Literal["approval", "response"]
    prompt: Prompt
    response: Schema | None = None
    choices: bool = False
    metadata: Schema | None = None
    token: Schema | None = None
    expires: int | None = None
    """Milliseconds."""
    extensions: JsonObject = field(default_factory=dict[str, Json])
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Deferral:
    """That a tool may finish later (spec-format section 2, `deferred`)."""

    token: Schema | None = None
    expires: int | None = None
    """Milliseconds."""
    extensions: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Effects:
    """What a call does to the world; unsaid flags mean the worst case."""

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True


@dataclass(frozen=True, slots=True)
class Deprecation:
    """That a tool should no longer be used."""

    note: str
    use: str | None = None
    sunset: str | None = None
    """YYYY-MM-DD."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call and what comes of it (spec-format section 7)."""

    title: str
    args: JsonObject
    description: str = ""
    asks: str | None = None
    """`approval`, or the name of an interaction."""
    reply: Json | Missing = MISSING
    output: Json | Missing = MISSING
    failed: str | None = None
    details: Json | Missing = MISSING
    denied: str | None = None
    deferred: Json | Missing = MISSING
    rejects: str | None = None
    """The path as written."""
    span: Span | None = field(default=None, compare=False)


# --- tools --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, with all defaults of its file applied."""

    name: str
    """What the model sees, verbatim."""
    namespace: str
    parameters: Schema
    """`parameters.type` is always a `Ref` to a record, or `Anything` for unprintable roots."""
    description: str = ""
    title: str = ""
    effects: Effects = field(default_factory=Effects)
    output: Schema | None = None
    """None: any JSON, unchecked."""
    failures: tuple[Failure, ...] = ()
    approval: Approval | None = None
    interactions: tuple[Interaction, ...] = ()
    deferred: Deferral | None = None
    timeout: int | None = None
    """Milliseconds of one attempt."""
    scopes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    stability: Literal["draft", "beta", "stable"] = "stable"
    deprecated: Deprecation | None = None
    formerly: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    extensions: JsonObject = field(default_factory=dict[str, Json])
    digest: str = ""
    """Wire digest, hexadecimal SHA-256 (semantics R2)."""
    source: str = field(default="", compare=False)
    """The spec file, as in `Span.file`."""
    span: Span | None = field(default=None, compare=False)

    @property
    def qualified(self) -> str:
        """`namespace.name`, as findings and reports name a tool; never shown to a model."""
        return f"{self.namespace}.{self.name}"


@dataclass(frozen=True, slots=True)
class Namespace:
    """The tools and shapes that are generated into one package."""

    name: str
    """Dotted for a namespace of tools; for a library, its file: `pkg:acme/common.yaml`."""
    library: bool
    """Whether it declares shapes only."""
    version: str = "0.0.0"
    description: str = ""
    tools: tuple[Tool, ...] = ()
    definitions: tuple[Definition, ...] = ()
    """All that are declared here, in order of first use."""
    sources: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Contract:
    """Everything that was written, in the order in which it was written."""

    namespaces: tuple[Namespace, ...] = ()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools of all namespaces."""
        return tuple(tool for namespace in self.namespaces for tool in namespace.tools)

    def definition(self, key: str) -> Definition:
        """The definition that a `Ref` with this *key* means; a missing one is a `KeyError`."""
        for namespace in self.namespaces:
            for definition in namespace.definitions:
                if definition.key == key:
                    return definition
        raise KeyError(key)
