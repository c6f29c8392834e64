"""Made-up numbers between the bounds of a schema."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from random import Random
from typing import Any, Final

_SPAN: Final = 100


def number(facts: dict[str, Any], random: Random, *, whole: bool) -> int | float:
    """A number that *facts* allow; the nearest one if they allow none."""
    step = Decimal(str(facts.get("multipleOf", 1 if whole else "0.5")))
    if whole and step % 1:
        # A multiple of both.
        step *= 10 ** -int(step.as_tuple().exponent)
    low, high = _bounds(facts, step)
    first = (low / step).to_integral_value(ROUND_CEILING)
    last = (high / step).to_integral_value(ROUND_FLOOR)
    chosen = random.randint(int(first), max(int(first), int(last))) * step
    return int(chosen) if chosen % 1 == 0 else float(chosen)


def _bounds(facts: dict[str, Any], step: Decimal) -> tuple[Decimal, Decimal]:
    lows = [Decimal(str(facts["minimum"]))] if "minimum" in facts else []
    highs = [Decimal(str(facts["maximum"]))] if "maximum" in facts else []
    if "exclusiveMinimum" in facts:
        bound = Decimal(str(facts["exclusiveMinimum"]))
        lows.append(((bound / step).to_integral_value(ROUND_FLOOR) + 1) * step)
    if "exclusiveMaximum" in facts:
        bound = Decimal(str(facts["exclusiveMaximum"]))
        highs.append(((bound / step).to_integral_value(ROUND_CEILING) - 1) * step)
    span = _SPAN * step
    if lows and highs:
        return max(lows), min(highs)
    if lows:
        return max(lows), max(lows) + span
    if highs:
        return min(highs) - span, min(highs)
    return Decimal(0), span
