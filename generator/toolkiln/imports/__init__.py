"""Definitions of tools in other notations, as specs: one module a notation."""

from __future__ import annotations

from .files import read as read
from .loss import RULES as RULES
from .loss import Loss as Loss
