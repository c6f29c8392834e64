"""Tool definitions: written by hand, or made from a generated contract."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeAlias, TypeVar, cast, overload

from msgspec import Struct
from msgspec.structs import force_setattr

from .context import ToolExecutionContext
from .contract import NOTHING, PROTOCOL, Contract, Schema
from .core import Answer, Core
from .failures import ToolError
from .outcomes import ToolOutcome
from .values import InvalidJson, encode, fresh, is_object, strict

if TYPE_CHECKING:
    from pydantic import BaseModel

    from .problems import Problem
    from .state import Capability

P = TypeVar("P")
S = TypeVar("S")

ToolObjectSchema: TypeAlias = "Mapping[str, Any] | type[BaseModel]"
"""A JSON Schema whose root is an object, or a pydantic model."""
Returned: TypeAlias = ToolOutcome | Awaitable[ToolOutcome]
Handler: TypeAlias = Callable[[P, ToolExecutionContext[S, Any]], Returned]
Refused: TypeAlias = Callable[[ToolExecutionContext[S, Any], Any], object]


class ToolDefinition(Struct, Generic[P, S], frozen=True, eq=False, kw_only=True, weakref=True):
    """A tool written by hand. Making it prepares it: what is wrong raises ToolError here.

    `parameters` is copied, so that later changes do not reach the tool.
    """

    name: str
    parameters: Mapping[str, Any] | type[P]
    execute: Handler[P, S]
    description: str = ""
    output: Mapping[str, Any] | type[Any] | None = None
    """Schema or model of a completed call's output; None leaves it unchecked."""
    refused: Refused[S] | None = None
    """Called with the context and the token when an approval that `execute` asked for is refused:
    the place to release what the token stands for (P4)."""
    core: Core | None = None
    """Set by `define`."""

    def __post_init__(self) -> None:
        if self.core is None:
            force_setattr(self, "core", _prepared(self))
            if not isinstance(self.parameters, type):
                force_setattr(self, "parameters", strict(dict(self.parameters)))

    def __repr__(self) -> str:
        return f"ToolDefinition(name={self.name!r})"


@overload
def tool(value: ToolDefinition[P, S], /) -> ToolDefinition[P, S]: ...
@overload
def tool(
    *,
    name: str,
    parameters: Mapping[str, Any] | type[P],
    execute: Handler[P, S],
    description: str = "",
    output: Mapping[str, Any] | type[Any] | None = None,
    refused: Refused[S] | None = None,
) -> ToolDefinition[P, S]: ...
def tool(value: ToolDefinition[Any, Any] | None = None, /, **fields: Any) -> Any:
    """Prepare a tool definition; one that is prepared is returned as it is (D1).

    Raises ToolError `tool.invalid-name`, `tool.invalid-schema` or `tool.invalid`.
    """
    return ToolDefinition[Any, Any](**fields) if value is None else value


def define(
    contract: Contract,
    execute: Callable[[Any, Any], object],
    *,
    model: Callable[[], type[Any]] | None = None,
    answers: Mapping[str, Answer] = NOTHING,
    refused: Callable[[Any, Any], object] | None = None,
) -> ToolDefinition[Any, Any]:
    """The definition of a generated *contract*; compiles nothing before the first call.

    *model* gives the class of the arguments; without it the handler gets a dict. *answers* gives
    by the name of an interaction the types in `context.resume`. *refused* is called with the
    context and the token when an approval that the handler asked for is refused.
    """
    if contract.protocol > PROTOCOL:
        raise ToolError(
            "tool.invalid", f"{contract.name} was generated for a newer toolkiln-runtime."
        )
    if not callable(execute):
        _refuse(contract.name)
    core = Core(contract, execute, model)
    core.answers, core.refused = answers, refused
    return ToolDefinition(
        name=contract.name,
        parameters={},
        execute=cast("Any", execute),
        description=contract.description,
        core=core,
    )


def _refuse(name: str) -> NoReturn:
    raise ToolError("tool.invalid", f"The handler of {name} is not callable.")


