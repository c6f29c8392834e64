"""From faults under the schema of the format to findings that name the probable mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from ..diagnostics import Diagnostic
from ..source import Document
from ..source.text import MOST
from ..spelling import did_you_mean, nearest
from . import values
from .found import Found
from .rules import CLASHING, KEY_MISSING, KEY_UNKNOWN, NAME_INVALID
from .schemas import Pointer
from .texts import cut, lower, spelled
from .validators import Fault, resolved
from .words import CLASHES, KEYS, NAMES


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A key that the map at *pointer* does not know."""

    pointer: Pointer
    key: str
    message: str
    hint: str
    means: str | None


def explain(document: Document, faults: Iterable[Fault]) -> Iterator[Diagnostic]:
    """One finding for each mistake behind *faults*."""
    leaves = [leaf for fault in faults for leaf in _leaves(fault)]
    unknown = [key for leaf in leaves for key in _unknown(document, leaf)]
    if any(leaf.argument == ["toolkiln"] for leaf in leaves):
        # Whatever this file is, its keys are not misspelt ones of a spec file.
        unknown = [key for key in unknown if key.pointer or key.means == "toolkiln"]
    for key in unknown:
        place = (*key.pointer, key.key)
        yield KEY_UNKNOWN.at(document.span(*place, key=True), key.message, hint=key.hint)
    # A misspelt key is not missing as well.
    meant = {(key.pointer, key.means) for key in unknown}
    seen: set[object] = set()
    for leaf in leaves:
        for found in _explained(document, leaf, meant):
            # A text often breaks its pattern and its length at once.
            if (found.rule, found.pointer) not in seen:
                seen.add((found.rule, found.pointer))
                yield found.placed(document)


def _leaves(fault: Fault) -> Iterator[Fault]:
    """The faults of the alternative that was probably meant, or *fault* itself."""
    fitting = [b for b in fault.branches if not any(_misfit(f, fault.pointer) for f in b)]
    if fault.keyword != "anyOf" or fault.comment or not fitting:
        yield fault
        return
    # Alternatives of the format differ in kind, so at most one of them fits.
    for inner in fitting[0]:
        yield from _leaves(inner)


def _misfit(fault: Fault, pointer: Pointer) -> bool:
    """Whether *fault* says that the value at *pointer* is of another kind than its alternative."""
    if fault.pointer != pointer:
        return False
    if fault.keyword == "additionalProperties":
        # An entry with a reference is one, whatever stands beside it.
        return "$ref" in fault.value and "$ref" not in fault.schema["properties"]
    if fault.keyword == "required" and fault.argument == ["$ref"]:
        return True
    return fault.keyword in ("type", "const", "enum")


# --- unknown keys -------------------------------------------------------------------------------


def _unknown(document: Document, fault: Fault) -> Iterator[_Unknown]:
    if fault.keyword != "additionalProperties":
        return
    known: Mapping[str, Any] = fault.schema["properties"]
    extensible = "patternProperties" in fault.schema
    unknown = (
        key for key in fault.value if key not in known and not (extensible and key.startswith("x-"))
    )
    for key in islice(unknown, MOST):
        yield _explain_key(document, fault, key)


def _explain_key(document: Document, fault: Fault, key: str) -> _Unknown:
    pointer, title = fault.pointer, fault.title
    known: Mapping[str, Any] = fault.schema["properties"]
    message = f"`{cut(key)}` is no key of {lower(title)}."
    if title == "A reference":
        return _Unknown(pointer, key, "A reference stands alone.", "Remove this key.", None)
    if key in KEYS.get(title, {}):
        word = KEYS[title][key]
        return _Unknown(pointer, key, word.message, word.hint, word.means)
    if comma := values.comma(document, pointer, fault.value, key):
        return _Unknown(pointer, key, message, comma, None)
    if key.startswith("x-"):
        return _Unknown(pointer, key, message, "No `x-` keys are carried from here.", None)
    return _Unknown(pointer, key, message, did_you_mean(key, known), nearest(key, known))


# --- everything else ----------------------------------------------------------------------------


def _explained(
    document: Document, fault: Fault, meant: set[tuple[Pointer, str | None]]
) -> Iterator[Found]:
    if fault.keyword == "additionalProperties":
        return
    if fault.name:
        yield _name(fault)
    elif fault.comment in CLASHES and fault.keyword in _CLASHING:
        clash = CLASHES[fault.comment]
        if fault.is_map and all((fault.pointer, key) not in meant for key in clash.about):
            at = next(((key,) for key in clash.at if key in fault.value), ())
            rule, place = CLASHING[clash.rule], (*fault.pointer, *at)
            yield Found(rule, place, clash.message, clash.hint, key=True)
    elif fault.keyword in _MISSING:
        for key, found in _MISSING[fault.keyword](fault):
            if (fault.pointer, key) not in meant:
                yield found
    else:
        yield values.explain(document, fault)


_CLASHING: Final = frozenset({"anyOf", "oneOf", "not", "dependentRequired"})


def _name(fault: Fault) -> Found:
    name = str(fault.value)
    place = (*fault.pointer, name)
    if fault.comment in NAMES:
        word = NAMES[fault.comment]
        return Found(NAME_INVALID, place, word.message, word.hint, key=True)
    if not name:
        return Found(NAME_INVALID, place, "A name is missing here.", key=True)
    message = f"`{cut(name)}` is not {lower(fault.title)}."
    hint = spelled(name, fault.schema)
    if fault.pointer[-1:] == ("failures",) and "." in name:
        hint = "Codes with a dot are the runtime's own."
    return Found(NAME_INVALID, place, message, hint, key=True)


def _required(fault: Fault) -> Iterator[tuple[str, Found]]:
    for key in fault.argument:
        if key in fault.value:
            continue
        message = f"`{key}` is missing in {lower(fault.title)}."
        hint = str(resolved(fault.schema["properties"][key]).get("description", ""))
        if key == "toolkiln":
            message = "`toolkiln: 1` is missing: it says that this is a spec file."
            plain = not {"type", "properties", "$schema"}.isdisjoint(fault.value)
            hint = "A plain JSON Schema stands in a file called *.schema.json." if plain else ""
        elif key == "args":
            hint = "Write `args: {}` if there are none."
        yield key, Found(KEY_MISSING, fault.pointer, message, hint, key=True)


def _dependent(fault: Fault) -> Iterator[tuple[str, Found]]:
    for key, needs in fault.argument.items():
        for need in needs:
            if key in fault.value and need not in fault.value:
                message = f"`{need}` is missing: a file with `{key}` has one."
                hint, place = f"For example `{need}: billing`", (*fault.pointer, key)
                yield need, Found(KEY_MISSING, place, message, hint, key=True)


_MISSING: Final[Mapping[str, Callable[[Fault], Iterator[tuple[str, Found]]]]] = {
    "required": _required,
    "dependentRequired": _dependent,
}
