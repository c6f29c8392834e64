"""A tool with everything compiled that its calls need."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from .contract import Contract
from .defaults import Fill, filler
from .documents import Document
from .gates import Gate, gate
from .problems import Problem
from .sensitive import STAND_IN, Mask
from .validators import Validator, fresh_document, validator
from .values import dotted, is_array, is_object


class ViewRefused(Exception):  # noqa: N818 - it is a finding about the model, not about the call
    """A typed model refuses what the validator accepts (E8)."""


class Compiled:
    """Precomputed parts of one tool; made once, at its first call."""

    __slots__ = (
        "accepts",
        "arguments",
        "document",
        "execute",
        "fill",
        "gate",
        "mask",
        "output",
        "threaded",
        "timeout",
        "view",
    )

    def __init__(
        self, contract: Contract, execute: Callable[..., Any], model: type[Any] | None
    ) -> None:
        """Raises InvalidSchema if the contract does not compile."""
        self.arguments: Validator = validator(contract.parameters)
        self.accepts = self.arguments.accepts
        self.document: Document = fresh_document(contract.parameters)
        self.fill: Fill | None = filler(self.document)
        self.mask = Mask(self.document, STAND_IN)
        self.gate: Gate | None = None if contract.approval is None else gate(contract.approval)
        self.output: Validator | None = (
            None if contract.output is None else validator(contract.output)
        )
        self.view: Callable[[Any], Any] | None = None if model is None else _view(model)
        self.execute: Callable[..., Any] = execute
        self.timeout = contract.timeout
        self.threaded = not _is_async(execute)


def _is_async(execute: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(execute) or inspect.iscoroutinefunction(
        getattr(execute, "__call__", None)  # noqa: B004 - the method's kind is what matters
    )


def _view(model: type[Any]) -> Callable[[Any], Any]:
    model.model_rebuild()
    read = partial(model.__pydantic_validator__.validate_python, by_alias=True, by_name=False)

    def view(args: Any) -> Any:
        try:
            return read(args)
        except ValueError:
            # Pydantic refuses huge integers that are written with an exponent or a fraction.
            try:
                return read(_with_integers(args))
            except ValueError as error:
                raise ViewRefused from error

    return view


def model_problems(error: BaseException | None) -> list[Problem]:
    """What a model refused; its own messages may quote values, so only the kind is told."""
    errors: Any = getattr(error, "errors", None)
    if errors is None:
        return [Problem("(root)", "model", "is refused")]
    return [
        Problem(dotted(item["loc"]), "model", f"is refused ({item['type']})")
        for item in errors(include_url=False, include_context=False, include_input=False)
    ]


def _with_integers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_object(value):
        return {key: _with_integers(item) for key, item in value.items()}
    if is_array(value):
        return [_with_integers(item) for item in value]
    return value
