"""Everything that is checked about one file by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..diagnostics import Diagnostic, Level
from ..source.comments import TEXT_COMMENT
from .checks import check
from .schemas import Node
from .specs import Spec
from .validators import PLAIN, SPEC, SUPPRESSIONS, faults, is_valid


def examine(
    spec: Spec, trees: Sequence[Sequence[Node]], parsed: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """What is wrong with *spec*, with what was found when it was *parsed*.

    A comment that swallowed a text is not reported beside the error that it led to.
    """
    found = [*_structure(spec, trees), *check(spec.document, trees, plain=spec.plain)]
    lines = {finding.span.line for finding in found if finding.span and _is_error(finding)}
    kept = [
        finding
        for finding in parsed
        if finding.rule != TEXT_COMMENT.id or not finding.span or finding.span.line not in lines
    ]
    return [*kept, *found]


def _structure(spec: Spec, trees: Sequence[Sequence[Node]]) -> Iterator[Diagnostic]:
    document, part = spec.document, PLAIN if spec.plain else SPEC
    if not is_valid(document.value, part):
        from .explain import explain

        yield from explain(document, faults(document.value, part))
    for tree in trees:
        for pointer, node in tree:
            suppressed = node.get("x-suppress")
            if "x-suppress" in node and not is_valid(suppressed, SUPPRESSIONS):
                from .explain import explain

                prefix = (*pointer, "x-suppress")
                yield from explain(document, faults(suppressed, SUPPRESSIONS, prefix))


def _is_error(finding: Diagnostic) -> bool:
    return finding.level is Level.ERROR
