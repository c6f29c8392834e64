"""Tool contracts for language models, fired into typed code."""

from __future__ import annotations
