"""The README does what it says: its tutorial runs as printed, its reference is the schema's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tests.spec_reference import markdown
from tests.support import REPOSITORY
from tests.tutorial import follow

README: Final = REPOSITORY / "README.md"
BEGIN: Final = "<!-- spec reference: made from schemas/spec.schema.json by `make golden` -->\n"
END: Final = "<!-- end of the spec reference -->\n"


def tutorial() -> str:
    """The part of the README that is run."""
    text = README.read_text("utf-8")
    return text.split("<!-- tutorial:")[1].split("<!-- end of the tutorial -->")[0]


def test_each_command_of_the_tutorial_prints_what_the_readme_says(
    tmp_path: Path, *, update_golden: bool
) -> None:
    assert follow(README, tutorial(), tmp_path, update=update_golden) > 10


def test_the_reference_in_the_readme_is_that_of_the_schema(*, update_golden: bool) -> None:
    schema = json.loads((REPOSITORY / "schemas" / "spec.schema.json").read_text("utf-8"))
    before, _, rest = README.read_text("utf-8").partition(BEGIN)
    printed, _, after = rest.partition(END)
    expected = f"\n{markdown(schema)}\n\n"
    if update_golden:
        README.write_text(f"{before}{BEGIN}{expected}{END}{after}", "utf-8")
        printed = expected
    assert printed == expected
