from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolkiln.cli import main

ANSWER = {
    "tools": [
        {
            "name": "search",
            "description": "Search.",
            "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
        }
    ]
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "toolkiln.toml").write_text('specs = ["my/specs/**/*.yaml"]\npackage = "app"\n')
    (tmp_path / "docs-server.json").write_text(json.dumps(ANSWER))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_imported_server_generates_at_once(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "mcp", "docs-server.json"]) == 0
    assert capsys.readouterr().out.endswith("1 tool in my/specs/docs_server.yaml.\n")
    assert (project / "my" / "specs" / "docs_server.yaml").is_file()
    assert main(["generate"]) == 0


def test_what_is_left_out_is_named_and_exits_1(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = {"tools": [*ANSWER["tools"], {"name": "bad", "inputSchema": {"type": "array"}}]}
    (project / "docs-server.json").write_text(json.dumps(answer, indent=1))
    assert main(["import", "mcp", "docs-server.json", "--out", "here"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("docs-server.json:")
    assert "error import-left-out" in out
    assert out.endswith("1 tool in here/docs_server.yaml.\n")


def test_a_file_without_tools_is_unreadable_and_the_others_are_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "other.json").write_text("{")
    assert main(["import", "mcp", "other.json", "docs-server.json"]) == 3
    assert "other.json:1:" in capsys.readouterr().out
    assert (project / "my" / "specs" / "docs_server.yaml").is_file()


def test_a_spec_that_exists_is_never_overwritten(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "mcp", "docs-server.json"]) == 0
    spec = project / "my" / "specs" / "docs_server.yaml"
    spec.write_text("mine")
    assert main(["import", "mcp", "docs-server.json"]) == 2
    assert "docs_server.yaml exists" in capsys.readouterr().err
    assert spec.read_text() == "mine"
