"""Calls that pause in one process and go on in another one."""

from __future__ import annotations

import json
import signal
import stat
from pathlib import Path

import pytest

from tests.pausing import SPEC, Desk
from toolkiln_runtime import new_key


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.write()
    return desk


@pytest.fixture
def desk(written: Desk) -> Desk:
    written.forget()
    return written


def test_an_approval_runs_the_call_in_the_process_that_gives_it(desk: Desk) -> None:
    name = desk.asked("buy", what="gold")
    assert desk.runs == []
    done = desk.json("approve", name)
    assert (done["kind"], done["output"]) == ("completed", {"bought": "gold", "noted": None})
    assert desk.runs == ["buy"]
    assert desk.waiting() == []


def test_a_second_answer_is_refused_and_told_of_the_first(desk: Desk) -> None:
    name = desk.asked("buy", what="gold")
    desk.json("approve", name, LOGNAME="grace")
    for again in (("approve", name), ("deny", name)):
        done = desk.run(*again)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            "error interaction.answered: grace has approved it just now. The call has completed.\n"
        )
    assert desk.runs == ["buy"]


def test_of_many_answers_at_once_one_runs_the_call(desk: Desk) -> None:
    name = desk.asked("buy", what="gold")
    answers = [desk.start("approve", name) for _ in range(4)]
    ends = [(*answer.communicate(timeout=60), answer.returncode) for answer in answers]
    assert sorted(code for _, _, code in ends) == [0, 1, 1, 1]
    assert all("interaction.answered" in err for _, err, code in ends if code)
    assert desk.runs == ["buy"]


def test_a_refusal_ends_the_call_with_its_reason(desk: Desk) -> None:
    name = desk.asked("sell")
    done = desk.json("deny", name, "--reason", "Not today.")
    assert (done["kind"], done["reason"]) == ("denied", "Not today.")
    late = desk.run("approve", name)
    assert late.returncode == 1
    assert late.stderr.startswith("error interaction.answered: ada has refused it")
    assert desk.runs == []


def test_arguments_are_edited_where_the_contract_allows_it_and_checked_again(desk: Desk) -> None:
    name = desk.asked("buy", what="gold")
    bad = desk.run("approve", name, "--edit", '{"what": "thirteen-long"}')
    assert (bad.returncode, desk.runs) == (1, [])
    assert bad.stderr.startswith("error interaction.invalid-edit: ")
    assert desk.run("approve", name, "--edit", "[]").returncode == 2
    done = desk.json("approve", name, "--edit", '{"what": "silver"}')
    assert done["output"]["bought"] == "silver"
    assert done["editedArgs"] == {"what": "silver"}
    fixed = desk.asked("sell")
    refused = desk.run("approve", fixed, "--edit", '{"what": "cake"}')
    assert refused.stderr.startswith("error interaction.invalid-edit: ")
    assert [call["interaction"]["id"] for call in desk.waiting()] == [fixed]


def test_a_text_is_taken_as_it_is_where_only_texts_are_taken(desk: Desk) -> None:
    assert desk.json("respond", desk.asked("greet"), "42")["output"] == "Hello, 42!"
    assert desk.json("respond", desk.asked("greet"), '"x"')["output"] == 'Hello, "x"!'


def test_other_answers_are_json_and_an_invalid_one_leaves_the_question_open(desk: Desk) -> None:
    name = desk.asked("count")
    usage = desk.run("respond", name, "many")
    assert usage.returncode == 2
    assert "A text needs quotes" in usage.stderr
    for number in ("0", "-5"):
        invalid = desk.run("respond", name, number)
        assert invalid.returncode == 1
        assert invalid.stderr.startswith("error interaction.invalid-response: ")
    assert desk.json("respond", name, "21")["output"] == 42


def test_an_answer_is_one_of_the_choices_and_may_lead_to_the_next_question(desk: Desk) -> None:
    name = desk.asked("pick")
    listed = desk.run("pending").stdout
    assert '"green"  Like grass' in listed
    assert "\x1b" not in listed
    assert desk.run("respond", name, "blue").returncode == 1
    assert desk.run("approve", name).stderr.startswith("error interaction.wrong-kind: ")
    second = desk.json("respond", name, "green")["interaction"]
    assert second["prompt"] == "Really?"
    assert desk.run("respond", second["id"], "true").stderr.startswith(
        "error interaction.wrong-kind: "
    )
    assert desk.json("approve", second["id"])["output"] == "picked"


def test_an_unknown_id_is_said_to_be_one(desk: Desk) -> None:
    for words, code in (
        (("approve", "int_0"), "interaction.unknown"),
        (("deny", "int_0"), "interaction.unknown"),
        (("respond", "int_0", "x"), "interaction.unknown"),
        (("settle", "inv_0", "--output", "1"), "invocation.unknown"),
        (("cancel", "inv_0"), "invocation.unknown"),
    ):
        done = desk.run(*words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"error {code}: ")
        assert "`toolkiln pending` lists those" in done.stderr


