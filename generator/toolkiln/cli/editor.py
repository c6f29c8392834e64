"""What editors need to check and complete specs while they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SCHEMA: Final = ".toolkiln/spec.schema.json"
"""Where specs that `init` writes point their editors; relative to the project."""


def offer_schema(root: Path) -> None:
    """Put the schema of specs into the project's own folder of things that can be remade."""
    if (root / SCHEMA).exists():
        return
    from .._resources import resource
    from ..output import disk

    schema = resource("schemas", "spec.schema.json").read_bytes()
    disk.change({root: [(".toolkiln/.gitignore", b"*\n"), (SCHEMA, schema)]})
