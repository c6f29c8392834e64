"""What the generator says of a spec that no file holds yet: the last word on an import."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from . import source
from .diagnostics import Diagnostic, Level
from .load import Spec, Specs
from .lower import lower
from .value import JsonObject
from .write import spec as spectext

_FILE: Final = "imported.yaml"


def refusals(spec: JsonObject) -> Iterator[tuple[str, Diagnostic]]:
    """The tools of *spec* that could not be generated, by name, each with the first reason."""
    document, _ = source.parse(spectext.write(spec), _FILE)
    if document is None:
        return
    namespace = str(spec["namespace"])
    read = Spec(f"project:/{_FILE}", document, namespace)
    _, findings = lower(Specs((read,), {read.uri: read}))
    waiting = set(cast("JsonObject", spec["tools"]))
    for finding in findings:
        name = (finding.tool or "").removeprefix(f"{namespace}.")
        if finding.level is Level.ERROR and name in waiting:
            waiting.remove(name)
            yield name, finding