def test_a_deferred_call_is_settled_once_and_under_its_contract(desk: Desk) -> None:
    name = desk.json("call", "ship")["invocationId"]
    assert "is deferred: its result comes later; called just now" in desk.run("pending").stdout
    wrong = desk.run("settle", name, "--output", "{}")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("error invocation.invalid-outcome: ")
    done = desk.json("settle", name, '{"kind": "completed", "output": {"parcel": 7}}')
    assert done["output"] == {"parcel": 7}
    again = desk.run("settle", name, "--denied", "No.")
    assert again.stderr == "error invocation.settled: The call has completed.\n"
    assert desk.runs == ["ship"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--failed", "lost"), {"kind": "failed", "code": "lost"}),
        (("--failed", "lost", "--message", "Gone."), {"kind": "failed", "message": "Gone."}),
        (("--denied", "No."), {"kind": "denied", "reason": "No."}),
    ],
)
def test_a_call_may_be_settled_as_not_done(
    desk: Desk, words: tuple[str, ...], expected: dict[str, str]
) -> None:
    name = desk.json("call", "ship")["invocationId"]
    assert expected.items() <= desk.json("settle", name, *words).items()


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("{",),
        ("{}",),
        ('{"kind": "completed"}',),
        ('{"kind": "failed", "code": 1}',),
        ('{"kind": "denied", "reason": "x", "code": "y"}',),
        ("--output", "{"),
        ("--output", "1", "--denied", "x"),
        ("--denied", "x", "--message", "y"),
    ],
)
def test_what_is_no_outcome_is_a_mistake_of_usage(desk: Desk, words: tuple[str, ...]) -> None:
    done = desk.run("settle", "inv_0", *words)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_call_is_cancelled_by_either_of_its_ids(desk: Desk) -> None:
    question = desk.asked("sell")
    assert desk.json("cancel", question)["code"] == "tool.cancelled"
    invocation = desk.json("call", "ship")["invocationId"]
    assert desk.json("cancel", invocation)["code"] == "tool.cancelled"
    for name in (question, invocation):
        again = desk.run("cancel", name)
        assert again.returncode == 1
        assert again.stderr.startswith("error invocation.settled: ")
    late = desk.run("approve", question)
    assert late.stderr.startswith("error interaction.answered: Somebody has cancelled the call")
    assert desk.runs == ["ship"]


def test_a_question_expires(desk: Desk) -> None:
    name = desk.asked("hurry")
    listed = desk.run("pending")
    assert (listed.stdout, listed.stderr) == ("Nothing waits.\n", "expired: hurry\n")
    late = desk.run("approve", name)
    assert late.returncode == 1
    assert late.stderr.startswith("error interaction.expired: ")
    assert desk.runs == []


def test_a_pipe_answers_nothing(desk: Desk) -> None:
    for tool in ("sell", "greet", "count"):
        assert json.loads(desk.run("call", tool, stdin="y\ny\n1\n").stdout)["kind"] != "completed"
    assert len(desk.waiting()) == 3
    name = desk.asked("greet")
    done = desk.run("respond", name, stdin="Ada\n")
    assert done.returncode == 2
    assert desk.runs == []


def test_the_list_says_what_waits_since_when_and_until_when(desk: Desk) -> None:
    assert desk.run("pending").stdout == "Nothing waits.\n"
    assert desk.run("pending", "--quiet").stdout == ""
    first, second = desk.asked("buy", what="gold"), desk.asked("greet")
    assert desk.run("pending").stdout == (
        f'{first}  buy  {{"what": "gold"}}\n'
        "  needs an approval, and nothing has run: Buy gold?\n"
        "  called just now, expires in 4 hours\n"
        f"{second}  greet  {{}}\n"
        "  needs an answer: Who?\n"
        "  called just now\n"
    )
    assert desk.run("pending", "-q").stdout == f"{first}\n{second}\n"
    calls = desk.waiting()
    assert [call["toolName"] for call in calls] == ["buy", "greet"]
    assert calls[0]["expiresAt"] == pytest.approx(calls[0]["calledAt"] + 4 * 3600, abs=10)


def test_texts_of_contracts_and_models_only_show_on_a_terminal(desk: Desk) -> None:
    made = desk.run("call", "sell", "--args", json.dumps({"what": "a\x9b2J\u202eb\x07"}))
    listed = desk.run("pending")
    for text in (made.stdout, made.stderr, listed.stdout):
        assert text.replace("\n", "").isprintable()
    assert r"Sell \x1b[2J" in listed.stdout


