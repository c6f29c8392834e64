from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.support import REPOSITORY
from toolkiln.cli import _COMMANDS, main
from toolkiln.output import manifest

PROJECT = 'specs = ["specs/*.yaml"]\npackage = "app.tools"\n'
SPEC = """\
toolkiln: 1
namespace: shop
tools:
  buy:
    description: Buy something.
    effects: {destructive: true}
    parameters:
      required: [what]
      properties:
        what: {type: string}
"""
BROKEN = SPEC.replace("what: {type: string}", "what: {type: strin}")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "toolkiln.toml").write_text(PROJECT)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "shop.yaml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


# --- generate -----------------------------------------------------------------------------------


def test_generate_writes_and_then_touches_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate"]) == 0
    assert re.fullmatch(r"1 tool: \d+ files created\.\n", capsys.readouterr().out)
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    assert main(["generate"]) == 0
    assert re.fullmatch(r"1 tool: \d+ files unchanged\.\n", capsys.readouterr().out)
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before


def test_generate_works_from_a_folder_below_and_from_elsewhere(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "specs")
    assert main(["generate"]) == 0
    written = tree(project / "app")
    monkeypatch.chdir("/")
    (project / "app" / "tools" / "shop" / "models.py").unlink()
    assert main(["generate", "--project", str(project)]) == 0
    assert tree(project / "app") == written


def test_a_removed_spec_takes_its_files_along(project: Path) -> None:
    (project / "specs" / "other.yaml").write_text(SPEC.replace("shop", "other"))
    assert main(["generate"]) == 0
    assert (project / "app" / "tools" / "other").is_dir()
    (project / "specs" / "other.yaml").unlink()
    assert main(["generate"]) == 0
    assert not (project / "app" / "tools" / "other").exists()


def test_an_error_in_a_tool_writes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "specs" / "shop.yaml").write_text(BROKEN)
    before = tree(project)
    assert main(["generate"]) == 1
    assert tree(project) == before
    out = capsys.readouterr().out
    assert out.startswith("specs/shop.yaml:10:")
    assert out.endswith("1 error. Nothing was written.\n")


def test_keep_going_leaves_out_the_tool_in_error_and_names_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = "  sell: {description: Sell., effects: {}}\n"
    (project / "specs" / "shop.yaml").write_text(BROKEN + good)
    assert main(["generate", "--keep-going"]) == 1
    assert "Left out: shop.buy." in capsys.readouterr().out
    contracts = (project / "app" / "tools" / "shop" / "contracts.py").read_text()
    assert "SELL" in contracts
    assert "BUY" not in contracts


def test_specs_that_cannot_be_loaded_outrank_other_errors(project: Path) -> None:
    (project / "specs" / "bad.yaml").write_text("toolkiln: 1\ntools: [")
    (project / "specs" / "shop.yaml").write_text(BROKEN)
    assert main(["generate"]) == 3
    assert main(["generate", "--keep-going"]) == 3
    assert not (project / "app").exists()


def test_no_spec_at_all_is_unreadable(project: Path) -> None:
    (project / "specs" / "shop.yaml").unlink()
    assert main(["generate"]) == 3


