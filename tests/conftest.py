"""Options, fixtures and the closing summary that all tests share."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.support import SHARED, require


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the expected files of golden cases instead of comparing with them",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is refused under CI: expected files are reviewed")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def shared() -> Path:
    require("shared")
    return SHARED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.getreports("skipped")
        if isinstance(report.longrepr, tuple)
    )
    if not reasons:
        return
    terminalreporter.section(f"{reasons.total()} NOT RUN", yellow=True, bold=True)
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count:5}  {reason}")
