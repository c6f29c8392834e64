"""Templates: they loop over values and place code, and no other text leaves them.

A template may output numbers and `Code`. Text from a contract becomes code through the filters
`literal`, `paragraph`, `docstring`, `comment` and `json_text`; placed without one it is an error,
in our own templates as in those of a project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, wraps
from typing import Final

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    FunctionLoader,
    StrictUndefined,
    TemplateRuntimeError,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from . import text
from ._resources import resource
from .text import Code


def render(template: str, values: Mapping[str, object], overrides: str = "") -> str:
    """The text that *template* (`python/handlers.py.jinja`) makes of *values*.

    A file of the same path in the folder *overrides* takes the template's place. Its faults are
    `jinja2.TemplateError`s, and it runs in a sandbox: it comes from whoever wrote the project.
    """
    return _environment(overrides).get_template(template).render(values)


@lru_cache(maxsize=4)
def _environment(overrides: str) -> Environment:
    made: type[Environment] = ImmutableSandboxedEnvironment if overrides else Environment
    shipped: BaseLoader = FunctionLoader(_shipped)
    environment = made(
        loader=ChoiceLoader([FileSystemLoader(overrides), shipped]) if overrides else shipped,
        undefined=StrictUndefined,
        finalize=_only_code,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(_FILTERS)
    return environment


def _shipped(name: str) -> tuple[str, str, None] | None:
    file = resource("templates", *name.split("/"))
    return (file.read_text(encoding="utf-8"), str(file), None) if file.is_file() else None


def _only_code(value: object) -> object:
    if isinstance(value, (Code, int)):
        return value
    raise TemplateRuntimeError(
        f"{value!r} is no code: place it with one of the filters {', '.join(_FILTERS)}"
    )


def _joined(parts: Iterable[object], separator: str = ", ") -> Code:
    return Code(separator.join(str(_only_code(part)) for part in parts))


def _defined(function: Callable[..., Code]) -> Callable[..., Code]:
    """*function* as a filter, which says of a misspelt name that there is no such thing."""

    @wraps(function)
    def filtered(value: object, *arguments: int) -> Code:
        if isinstance(value, StrictUndefined):
            str(value)
        return function(value, *arguments)

    return filtered


_FILTERS: Final[Mapping[str, Callable[..., Code]]] = {
    "literal": _defined(text.literal),
    "paragraph": _defined(text.paragraph),
    "docstring": _defined(text.docstring),
    "comment": _defined(text.comment),
    "json_text": _defined(text.json_text),
    "joined": _joined,
}
