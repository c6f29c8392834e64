"""contracts.py: the facts of each tool as one constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from toolkiln.contract import (
    Approval,
    Deferral,
    Effects,
    Failure,
    Interaction,
    Namespace,
    Schema,
    Test,
    Tool,
)
from toolkiln.text import Code, json_text, literal, paragraph
from toolkiln.value import JsonObject

from .code import Import, Piece, call, mapping, name, several, together
from .docs import deprecation
from .naming import Names

PROTOCOL: Final = 1
"""What generated code and runtime agree on."""

_MODULE: Final = "toolkiln_runtime.contract"
_TRUE: Final = Piece(Code("True"))


@dataclass(frozen=True, slots=True)
class Constant:
    """A contract: its name, and the arguments of the call that makes it."""

    name: Code
    arguments: tuple[tuple[Code, Code], ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """The module of contracts."""

    constants: tuple[Constant, ...]
    imports: frozenset[Import]


def facts(namespace: Namespace, names: Names) -> Facts:
    """The contracts of the tools of *namespace*."""
    constants: list[Constant] = []
    imports = {Import(_MODULE, "Contract")}
    for tool in namespace.tools:
        arguments = _arguments(tool, namespace.version)
        imports |= together(arguments.values())
        constant = names.tools[namespace.name, tool.name].constant
        pairs = tuple((Code(key), piece.code) for key, piece in arguments.items())
        constants.append(Constant(constant, pairs))
    return Facts(tuple(constants), frozenset(imports))


def _arguments(tool: Tool, version: str) -> dict[str, Piece]:
    given: dict[str, Piece | None] = {
        "protocol": _literal(PROTOCOL),
        "name": _literal(tool.name),
        "namespace": _literal(tool.namespace),
        "version": _literal(version),
        "digest": _literal(tool.digest),
        "title": _text(tool.title),
        "description": _text(tool.description),
        "effects": _effects(tool.effects),
        "parameters": _schema(tool.parameters),
        "output": _schema(tool.output),
        "failures": _each({each.code: _failure(each) for each in tool.failures}),
        "approval": _approval(tool.approval),
        "interactions": _each({each.name: _question(each) for each in tool.interactions}),
        "deferred": _deferral(tool.deferred),
        "timeout": _seconds(tool.timeout),
        "scopes": _literal(tool.scopes) if tool.scopes else None,
        "tags": _literal(tool.tags) if tool.tags else None,
        "stability": _literal(tool.stability) if tool.stability != "stable" else None,
        "deprecated": _text(deprecation(tool.deprecated).removeprefix("Deprecated: ")),
        "formerly": _literal(tool.formerly) if tool.formerly else None,
        "extensions": _extensions(tool.extensions),
    }
    return _present(given)


def _present(given: Mapping[str, Piece | None]) -> dict[str, Piece]:
    return {key: piece for key, piece in given.items() if piece is not None}


def _literal(value: str | int | tuple[str, ...]) -> Piece:
    return Piece(literal(value))


def _text(text: str) -> Piece | None:
    return Piece(paragraph(text)) if text else None


def _seconds(milliseconds: int | None) -> Piece | None:
    if milliseconds is None:
        return None
    whole, rest = divmod(milliseconds, 1000)
    return Piece(literal(milliseconds / 1000 if rest else whole))


def _extensions(extensions: JsonObject) -> Piece | None:
    return Piece(literal(extensions)) if extensions else None


def _each(pieces: Mapping[str, Piece]) -> Piece | None:
    return mapping({literal(key): piece for key, piece in pieces.items()}) if pieces else None


def _schema(schema: Schema | None) -> Piece | None:
    if schema is None:
        return None
    formats = {"formats": _TRUE} if schema.formats else {}
    return call(name(_MODULE, "Schema"), [Piece(json_text(schema.source))], formats)


def _effects(effects: Effects) -> Piece:
    said = {key: _literal(getattr(effects, key)) for key in Effects.__slots__}
    return call(name(_MODULE, "Effects"), (), said)


def _failure(failure: Failure) -> Piece:
    keywords = {
        "retryable": _TRUE if failure.retryable else None,
        "details": _schema(failure.details),
        "extensions": _extensions(failure.extensions),
    }
    text = Piece(paragraph(failure.description))
    return call(name(_MODULE, "Failure"), [text], _present(keywords))


def _approval(approval: Approval | None) -> Piece | None:
    if approval is None:
        return None
    conditions = several(several(_test(test) for test in each) for each in approval.conditions)
    keywords = {
        "prompt": Piece(literal(approval.prompt)),
        "conditions": conditions if approval.conditions else None,
        "allow_edit": _TRUE if approval.allow_edit else None,
        "expires": _seconds(approval.expires),
        "extensions": _extensions(approval.extensions),
    }
    return call(name(_MODULE, "Approval"), (), _present(keywords))


def _test(test: Test) -> Piece:
    schema = Piece(json_text(test.schema))
    return call(name(_MODULE, "Test"), [Piece(literal(test.path)), schema])


def _question(interaction: Interaction) -> Piece:
    keywords = {
        "kind": _literal(interaction.kind),
        "prompt": Piece(literal(interaction.prompt)),
        "response": _schema(interaction.response),
        "choices": _TRUE if interaction.choices else None,
        "metadata": _schema(interaction.metadata),
        "token": _schema(interaction.token),
        "expires": _seconds(interaction.expires),
        "extensions": _extensions(interaction.extensions),
    }
    return call(name(_MODULE, "Question"), (), _present(keywords))


def _deferral(deferral: Deferral | None) -> Piece | None:
    if deferral is None:
        return None
    keywords = {
        "token": _schema(deferral.token),
        "expires": _seconds(deferral.expires),
        "extensions": _extensions(deferral.extensions),
    }
    return call(name(_MODULE, "Deferral"), (), _present(keywords))