def test_an_edited_file_stops_everything_unless_forced(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate"]) == 0
    edited = project / "app" / "tools" / "shop" / "models.py"
    edited.write_text("mine\n")
    (project / "specs" / "shop.yaml").write_text(SPEC.replace("buy", "sell"))
    before = tree(project)
    assert main(["generate"]) == 1
    assert tree(project) == before
    assert "app/tools/shop/models.py:1:1: error output-edited" in capsys.readouterr().out
    assert main(["generate", "--force"]) == 0
    assert "mine" not in edited.read_text()


def test_force_spares_strangers(project: Path) -> None:
    stranger = project / "app" / "tools" / "shop" / "models.py"
    stranger.parent.mkdir(parents=True)
    stranger.write_text("theirs\n")
    assert main(["generate", "--force"]) == 1
    assert stranger.read_text() == "theirs\n"
    assert not (stranger.parent / "contracts.py").exists()


def test_a_conflicted_manifest_is_resolved_by_generating(project: Path) -> None:
    assert main(["generate"]) == 0
    path = project / "app" / "tools" / manifest.NAME
    text = path.read_text()
    path.write_text(f"<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> other\n")
    assert main(["generate"]) == 0
    assert path.read_text() == text


def test_a_folder_that_cannot_be_written_is_a_finding(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(project / "app"))

    monkeypatch.setattr(Path, "write_bytes", full)
    assert main(["generate"]) == 1
    out = capsys.readouterr().out
    assert "error output-unwritable: app: No space left on device." in out
    assert not (project / "app").exists()


def test_json_is_all_that_is_printed_with_that_format(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = json.loads((REPOSITORY / "schemas" / "diagnostics.schema.json").read_text())
    for spec, code, errors in ((SPEC, 0, 0), (BROKEN, 1, 1), ("[", 3, 1)):
        (project / "specs" / "shop.yaml").write_text(spec)
        assert main(["generate", "--format", "json"]) == code
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, schema)
        assert document["summary"]["errors"] == errors
    (project / "toolkiln.toml").write_text("[")
    assert main(["generate", "--format", "json"]) == 3
    assert json.loads(capsys.readouterr().out)["summary"]["errors"] == 1


def test_hostile_text_does_not_reach_the_terminal(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "specs" / "shop.yaml").write_text(SPEC + "\u202e\u2066: 1\n")
    assert main(["generate"]) == 3
    out = capsys.readouterr().out
    assert "\\u202e" in out
    assert "\u202e" not in out


# --- targets ------------------------------------------------------------------------------------


def test_an_unknown_target_is_pointed_at(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "toolkiln.toml").write_text(PROJECT + '[targets.pyton]\nout = "x"\n')
    assert main(["generate"]) == 3
    out = capsys.readouterr().out
    assert out.startswith("toolkiln.toml:3:10: error target-unknown: There is no target `pyton`.")
    assert "Did you mean `python`?" in out


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ('argumens = "dict"', "Did you mean `arguments`?"),
        ('arguments = "both"', "'both' is not one of"),
    ],
)
def test_options_are_checked_by_their_target(
    project: Path, capsys: pytest.CaptureFixture[str], option: str, says: str
) -> None:
    (project / "toolkiln.toml").write_text(f"{PROJECT}[targets.python]\n{option}\n")
    assert main(["generate"]) == 3
    out = capsys.readouterr().out
    assert out.startswith("toolkiln.toml:4:1: error target-option-invalid: ")
    assert says in out


@pytest.mark.parametrize("folder", ["../elsewhere", "/elsewhere", "app/../../elsewhere", "C:x"])
def test_handlers_are_never_written_outside_of_the_project(
    project: Path, capsys: pytest.CaptureFixture[str], folder: str
) -> None:
    text = f'{PROJECT}[targets.python]\nhandlers = "{folder}"\n'
    (project / "toolkiln.toml").write_text(text)
    before = tree(project.parent)
    assert main(["generate"]) == 3
    assert "`handlers` leads out of the project." in capsys.readouterr().out
    assert {path for path in tree(project.parent) if "toolkiln.toml" not in path} == {
        path for path in before if "toolkiln.toml" not in path
    }


@pytest.mark.parametrize(
    ("handlers", "rule"), [("out", "output-outside"), ("link", "output-foreign")]
)
def test_handlers_stand_neither_among_generated_files_nor_behind_a_link(
    project: Path, capsys: pytest.CaptureFixture[str], handlers: str, rule: str
) -> None:
    text = f'{PROJECT}out = "out"\n[targets.python]\nhandlers = "{handlers}"\n'
    (project / "toolkiln.toml").write_text(text)
    (project / "elsewhere").mkdir()
    (project / "link").symlink_to(project / "elsewhere")
    assert main(["generate"]) == 1
    assert rule in capsys.readouterr().out
    assert not (project / "out").exists()
    assert list((project / "elsewhere").iterdir()) == []


