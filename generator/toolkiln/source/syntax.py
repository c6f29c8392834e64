"""What somebody probably meant who wrote text that is not YAML."""

from __future__ import annotations

from yaml import MarkedYAMLError

from ..diagnostics import Level, Rule
from .found import Found

YAML_SYNTAX = Rule("yaml-syntax", Level.ERROR, "A file is not YAML.")


def explain(error: MarkedYAMLError, text: str) -> Found:
    """The finding for libyaml's *error* in *text*."""
    mark = error.problem_mark or error.context_mark
    start = mark.index if mark else 0
    return Found(YAML_SYNTAX, start, start + 1, f"This is not YAML: {error.problem or error.context}.")
