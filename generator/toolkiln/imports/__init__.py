"""Definitions of tools in other notations, as specs: one module a notation."""

from __future__ import annotations

from .loss import RULES as RULES
from .loss import Loss as Loss
from .loss import diagnostics as diagnostics
