"""What `load` returns: spec files whose structure is right, and all that they refer to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..source import Document
from .uris import RefusedError, join, pointer, split


@dataclass(frozen=True, slots=True, eq=False)
class Spec:
    """One file."""

    uri: str
    """`project:/specs/billing.yaml`, or `pkg:acme_contracts/common.yaml`; percent-encoded."""
    document: Document
    namespace: str | None = None
    """None: a library."""
    plain: bool = False
    """Whether it is a `*.schema.json` file: one JSON Schema, with our keys under `x-tool`."""


@dataclass(frozen=True, slots=True, eq=False)
class Specs:
    """The files of a project."""

    files: tuple[Spec, ...] = ()
    """What the project lists, sorted by path."""
    documents: Mapping[str, Spec] = field(default_factory=dict[str, Spec])
    """Each of them and each file that they refer to, however indirectly, by URI."""
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    """From the URIs of symbolic links to those of their targets."""

    def resolve(self, spec: Spec, ref: str) -> tuple[Spec, tuple[str, ...]] | None:
        """The file and the place in it that *ref* means, which is written in *spec*.

        None if the file was not loaded, or if the fragment is no JSON pointer. Whether something
        stands at the pointer is not looked at, and neither are definitions inside of slots.
        """
        file, fragment = split(ref)
        parts = pointer(fragment)
        try:
            uri = join(spec.uri, file)
        except RefusedError:
            return None
        target = self.documents.get(self.links.get(uri, uri))
        return None if target is None or parts is None else (target, parts)
