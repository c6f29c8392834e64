"""The state of one run of `lower`, and of one tool in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toolkiln.contract import Schema
from toolkiln.diagnostics import Diagnostic, Level, Rule
from toolkiln.lower.bundle import UnbundledError, bundle
from toolkiln.lower.checks import Units
from toolkiln.lower.definitions import Names
from toolkiln.lower.places import Place
from toolkiln.lower.pointers import Pointer
from toolkiln.lower.shapes import Shapes
from toolkiln.lower.sources import Sources
from toolkiln.lower.validators import Validators, shortened, trouble
from toolkiln.lower.written import mapping

if TYPE_CHECKING:
    from toolkiln.load import Spec, Specs

SCHEMA_UNUSABLE = Rule(
    "schema-unusable", Level.ERROR, "A schema cannot be compiled once its references are inside."
)
USES_BROKEN = Rule("schema-broken", Level.ERROR, "A tool uses a schema that is in error.")


class Run:
    """What all tools share: sources, shapes and validators, each found once."""

    def __init__(self, specs: Specs) -> None:
        self.specs = specs
        self.sources = Sources(specs)
        self.units = Units(self.sources)
        self.shapes = Shapes(self.sources, Names(specs))
        self.validators = Validators()
        self.made: dict[Place, Schema | Diagnostic] = {}

    def schema(self, place: Place) -> Schema | Diagnostic:
        """The contract's schema for the slot at *place*, which must be free of errors."""
        if place not in self.made:
            self.made[place] = self._schema(place)
        return self.made[place]

    def _schema(self, place: Place) -> Schema | Diagnostic:
        span = place.spec.document.span(*place.pointer)
        try:
            source = bundle(self.sources, place)
            why = trouble(source)
        except UnbundledError as error:
            source, why = False, str(error)
        if why:
            return SCHEMA_UNUSABLE.at(span, f"This schema cannot be used: {shortened(why)}.")
        arguments = place.pointer[-1:] == ("parameters",) or place.pointer == ()
        shape = self.shapes.arguments if arguments else self.shapes.slot
        return Schema(
            source=source,
            type=shape(place),
            dialect=place.resource.dialect.uri,
            formats=asserts_formats(place.spec),
            span=span,
        )


def asserts_formats(spec: Spec) -> bool:
    """Whether `format` refuses values in the slots of *spec*."""
    return not spec.plain and mapping(spec.document.value).get("formats") != "note"


@dataclass(slots=True)
class Draft:
    """A tool that is being lowered, and what is wrong with it so far."""

    run: Run
    spec: Spec
    pointer: Pointer
    name: str
    parameters: Place | None = None
    """The schema of its arguments; None if there is none that makes sense."""
    expires: int | None = None
    """Milliseconds after which its questions are void, unless they say otherwise."""
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    unusable: bool = False
    """Whether one of its schemas is in error; the schema's own findings say why."""

    @property
    def qualified(self) -> str:
        """`namespace.name`."""
        return f"{self.spec.namespace}.{self.name}"

    def report(
        self, rule: Rule, pointer: Pointer, message: str, *, hint: str = "", key: bool = False
    ) -> None:
        """A finding at *pointer* of the tool's file."""
        span = self.spec.document.span(*pointer, key=key)
        self.found.append(rule.at(span, message, hint=hint, tool=self.qualified))

    def schema(self, pointer: Pointer, spec: Spec | None = None) -> Schema | None:
        """The schema of a slot, of this file unless *spec* says otherwise; None if unusable."""
        place = self.run.sources.slot(spec or self.spec, pointer)
        return self.schema_at(place) if place else None

    def schema_at(self, place: Place) -> Schema | None:
        """The same for a place; its errors make the tool unusable."""
        broken = self.run.units.broken(place)
        made = self.run.schema(place) if broken is None else None
        if isinstance(made, Schema):
            return made
        self.unusable = True
        if broken:
            self._blame(place, broken)
        elif made:
            self.found.append(replace(made, tool=self.qualified))
        return None

    def _blame(self, place: Place, broken: Place) -> None:
        if self.run.units.tool_of(broken) == self.qualified:
            return  # its findings name this tool themselves
        shown = broken.spec.document.span(*broken.pointer)
        self.found.append(
            USES_BROKEN.at(
                place.spec.document.span(*place.pointer),
                f"This uses the schema at {shown.file}:{shown.line}, which is in error.",
                tool=self.qualified,
            )
        )

    @property
    def failed(self) -> bool:
        """Whether the tool cannot be generated."""
        return self.unusable or any(finding.level is Level.ERROR for finding in self.found)
