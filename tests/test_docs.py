"""The pages do what they say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from tests.support import REPOSITORY
from tests.tutorial import BLOCK, follow
from toolkiln_runtime import records
from toolkiln_runtime.events import EventType
from toolkiln_runtime.outcomes import RuntimeCode

DOCS = REPOSITORY / "docs"
PAGES = sorted(DOCS.glob("*.md"))
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def test_every_block_of_the_page_on_approval_is_run(tmp_path: Path, *, update_golden: bool) -> None:
    page = DOCS / "approval.md"
    text = page.read_text("utf-8")
    assert {language for file, language, _ in BLOCK.findall(text) if not file} == {"console"}
    assert text.count("```") == 2 * len(BLOCK.findall(text))
    assert follow(page, text, tmp_path, update=update_golden) > 10


@pytest.mark.parametrize("page", [REPOSITORY / "README.md", *PAGES], ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    links = LINK.findall(page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_readme_leads_to_every_page() -> None:
    links = LINK.findall((REPOSITORY / "README.md").read_text("utf-8"))
    assert {page.name for page in PAGES} <= {Path(link).name for link in links}


def test_the_page_on_calls_names_every_state_event_and_code() -> None:
    text = (DOCS / "calls.md").read_text("utf-8")
    states = [kind.__struct_config__.tag for kind in get_args(records.Call)]
    for name in (*states, *get_args(EventType), *get_args(RuntimeCode), *raised()):
        assert f"`{name}`" in text, name
    drawn = text.split("```mermaid")[1].split("```")[0]
    for state in (*states, "uncertain"):
        assert state in drawn, state


def raised() -> set[str]:
    """The codes with which replies are rejected: those that docstrings of the executor tell."""
    source = REPOSITORY / "runtime" / "toolkiln_runtime"
    files = ("answering", "ending", "edits", "plans", "protection", "records", "restoring")
    texts = [(source / f"{name}.py").read_text("utf-8") for name in files]
    return {code for text in texts for code in re.findall(r'ToolError\(\s*"([a-z.-]+)"', text)}
