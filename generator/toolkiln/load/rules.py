"""The mistakes in the structure of a spec file."""

from __future__ import annotations

from typing import Final

from ..diagnostics import Level, Rule

SPEC_NEWER = Rule("spec-newer", Level.ERROR, "A file is written for a newer Toolkiln.")
KEY_UNKNOWN = Rule("key-unknown", Level.ERROR, "A map holds a key that means nothing there.")
KEY_MISSING = Rule("key-missing", Level.ERROR, "A map lacks a key that has no default.")
NAME_INVALID = Rule("name-invalid", Level.ERROR, "A name has characters that it may not have.")
VALUE_NULL = Rule("value-null", Level.ERROR, "Nothing stands where a value is expected.")
VALUE_TYPE = Rule("value-type", Level.ERROR, "A value is not what its key takes.")
VALUE_FORM = Rule("value-form", Level.ERROR, "A text is not written as its key demands.")
VALUE_REPEATED = Rule("value-repeated", Level.ERROR, "A list holds the same value twice.")
REF_EMPTY = Rule("ref-empty", Level.ERROR, "A reference is empty, or no text.")
EFFECTS_CONTRADICT = Rule(
    "effects-contradict", Level.ERROR, "A tool is both `read_only` and `destructive`."
)
INTERACTION_ANSWER = Rule(
    "interaction-answer", Level.ERROR, "An interaction does not say what may be answered."
)
EXAMPLE_OUTCOME = Rule("example-outcome", Level.ERROR, "An example has not exactly one outcome.")

CLASHING: Final = {
    rule.id: rule for rule in (EFFECTS_CONTRADICT, INTERACTION_ANSWER, EXAMPLE_OUTCOME)
}
"""Rules about keys that do not go together, by id."""