def _prepared(definition: ToolDefinition[Any, Any]) -> Core:
    name, model = definition.name, None
    if not isinstance(cast("Any", name), str) or not name:
        raise ToolError("tool.invalid-name", "A tool needs a name.")
    if not callable(cast("Any", definition.execute)):
        _refuse(name)
    parameters: Any = definition.parameters
    if is_model(parameters):
        model = parameters
    contract = Contract(
        protocol=PROTOCOL,
        name=name,
        namespace="",
        version="",
        digest="",
        description=definition.description,
        parameters=_schema(name, parameters, "validation"),
        output=None
        if definition.output is None
        else _schema(name, definition.output, "serialization"),
    )
    core = Core(contract, definition.execute, None if model is None else lambda: model)
    core.declared = False
    core.refused = definition.refused
    _compile(name, core)
    return core


def _compile(name: str, core: Core) -> None:
    from .documents import at
    from .validators import InvalidSchema

    try:
        document = core.compiled.document
    except InvalidSchema as error:
        raise ToolError("tool.invalid-schema", f"{name}: {error}") from error
    if is_object(document) and "type" not in document and "$ref" in document:
        document = at(document, document["$ref"])
    if not is_object(document) or document.get("type") != "object":
        raise ToolError("tool.invalid-schema", f"{name}: the parameters are not an object.")


def is_model(value: Any) -> bool:
    """Whether *value* is a pydantic model class."""
    pydantic = sys.modules.get("pydantic.main")
    return (
        pydantic is not None and isinstance(value, type) and issubclass(value, pydantic.BaseModel)
    )


def _schema(name: str, value: Any, mode: str) -> Schema:
    """The schema of a mapping or of a type, as text; texts are copies."""
    try:
        document: Any
        if isinstance(value, Mapping):
            document = dict(cast("Any", value))
        else:
            from pydantic import TypeAdapter

            document = TypeAdapter(value).json_schema(mode=cast("Any", mode))
        return Schema(encode(strict(document)).decode())
    except InvalidJson as error:
        raise ToolError("tool.invalid-schema", f"{name}: {error}") from error
    except Exception as error:
        # Pydantic has its own words for what JSON Schema cannot express.
        raise ToolError("tool.invalid-schema", f"{name}: {type(error).__name__}") from error


class ToolOwner(Struct, frozen=True):
    """Where a tool came from."""

    middleware_id: str
    slot: str

    def __str__(self) -> str:
        alone = self.slot == self.middleware_id
        return self.middleware_id if alone else f"{self.middleware_id}/{self.slot}"


class BoundToolSchema:
    """The schema of a bound tool's arguments, read-only."""

    __slots__ = ("_core",)

    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def json_schema(self) -> dict[str, Any]:
        """A copy of the JSON Schema that the model sees."""
        from .documents import shown

        return cast("dict[str, Any]", shown(fresh(self._core.contract.parameters.source.encode())))

    def validate(self, value: Any) -> list[Problem]:
        """What is wrong with *value* as arguments; nothing if it is valid."""
        from .problems import Problem

        try:
            return self._core.compiled.arguments.problems(strict(value))
        except InvalidJson as error:
            return [Problem("(root)", "json", str(error))]


class BoundToolDefinition(Struct, frozen=True, eq=False):
    """A tool in a catalog, read-only."""

    name: str
    """What the model calls it: with the prefix of its slot."""
    description: str
    parameters: BoundToolSchema
    execute: Callable[..., Any]
    owner: ToolOwner
    core: Core
    capability: Capability[Any] | None = None

    @property
    def contract(self) -> Contract:
        """All facts of the tool."""
        return self.core.contract

    def shown(self) -> dict[str, Any]:
        """Exactly what the model sees (D2): name, description if there is one, parameters."""
        form: dict[str, Any] = {"name": self.name}
        if self.description:
            form["description"] = self.description
        form["parameters"] = self.parameters.json_schema
        return form

    def __repr__(self) -> str:
        return f"BoundToolDefinition(name={self.name!r}, owner={str(self.owner)!r})"
