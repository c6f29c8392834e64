"""Handlers of the tools of `odd.class`."""

from __future__ import annotations

from odd.odd import class_ as odd_class_


async def list_(
    args: odd_class_.ListArgs, context: odd_class_.ListContext
) -> odd_class_.ListOutcome:
    """A tool whose name is a word of Python."""
    raise NotImplementedError


async def none(
    args: odd_class_.NoneArgs, context: odd_class_.None_Context
) -> odd_class_.None_Outcome:
    """A tool whose class would be None."""
    raise NotImplementedError


async def get_thing_a855(
    args: odd_class_.GetThingArgs_70e0, context: odd_class_.GetThingA855Context
) -> odd_class_.GetThingA855Outcome:
    """First."""
    raise NotImplementedError


async def get_thing(
    args: odd_class_.GetThingArgs, context: odd_class_.GetThingContext
) -> odd_class_.GetThingOutcome:
    """Second, \\d \"\"" and all."""
    raise NotImplementedError


async def n1_2_3(
    args: odd_class_.N123Args, context: odd_class_.N123Context
) -> odd_class_.N123Outcome:
    """Only digits."""
    raise NotImplementedError


tools = odd_class_.class_tools(
    list_=list_,
    none=none,
    get_thing_a855=get_thing_a855,
    get_thing=get_thing,
    n1_2_3=n1_2_3,
)
