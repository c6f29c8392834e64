"""Calls that ask the person at the terminal."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo terminals", allow_module_level=True)

from tests.pausing import Desk, Terminal

GOLD = ("call", "buy", "--args", '{"what": "gold"}')


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.write()
    return desk


@pytest.fixture
def desk(written: Desk) -> Desk:
    written.forget()
    return written


@pytest.fixture
def sit(desk: Desk) -> Iterator[Callable[..., Terminal]]:
    """Opens terminals."""
    opened: list[Terminal] = []

    def open_terminal(*words: str, **more: str) -> Terminal:
        opened.append(Terminal(desk, *words, **more))
        return opened[-1]

    yield open_terminal
    for terminal in opened:
        terminal.close()


Sit = Callable[..., Terminal]


def test_yes_runs_the_call_and_only_its_result_goes_to_stdout(desk: Desk, sit: Sit) -> None:
    terminal = sit(*GOLD)
    terminal.expect("buy needs an approval, and nothing has run:\n  Buy gold?\n")
    terminal.expect('  {"what": "gold"}\nApprove? [y/n/e to edit] ')
    assert desk.runs == []
    terminal.type("y\n")
    code, out = terminal.end()
    assert (code, json.loads(out)["kind"]) == (0, "completed")
    assert desk.runs == ["buy"]


def test_no_asks_for_a_reason_and_denies(desk: Desk, sit: Sit) -> None:
    terminal = sit("call", "sell")
    terminal.expect("Approve? [y/n] ")
    terminal.type("\n")
    terminal.expect("Type y or n.")
    terminal.expect("Approve? [y/n] ")
    terminal.type("n\n")
    terminal.expect("Reason, if you like: ")
    terminal.type("Too dear.\n")
    code, out = terminal.end()
    assert (code, json.loads(out)["reason"]) == (1, "Too dear.")
    assert "\x1b" not in terminal.shown
    assert desk.runs == []


def test_an_edit_is_shown_before_it_is_approved(desk: Desk, sit: Sit, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    script = "import sys; open(sys.argv[1], 'w').write(open(sys.argv[0] + '.json').read())"
    editor.write_text(f"#!{sys.executable}\n{script}\n")
    editor.chmod(0o700)
    edits = Path(f"{editor}.json")
    terminal = sit(*GOLD, EDITOR=str(editor))
    for text, shown in (
        ("{", "That is no JSON"),
        ("[]", "Arguments are an object."),
        ('{"what": "thirteen-long"}', '  {"what": "thirteen-long"}\n'),
    ):
        edits.write_text(text)
        terminal.expect("Approve? [y/n/e to edit] ")
        terminal.type("e\n")
        terminal.expect(shown)
    terminal.type("y\n")
    terminal.expect("error interaction.invalid-edit: ")
    terminal.expect("Approve? [y/n/e to edit] ")
    edits.write_text('{"what": "silver"}')
    terminal.type("e\n")
    terminal.expect('  {"what": "silver"}\nApprove? [y/n/e to edit] ')
    terminal.type("y\n")
    code, out = terminal.end()
    assert (code, json.loads(out)["editedArgs"]) == (0, {"what": "silver"})
    assert desk.runs == ["buy"]


def test_without_an_editor_the_question_stays(sit: Sit) -> None:
    terminal = sit(*GOLD, EDITOR="/no/such/editor")
    terminal.expect("Approve? ")
    terminal.type("e\n")
    terminal.expect("ditor")
    terminal.expect("Approve? ")
    terminal.type("n\n\n")
    assert terminal.end()[0] == 1


def test_what_may_not_be_edited_is_not_offered_for_it(desk: Desk, sit: Sit) -> None:
    terminal = sit("call", "sell")
    terminal.expect("Approve? [y/n] ")
    terminal.type("e\n")
    terminal.expect("Type y or n.")
    terminal.type("y\n")
    assert terminal.end()[0] == 0
    assert desk.runs == ["sell"]


def test_choices_are_numbered_and_the_next_question_follows(sit: Sit) -> None:
    terminal = sit("call", "pick", TOOLKILN_KEYS="A" * 43)
    terminal.expect('  1  Like \\x1b[31mfire  "red"\n  2  Like grass  "green"\nWhich? [1-2] ')
    for wrong in ("0", "3", "green", "9" * 5000, "\u00b2"):
        terminal.type(f"{wrong}\n"[-1000:])
        terminal.expect("Type the number of a choice.")
    terminal.type("2\n")
    terminal.expect("pick needs an approval:\n  Really?\n")
    terminal.type("yes\n")
    code, out = terminal.end()
    assert (code, json.loads(out)["output"]) == (0, "picked")


def test_a_text_is_typed_as_it_is_and_json_is_asked_for_until_it_fits(sit: Sit) -> None:
    terminal = sit("call", "greet")
    terminal.expect("Answer: ")
    terminal.type("Ada \u00e9\n")
    assert json.loads(terminal.end()[1])["output"] == "Hello, Ada \u00e9!"
    terminal = sit("call", "count")
    for wrong, shown in (("many", "A text needs quotes"), ("0", "interaction.invalid-response")):
        terminal.expect("Answer, as JSON: ")
        terminal.type(f"{wrong}\n")
        terminal.expect(shown)
    terminal.type("4\n")
    assert json.loads(terminal.end()[1])["output"] == 8


def test_a_secret_is_not_echoed_and_needs_no_command_line(desk: Desk, sit: Sit) -> None:
    terminal = sit("call", "enter")
    terminal.expect("Answer: ")
    terminal.type("sesame\n")
    assert json.loads(terminal.end()[1])["output"] is True
    assert "sesame" not in terminal.shown
    name = desk.asked("enter")
    terminal = sit("respond", name)
    terminal.expect("Answer: ")
    terminal.type("wrong\n")
    assert json.loads(terminal.end()[1])["output"] is False
    assert "wrong" not in terminal.shown


@pytest.mark.parametrize("leave", ["\x04", signal.SIGINT])
def test_who_leaves_has_answered_nothing(desk: Desk, sit: Sit, leave: str | int) -> None:
    terminal = sit(*GOLD)
    terminal.expect("Approve? [y/n/e to edit] ")
    if isinstance(leave, str):
        terminal.type(leave)
    else:
        terminal.process.send_signal(leave)
    terminal.expect("Nobody has answered, and the call waits.")
    code, out = terminal.end()
    name = json.loads(out)["interaction"]["id"]
    assert code == 0
    assert f"toolkiln approve {name}" in terminal.shown
    assert desk.runs == []
    assert desk.json("approve", name)["kind"] == "completed"


def test_without_input_nobody_is_asked_even_on_a_terminal(desk: Desk, sit: Sit) -> None:
    terminal = sit(*GOLD, "--no-input")
    code, out = terminal.end()
    assert (code, json.loads(out)["kind"]) == (0, "interaction-required")
    assert "Approve?" not in terminal.shown
    assert desk.runs == []


def test_a_call_survives_its_terminal(desk: Desk, sit: Sit) -> None:
    terminal = sit(*GOLD)
    terminal.expect("Approve? ")
    terminal.process.kill()
    (call,) = desk.waiting()
    assert desk.runs == []
    assert desk.json("approve", call["interaction"]["id"])["kind"] == "completed"
    assert desk.runs == ["buy"]


def test_an_answer_from_elsewhere_comes_first(desk: Desk, sit: Sit) -> None:
    terminal = sit(*GOLD)
    terminal.expect("Approve? ")
    (call,) = desk.waiting()
    desk.json("approve", call["interaction"]["id"], LOGNAME="grace")
    terminal.type("n\n\n")
    terminal.expect("error interaction.answered: grace has approved it just now.")
    code, out = terminal.end()
    assert (code, json.loads(out)["kind"]) == (0, "completed")
    assert desk.runs == ["buy"]
