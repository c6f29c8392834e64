"""Runs the tools of generated contracts."""

from __future__ import annotations
