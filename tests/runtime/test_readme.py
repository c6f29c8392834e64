from __future__ import annotations

import re
import subprocess
import sys
import textwrap

from tests.support import REPOSITORY
from toolkiln_runtime import Catalog, Progress, ToolSlot
from toolkiln_runtime.contract import Approval, Failure

from .kit import declared, outcome

TEXT = (REPOSITORY / "runtime" / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_example_of_the_readme_prints_what_it_says() -> None:
    command = [sys.executable, "-c", blocks("python")[0]]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    (printed,) = blocks("json")
    for line, expected in zip(done.stdout.splitlines(), printed.splitlines(), strict=True):
        assert line.startswith(expected.removesuffix(" ...}"))


async def test_the_rehearsal_of_the_readme_goes_as_it_says() -> None:
    definition = declared(
        name="refund_invoice",
        approval=Approval(prompt=("?",)),
        failures={"not_found": Failure("No such invoice.")},
    )
    code = textwrap.indent(blocks("python")[1], "    ")
    names = {"catalog": Catalog([ToolSlot("ns", [definition])])}
    exec(f"async def main():\n{code}\n    return progress", names)  # noqa: S102 - our own text
    progress: Progress = await names["main"]()  # type: ignore[operator]
    assert outcome(progress.results[0])["code"] == "not_found"


def test_every_code_of_a_reply_stands_in_the_readme() -> None:
    from .test_rules import CODES

    table = TEXT[TEXT.index("| code | the reply |") :]
    for code in CODES:
        family, _, rest = code.partition(".")
        if family in {"invocation", "record"}:
            assert code in table or f"`.{rest}`" in table, code
