"""Runs a project's own handlers: the one package that imports the runtime and a user's code."""

from __future__ import annotations

from toolkiln_runtime.failures import ToolError
from toolkiln_runtime.results import PendingInteraction, Progress

from .calls import Calls, StoreError
from .listing import Plan, Reply
from .loading import UnusableError
from .outcomes import InvalidOutcomeError, Outcome, outcome_of
from .questions import Asked, NotJsonError
from .store import opened

__all__ = [
    "Asked",
    "Calls",
    "InvalidOutcomeError",
    "NotJsonError",
    "Outcome",
    "PendingInteraction",
    "Plan",
    "Progress",
    "Reply",
    "StoreError",
    "ToolError",
    "UnusableError",
    "opened",
    "outcome_of",
]
