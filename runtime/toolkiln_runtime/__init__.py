"""Runs tool handlers under their contracts.

Importing this package loads nothing: each name is imported when it is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .catalog import Catalog as Catalog
    from .catalog import ToolSlot as ToolSlot
    from .context import ToolExecutionContext as ToolExecutionContext
    from .context import ToolExecutionResume as ToolExecutionResume
    from .core import Answer as Answer
    from .definition import BoundToolDefinition as BoundToolDefinition
    from .definition import BoundToolSchema as BoundToolSchema
    from .definition import ToolDefinition as ToolDefinition
    from .definition import ToolObjectSchema as ToolObjectSchema
    from .definition import ToolOwner as ToolOwner
    from .definition import define as define
    from .definition import tool as tool
    from .events import Event as Event
    from .executor import Executor as Executor
    from .failures import ToolError as ToolError
    from .failures import ToolFailure as ToolFailure
    from .gates import Policy as Policy
    from .gates import PolicyRequest as PolicyRequest
    from .interactions import RequiredInteraction as RequiredInteraction
    from .keys import KeyRing as KeyRing
    from .keys import new_key as new_key
    from .memory import MemoryStore as MemoryStore
    from .models import ToolModel as ToolModel
    from .outcomes import Choice as Choice
    from .outcomes import Completed as Completed
    from .outcomes import Deferred as Deferred
    from .outcomes import DeferredOutcome as DeferredOutcome
    from .outcomes import Denied as Denied
    from .outcomes import Failed as Failed
    from .outcomes import Interaction as Interaction
    from .outcomes import InteractionRequired as InteractionRequired
    from .outcomes import RuntimeCode as RuntimeCode
    from .outcomes import ToolOutcome as ToolOutcome
    from .problems import Problem as Problem
    from .results import DeferredCall as DeferredCall
    from .results import PendingInteraction as PendingInteraction
    from .results import Progress as Progress
    from .results import SealedToolCall as SealedToolCall
    from .results import ToolCall as ToolCall
    from .results import ToolResult as ToolResult
    from .results import UnfinishedCall as UnfinishedCall
    from .signals import Signal as Signal
    from .sql import SqlStore as SqlStore
    from .state import Capability as Capability
    from .state import Session as Session
    from .stores import CallStore as CallStore
    from .tokens import ResumeTokens as ResumeTokens
    from .tokens import TokenBinding as TokenBinding
    from .tokens import TokenStore as TokenStore

_HOMES = {
    "catalog": ("Catalog", "ToolSlot"),
    "context": ("ToolExecutionContext", "ToolExecutionResume"),
    "core": ("Answer",),
    "definition": (
        "BoundToolDefinition",
        "BoundToolSchema",
        "ToolDefinition",
        "ToolObjectSchema",
        "ToolOwner",
        "define",
        "tool",
    ),
    "events": ("Event",),
    "executor": ("Executor",),
    "failures": ("ToolError", "ToolFailure"),
    "gates": ("Policy", "PolicyRequest"),
    "interactions": ("RequiredInteraction",),
    "keys": ("KeyRing", "new_key"),
    "memory": ("MemoryStore",),
    "models": ("ToolModel",),
    "outcomes": (
        "Choice",
        "Completed",
        "Deferred",
        "DeferredOutcome",
        "Denied",
        "Failed",
        "Interaction",
        "InteractionRequired",
        "RuntimeCode",
        "ToolOutcome",
    ),
    "problems": ("Problem",),
    "results": (
        "DeferredCall",
        "PendingInteraction",
        "Progress",
        "SealedToolCall",
        "ToolCall",
        "ToolResult",
        "UnfinishedCall",
    ),
    "signals": ("Signal",),
    "sql": ("SqlStore",),
    "state": ("Capability", "Session"),
    "stores": ("CallStore",),
    "tokens": ("ResumeTokens", "TokenBinding", "TokenStore"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = list(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
