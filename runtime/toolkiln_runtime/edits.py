"""Arguments that a person changes at a gate (P6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .failures import ToolError
from .results import ToolResult
from .sealing import Sealed, check
from .sensitive import STAND_IN, Mask
from .values import InvalidJson, fresh, is_array, is_object, same, strict


def edited(sealed: Sealed, changed: object) -> Sealed | None:
    """The call with *changed* arguments; None if they are as before.

    The person has seen stand-ins for sensitive values, and gives them back: nothing else may stand
    in their place. Raises ToolError `interaction.invalid-edit`.
    """
    approval = sealed.tool.contract.approval
    if approval is None or not approval.allow_edit:
        raise refused("The arguments of this call cannot be changed.")
    if not isinstance(changed, Mapping):
        raise refused("The arguments are no object.")
    original, secrets = fresh(sealed.text), sealed.compiled.mask
    try:
        args = _restored(strict(dict(cast("Any", changed))), original, secrets(original))
        if not _same_secrets(secrets, args, original):
            raise refused("A sensitive value was changed.")
        if same(args, original):
            return None
        entry = check(sealed.tool, sealed.call_id, args)
    except InvalidJson as error:
        raise refused(f"The arguments are not valid: {error}.") from None
    if isinstance(entry, ToolResult):
        raise refused(f"The arguments are not valid: {getattr(entry.outcome, 'message', '')}")
    entry.invocation_id = sealed.invocation_id
    return entry


def refused(message: str) -> ToolError:
    """The rejection of changed arguments."""
    return ToolError("interaction.invalid-edit", message)


def _restored(value: Any, original: Any, masked: Any) -> Any:
    """*value* with what the stand-ins in it stand for."""
    if masked is STAND_IN:
        return original if same(value, STAND_IN) else value
    if is_object(value) and is_object(original):
        return {
            key: _restored(item, original[key], masked[key]) if key in original else item
            for key, item in value.items()
        }
    if is_array(value) and is_array(original):
        known = len(original)
        return [
            _restored(item, original[index], masked[index]) if index < known else item
            for index, item in enumerate(value)
        ]
    return value


def _same_secrets(mask: Mask, value: Any, original: Any) -> bool:
    now, before = mask.secrets(value), mask.secrets(original)
    return now.keys() == before.keys() and all(same(now[place], before[place]) for place in now)
