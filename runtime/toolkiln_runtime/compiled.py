"""A tool with everything compiled that its calls need."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, Union, get_args, get_origin

from msgspec import Struct

from .context import ToolExecutionResume
from .contract import Contract
from .defaults import Fill, filler
from .documents import Document
from .gates import Gate, gate
from .problems import Problem
from .sensitive import STAND_IN, Mask
from .validators import Validator, fresh_document, validator
from .values import dotted, is_array, is_object

if TYPE_CHECKING:
    from .core import Answer

_JSON: Final = (str, int, float, bool, NoneType, Any)
_COMPOUND: Final = (list, dict, Union, UnionType)


class ViewRefused(Exception):  # noqa: N818 - it is a finding about the model, not about the call
    """A typed model refuses what the validator accepts (E8)."""


View: TypeAlias = Callable[[Any], Any]
"""JSON as a handler takes it; raises ViewRefused."""


class Views(Struct, frozen=True, eq=False):
    """How a handler takes an answer to its question."""

    resume: Callable[[], Any]
    """Names the class of the answer."""
    response: View | None
    token: View | None


class Compiled:
    """Precomputed parts of one tool; made once, at its first call."""

    __slots__ = (
        "accepts",
        "answers",
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
        self.view: View | None = None if model is None else _view(model)
        self.execute: Callable[..., Any] = execute
        self.timeout = contract.timeout
        self.threaded = not is_async(execute)
        self.answers: dict[str, Views] = {}

    def answer(self, answers: Mapping[str, Answer]) -> None:
        """Take note of the types of answers, by the name of the question."""
        for name, answer in answers.items():
            self.answers[name] = _views(answer)


def is_async(execute: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine."""
    return inspect.iscoroutinefunction(execute) or inspect.iscoroutinefunction(
        getattr(execute, "__call__", None)  # noqa: B004 - the method's kind is what matters
    )


def _later(type_: Callable[[], Any] | None) -> View | None:
    """The view of a type that is not asked for before there is something to view."""
    if type_ is None:
        return None
    made = cache(lambda: _view(type_()))

    def view(value: Any) -> Any:
        return made()(value)

    return view


def _views(answer: Answer) -> Views:
    named = answer.resume
    if named is None:
        return Views(lambda: ToolExecutionResume, _later(answer.response), _later(answer.token))
    if answer.plain:
        return Views(named, None, None)
    response = answer.response or (lambda: _argument(named(), 0))
    return Views(named, _later(response), _later(answer.token or (lambda: _argument(named(), 1))))


def _argument(resume: Any, position: int) -> Any:
    """The type of the value or the token in *resume*; what is JSON already needs no other view."""
    said = get_args(resume.__orig_bases__[0])[position]
    return Any if _is_json(said) else said


def _is_json(said: Any) -> bool:
    origin = get_origin(said)
    if origin in _COMPOUND:
        return all(map(_is_json, get_args(said)))
    return origin is Literal or said in _JSON


def _view(model: Any) -> View:
    if hasattr(model, "model_rebuild"):
        model.model_rebuild()
        validator = model.__pydantic_validator__
    else:
        from pydantic import TypeAdapter

        validator = TypeAdapter(model).validator
    read = validator.validate_python

    def view(args: Any) -> Any:
        try:
            return read(args, by_alias=True, by_name=False)
        except ValueError:
            # Pydantic refuses huge integers that are written with an exponent or a fraction.
            try:
                return read(_with_integers(args), by_alias=True, by_name=False)
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
