"""Which tools there are (D3, D4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from .core import Core
from .definition import BoundToolDefinition, BoundToolSchema, ToolDefinition, ToolOwner
from .failures import ToolError
from .state import Capability


class ToolSlot(Struct, frozen=True, eq=False):
    """Tools that are registered together."""

    middleware_id: str
    """What supplies them: the namespace of generated tools, unless a capability has its own id."""
    tools: Sequence[ToolDefinition[Any, Any]]
    slot: str | None = None
    """None means the middleware id."""
    order: float = 0
    prefix: str = ""
    """Put before the names that the model sees."""
    capability: Capability[Any] | None = None

    @property
    def owner(self) -> ToolOwner:
        """Also the key of the slot in a catalog."""
        middleware_id = self.capability.id if self.capability else self.middleware_id
        return ToolOwner(middleware_id, self.slot or middleware_id)

    def placed(
        self, *, slot: str | None = None, order: float | None = None, prefix: str | None = None
    ) -> ToolSlot:
        """The same tools in another place; what is None stays as it is."""
        changes = {"slot": slot, "order": order, "prefix": prefix}
        return replace(self, **{key: value for key, value in changes.items() if value is not None})

    def __repr__(self) -> str:
        return f"ToolSlot({str(self.owner)!r}, {len(self.tools)} tools)"


class Catalog:
    """The tools of an agent, in the order in which the model sees them. Never changes."""

    __slots__ = ("_slots", "find", "former", "tools")

    tools: Mapping[str, BoundToolDefinition]
    """By the name that the model sees."""
    find: Callable[[str], BoundToolDefinition | None]
    """The tool of a name."""
    former: Mapping[str, str]
    """The present name for each earlier one."""

    def __init__(self, slots: Iterable[ToolSlot] = ()) -> None:
        """A slot replaces an earlier one with the same owner, at its place.

        Raises ToolError `configuration.duplicate-tool-name` or `.duplicate-capability`.
        """
        self._slots = {slot.owner: slot for slot in slots}
        placed = sorted(
            enumerate(self._slots.values()),
            key=lambda pair: (pair[1].order, pair[0], pair[1].owner.slot),
        )
        tools: dict[str, BoundToolDefinition] = {}
        former: dict[str, str] = {}
        for _, slot in placed:
            _bind(slot, tools, former)
        _check_capabilities(self._slots.values())
        self.tools = MappingProxyType(tools)
        self.find = tools.get
        self.former = MappingProxyType(former)

    @property
    def slots(self) -> tuple[ToolSlot, ...]:
        """What it is made of, in the order of registration."""
        return tuple(self._slots.values())

    def including(self, *slots: ToolSlot) -> Catalog:
        """A catalog with *slots* too; each replaces the one that has its owner."""
        return Catalog((*self._slots.values(), *slots))

    def shown(self) -> list[dict[str, Any]]:
        """Exactly what the model sees of all tools (D2)."""
        return [tool.shown() for tool in self.tools.values()]

    def __repr__(self) -> str:
        return f"Catalog({len(self.tools)} tools)"


def _bind(slot: ToolSlot, tools: dict[str, BoundToolDefinition], former: dict[str, str]) -> None:
    owner, prefix = slot.owner, slot.prefix
    for definition in slot.tools:
        core = definition.core
        if not isinstance(core, Core):
            raise ToolError("tool.invalid", f"{definition!r} is no tool definition.")
        name = prefix + definition.name
        if name in tools:
            raise ToolError(
                "configuration.duplicate-tool-name",
                f"{name} is supplied by {tools[name].owner} and by {owner}.",
            )
        tools[name] = BoundToolDefinition(
            name,
            definition.description,
            BoundToolSchema(core),
            definition.execute,
            owner,
            core,
            slot.capability,
        )
        for earlier in core.contract.formerly:
            former.setdefault(prefix + earlier, name)


def _check_capabilities(slots: Iterable[ToolSlot]) -> None:
    known: dict[str, Capability[Any]] = {}
    for slot in slots:
        capability = slot.capability
        if capability and known.setdefault(capability.id, capability) is not capability:
            raise ToolError(
                "configuration.duplicate-capability",
                f"Two capabilities have the id {capability.id}.",
            )