def test_a_mistake_in_a_template_of_the_project_is_pointed_at(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f'{PROJECT}[targets.python]\ntemplates = "mine"\n'
    (project / "toolkiln.toml").write_text(text)
    (project / "mine" / "python").mkdir(parents=True)
    (project / "mine" / "python" / "models.py.jinja").write_text("\n{{ nothing }}\n")
    assert main(["generate"]) == 1
    assert capsys.readouterr().out.startswith(
        "mine/python/models.py.jinja:2:1: error template-failed: "
    )


# --- init ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["app.tools", "tools", "a.b.c"])
def test_what_init_writes_generates_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "new/here", "--package", package]) == 0
    monkeypatch.chdir(tmp_path / "new" / "here")
    assert main(["generate"]) == 0
    assert (Path(*package.split(".")) / "weather" / "registration.py").is_file()
    (Path(".toolkiln") / "spec.schema.json").unlink()
    assert main(["generate"]) == 0
    assert (Path(".toolkiln") / "spec.schema.json").is_file()
    assert (Path(".toolkiln") / ".gitignore").read_text() == "*\n"


def test_init_changes_nothing_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("specs").mkdir()
    Path("specs/weather.yaml").write_text("mine")
    assert main(["init"]) == 0
    assert Path("specs/weather.yaml").read_text() == "mine"
    before = tree(tmp_path)
    assert main(["init"]) == 2
    assert tree(tmp_path) == before


def test_init_refuses_a_package_that_cannot_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--package", "my-tools"]) == 2
    assert "`my-tools` is no Python name" in capsys.readouterr().err
    assert tree(tmp_path) == {}


# --- usage and faults ---------------------------------------------------------------------------


def test_a_disk_that_refuses_is_no_fault_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["init", str(tmp_path / "file" / "project")]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"error: {tmp_path / 'file' / 'project'}")
    assert "mistake in toolkiln" not in err


def test_outside_of_a_project_the_way_in_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["generate"]) == 2
    assert "`toolkiln init` starts a project" in capsys.readouterr().err


def test_an_unknown_command_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generat"]) == 2
    assert "Did you mean `generate`?" in capsys.readouterr().err


@pytest.mark.parametrize("command", _COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: toolkiln {command}")


def test_a_fault_of_ours_is_short_and_the_traceback_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr("toolkiln.cli.pipeline.read", broken)
    assert project.exists()
    assert main(["generate"]) == 70
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert err.startswith("internal error: KeyError: 'x'\n")
    kept = Path(err.rsplit(" ", 1)[1].strip().removesuffix("."))
    assert "Traceback" in kept.read_text()
    kept.unlink()
    monkeypatch.setenv("TOOLKILN_TRACEBACK", "1")
    assert main(["generate"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_stops_early_is_no_fault(project: Path) -> None:
    (project / "specs" / "shop.yaml").write_text(BROKEN)
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "toolkiln", "generate"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False, text=True)
    os.close(writer)
    assert done.stderr == ""


def test_the_command_line_starts_without_what_only_some_commands_need(project: Path) -> None:
    code = "import sys; from toolkiln.cli import main, generate, call, pending, replies, asking"
    code += "; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project, check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    heavy = {"yaml", "jinja2", "jsonschema", "jsonschema_rs", "pydantic", "importlib.metadata"}
    heavy |= {"sqlalchemy", "cryptography", "toolkiln_runtime"}
    assert loaded & heavy == set()


def test_the_version_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "toolkiln 0.1.0\n"


def test_many_new_handlers_are_counted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abcd":
        (project / "specs" / f"{name}.yaml").write_text(SPEC.replace("shop", name))
    text = f'{PROJECT}[targets.python]\nhandlers = "app/handlers"\n'
    (project / "toolkiln.toml").write_text(text)
    assert main(["generate"]) == 0
    assert capsys.readouterr().out.endswith(
        "Fill in app/handlers/a.py, app/handlers/b.py, app/handlers/c.py and 2 more.\n"
    )