def test_what_a_killed_process_was_at_is_uncertain_and_never_runs_again(desk: Desk) -> None:
    name = desk.asked("buy", what="gold")
    (desk.root / "hold").touch()
    answer = desk.start("approve", name)
    invocation = desk.until("unfinished", state="running")["invocationId"]
    busy = desk.run("settle", invocation, "--output", "{}")
    assert busy.stderr.startswith("error invocation.running: ")
    answer.kill()
    answer.communicate()
    (desk.root / "hold").unlink()
    desk.until("unfinished", state="uncertain", invocationId=invocation)
    assert "what it has done is not known" in desk.run("pending").stdout
    again = desk.run("approve", name)
    assert again.stderr == (
        "error interaction.answered: ada has approved it just now. The call has no result yet.\n"
    )
    assert desk.json("settle", invocation, "--output", '{"bought": "gold"}')["kind"] == "completed"
    assert desk.runs == ["buy"]
    assert desk.waiting() == []


def test_a_call_that_runs_elsewhere_is_interrupted_by_cancelling_it(desk: Desk) -> None:
    (desk.root / "hold").touch()
    making = desk.start("call", "buy", "--args", '{"what": "bread"}')
    invocation = desk.until("unfinished", state="running")["invocationId"]
    assert desk.json("cancel", invocation)["code"] == "tool.cancelled"
    out, _ = making.communicate(timeout=60)
    assert (making.returncode, json.loads(out)["code"]) == (1, "tool.cancelled")


def test_a_call_that_is_interrupted_is_cancelled(desk: Desk) -> None:
    (desk.root / "hold").touch()
    making = desk.start("call", "buy", "--args", '{"what": "bread"}')
    desk.until("unfinished", state="running")
    making.send_signal(signal.SIGINT)
    out, err = making.communicate(timeout=60)
    assert (making.returncode, out, err.strip()) == (130, "", "Aborted.")
    assert desk.waiting() == []


def test_secrets_are_sealed_with_a_key_that_is_made_once_and_loudly(desk: Desk) -> None:
    first = desk.run("call", "buy", "--args", '{"what": "gold", "note": "IBAN7"}')
    assert first.stderr.startswith("A KEY WAS MADE: .toolkiln/keys ")
    keys = desk.root / ".toolkiln" / "keys"
    assert [stat.S_IMODE(file.stat().st_mode) for file in (keys, *databases(desk))] == [
        0o600 for _ in (keys, *databases(desk))
    ]
    assert (keys.parent / ".gitignore").read_text() == "*\n"
    key = keys.read_text()
    second = desk.run("call", "buy", "--args", '{"what": "gold", "note": "IBAN8"}')
    assert "KEY" not in second.stderr
    assert keys.read_text() == key
    for file in databases(desk):
        assert b"IBAN" not in file.read_bytes()
    name = json.loads(first.stdout)["interaction"]["id"]
    assert "IBAN" not in first.stdout + desk.run("pending").stdout
    assert desk.json("approve", name)["output"]["noted"] == "IBAN7"
    keys.unlink()
    name = json.loads(second.stdout)["interaction"]["id"]
    lost = desk.run("approve", name)
    assert lost.stderr.startswith("error record.no-key: ")
    assert "the key that sealed them is neither" in desk.run("pending").stdout
    assert desk.json("cancel", name)["code"] == "tool.cancelled"
    assert desk.runs == ["buy"]


def databases(desk: Desk) -> list[Path]:
    return list((desk.root / ".toolkiln").glob("calls.*"))


def test_keys_of_the_environment_come_first(desk: Desk) -> None:
    old, new = new_key(), new_key()
    made = desk.json("call", "pick", TOOLKILN_KEYS=old)
    assert not (desk.root / ".toolkiln" / "keys").exists()
    name = made["interaction"]["id"]
    assert desk.run("respond", name, "red", TOOLKILN_KEYS=new).returncode == 1
    both = f"{new},{old}"
    assert desk.json("respond", name, "red", TOOLKILN_KEYS=both)["output"] == "picked"
    bad = desk.run("call", "pick", TOOLKILN_KEYS="secret-word")
    assert bad.returncode == 3
    assert bad.stderr.startswith("error configuration.invalid-keys: ")
    assert "secret-word" not in bad.stderr


def test_a_call_whose_contract_changed_is_blocked_until_it_is_ended(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "changed")
    desk.write()
    name = desk.asked("sell")
    spec = desk.root / "specs" / "desk.yaml"
    spec.write_text(SPEC.replace("default: bread", "default: cake"))
    desk.generate()
    assert "another one than when the call was made" in desk.run("pending").stdout
    refused = desk.run("approve", name)
    assert refused.returncode == 1
    assert refused.stderr.startswith("error record.contract-changed: ")
    invocation = desk.waiting()[0]["invocationId"]
    assert desk.json("settle", invocation, "--failed", "other")["code"] == "other"
    assert desk.runs == []


def test_a_file_that_is_no_database_is_said_to_be_none(desk: Desk) -> None:
    folder = desk.root / ".toolkiln"
    folder.mkdir()
    (folder / "calls.sqlite3").write_text("no database" * 500)
    done = desk.run("pending")
    assert done.returncode == 3
    assert "file is not a database" in done.stderr
    assert "mistake in toolkiln" not in done.stderr
