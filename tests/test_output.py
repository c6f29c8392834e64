from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkiln import output
from toolkiln.output import Action, manifest
from toolkiln.target import File

Tree = dict[str, tuple[bytes, int, int]]


def tree(root: Path) -> Tree:
    """Every file and folder: content, inode and time of change."""
    return {
        path.relative_to(root).as_posix(): (
            path.read_bytes() if path.is_file() and not path.is_symlink() else b"",
            path.lstat().st_ino,
            path.lstat().st_mtime_ns if not path.is_dir() else 0,
        )
        for path in sorted(root.rglob("*"))
    }


def texts(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file() and path.name != manifest.NAME
    }


def files(**contents: str) -> list[File]:
    return [File(name.replace("__", "/") + ".py", text) for name, text in contents.items()]


def generate(root: Path, wanted: list[File], *, force: bool = False) -> output.Plan:
    plan = output.plan(wanted, root)
    assert output.refusals(plan, "out", force=force) == []
    output.apply(plan, force=force)
    return plan


def actions(plan: output.Plan) -> dict[str, Action]:
    return {entry.path: entry.action for entry in plan.entries}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "project" / "out"


def test_planning_writes_nothing(root: Path) -> None:
    plan = output.plan(files(a="1"), root)
    assert plan.drift
    assert not root.parent.exists()


def test_files_and_a_manifest_that_sha256sum_verifies(root: Path) -> None:
    generate(root, files(a="1\n", b__c="2\n"))
    assert texts(root) == {"a.py": "1\n", "b/c.py": "2\n"}
    if tool := shutil.which("sha256sum"):
        checked = subprocess.run(
            [tool, "--check", "--strict", manifest.NAME],
            check=False,
            cwd=root,
            capture_output=True,
            text=True,
        )
        assert checked.stdout.split() == ["a.py:", "OK", "b/c.py:", "OK"]
        assert checked.returncode == 0


def test_a_second_run_touches_nothing(root: Path) -> None:
    generate(root, files(a="1", b__c="2"))
    before = tree(root)
    plan = generate(root, files(a="1", b__c="2"))
    assert not plan.drift
    assert tree(root) == before


def test_only_what_changed_is_written(root: Path) -> None:
    generate(root, files(a="1", b="2"))
    before = tree(root)
    assert actions(generate(root, files(a="1", b="3"))) == {
        "a.py": Action.UNCHANGED,
        "b.py": Action.UPDATE,
    }
    assert tree(root)["a.py"] == before["a.py"]
    assert texts(root) == {"a.py": "1", "b.py": "3"}


def test_a_deleted_file_comes_back(root: Path) -> None:
    generate(root, files(a="1"))
    (root / "a.py").unlink()
    assert actions(generate(root, files(a="1"))) == {"a.py": Action.CREATE}
    assert texts(root) == {"a.py": "1"}


def test_a_stale_file_its_bytecode_and_its_empty_folder_go(root: Path) -> None:
    generate(root, files(a="1", b__c__d="2"))
    (root / "b" / "c" / "__pycache__").mkdir()
    (root / "b" / "c" / "__pycache__" / "d.cpython-311.pyc").touch()
    generate(root, files(a="1"))
    assert set(tree(root)) == {"a.py", manifest.NAME}


def test_a_folder_with_somebody_elses_file_stays(root: Path) -> None:
    generate(root, files(b__c="2", b__d__e="3"))
    (root / "b" / "mine.txt").write_text("x")
    generate(root, files())
    assert set(tree(root)) == {"b", "b/mine.txt"}


def test_a_crlf_checkout_is_no_edit_and_no_change(root: Path) -> None:
    generate(root, files(a="1\n2\n"))
    for name in ("a.py", manifest.NAME):
        (root / name).write_bytes((root / name).read_bytes().replace(b"\n", b"\r\n"))
    plan = output.plan(files(a="1\n2\n"), root)
    assert not plan.drift
    assert actions(output.plan(files(a="3"), root)) == {"a.py": Action.UPDATE}


def test_the_mode_of_a_file_is_kept(root: Path) -> None:
    generate(root, files(a="1"))
    (root / "a.py").chmod(0o640)
    generate(root, files(a="2"))
    assert (root / "a.py").stat().st_mode & 0o777 == 0o640


# --- what is refused ----------------------------------------------------------------------------


def test_an_edited_file_is_refused_and_forced(root: Path) -> None:
    generate(root, files(a="1", b="2"))
    (root / "a.py").write_text("mine")
    (root / "b.py").write_text("mine")
    plan = output.plan(files(a="3"), root)
    found = output.refusals(plan, "out")
    assert [(item.rule, item.span and item.span.file) for item in found] == [
        ("output-edited", "out/a.py"),
        ("output-edited", "out/b.py"),
    ]
    with pytest.raises(ValueError, match="refused"):
        output.apply(plan)
    assert texts(root) == {"a.py": "mine", "b.py": "mine"}
    generate(root, files(a="3"), force=True)
    assert texts(root) == {"a.py": "3"}


def test_an_edit_that_generating_would_make_is_none(root: Path) -> None:
    generate(root, files(a="1"))
    (root / "a.py").write_text("2")
    assert actions(generate(root, files(a="2"))) == {"a.py": Action.UNCHANGED}
    assert not output.plan(files(a="2"), root).drift


def test_a_stranger_is_refused_even_if_forced(root: Path) -> None:
    root.mkdir(parents=True)
    (root / "a.py").write_text("theirs")
    plan = output.plan(files(a="1"), root)
    assert [item.rule for item in output.refusals(plan, "out", force=True)] == ["output-foreign"]
    with pytest.raises(ValueError, match="refused"):
        output.apply(plan, force=True)
    assert texts(root) == {"a.py": "theirs"}


def test_a_stranger_with_the_same_content_becomes_ours(root: Path) -> None:
    generate(root, files(a="1"))
    (root / manifest.NAME).unlink()
    generate(root, files(a="1"))
    generate(root, files(a="2"))
    assert texts(root) == {"a.py": "2"}


@pytest.mark.parametrize(
    "obstacle",
    [
        lambda root: (root / "a.py").mkdir(),
        lambda root: (root / "a.py").symlink_to(root.parent / "victim"),
        lambda root: (root / "a.py").symlink_to(root / "nowhere"),
        lambda root: os.mkfifo(root / "a.py"),
    ],
    ids=["folder", "link", "dangling link", "pipe"],
)
def test_what_is_no_file_is_a_stranger(root: Path, obstacle: Callable[[Path], None]) -> None:
    root.mkdir(parents=True)
    (root.parent / "victim").write_text("1")
    obstacle(root)
    assert actions(output.plan(files(a="1"), root)) == {"a.py": Action.FOREIGN}


def test_links_in_the_folder_are_never_followed(root: Path) -> None:
    generate(root, files(b__c="1"))
    outside = root.parent / "outside"
    shutil.move(root / "b", outside)
    (root / "b").symlink_to(outside)
    assert actions(output.plan(files(b__c="2"), root)) == {"b/c.py": Action.FOREIGN}
    generate(root, files(a="1"))
    assert (outside / "c.py").read_text() == "1"


def test_a_manifest_that_is_a_link_is_refused(root: Path) -> None:
    root.mkdir(parents=True)
    (root.parent / "victim").touch()
    (root / manifest.NAME).symlink_to(root.parent / "victim")
    assert actions(output.plan([], root)) == {manifest.NAME: Action.FOREIGN}


@pytest.mark.parametrize("path", ["../victim", "/victim", "a/../../victim", "C:victim", "a\\b", ""])
def test_no_manifest_reaches_outside(root: Path, path: str) -> None:
    victim = root.parent / "victim"
    generate(root, files(a="1"))
    victim.write_text("x")
    with (root / manifest.NAME).open("a") as file:
        file.write(f"{manifest.digest(b'x')}  {path}\n")
    plan = output.plan(files(a="1"), root)
    (found,) = output.refusals(plan, "out", force=True)
    assert (found.rule, found.span and found.span.line) == ("manifest-malformed", 3)
    assert victim.exists()


@pytest.mark.parametrize(
    "path", ["../a", "/a", "a//b", "./a", "a/..", "a\nb", "a\0b", "C:a", "a\\b", "", manifest.NAME]
)
def test_no_target_reaches_outside(root: Path, path: str) -> None:
    with pytest.raises(ValueError, match="may not write"):
        output.plan([File(path, "")], root)


def test_a_path_belongs_to_one_file(root: Path) -> None:
    with pytest.raises(ValueError, match="twice"):
        output.plan([File("a", "1"), File("a", "1")], root)


# --- scaffolds ----------------------------------------------------------------------------------


def test_a_scaffold_is_written_once(root: Path) -> None:
    plan = output.scaffold([File("h/a.py", "1", scaffold=True), *files(b="2")], root)
    assert actions(plan) == {"h/a.py": Action.SCAFFOLD}
    output.apply(plan)
    (root / "h" / "a.py").write_text("mine")
    assert output.scaffold([File("h/a.py", "2", scaffold=True)], root).entries == ()
    generate(root, [])
    assert texts(root) == {"h/a.py": "mine"}


def test_a_file_that_becomes_a_scaffold_is_the_users(root: Path) -> None:
    generate(root, files(h="1"))
    (root / "h.py").write_text("mine")
    wanted = [File("h.py", "2", scaffold=True)]
    assert output.scaffold(wanted, root).entries == ()


@pytest.mark.parametrize("path", ["../a", "/a", ""])
def test_no_scaffold_reaches_outside(root: Path, path: str) -> None:
    with pytest.raises(ValueError, match="may not write"):
        output.scaffold([File(path, "", scaffold=True)], root)


# --- merges -------------------------------------------------------------------------------------


def test_a_manifest_with_conflict_markers_is_the_union_of_both_sides(root: Path) -> None:
    generate(root, files(a="1", b="1"))
    ours = (root / manifest.NAME).read_text()
    generate(root, files(a="2", c="2"))
    theirs = (root / manifest.NAME).read_text()
    (root / "b.py").write_text("1")
    (root / manifest.NAME).write_text(
        f"<<<<<<< HEAD\n{ours}||||||| base\n=======\n{theirs}>>>>>>> branch\n"
    )
    for text in ("1", "2"):
        (root / "a.py").write_text(text)
        assert actions(output.plan(files(a="3"), root)) == {
            "a.py": Action.UPDATE,
            "b.py": Action.STALE,
            "c.py": Action.STALE,
        }
    generate(root, files(a="3"))
    assert not output.plan(files(a="3"), root).drift


def test_a_half_merged_file_is_ours(root: Path) -> None:
    generate(root, files(a="1"))
    (root / "a.py").write_text("<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> branch\n")
    assert actions(generate(root, files(a="3"))) == {"a.py": Action.UPDATE}


# --- all or nothing -----------------------------------------------------------------------------


class _DiskFails:
    """Makes the nth step that touches the disk fail."""

    def __init__(self, patch: pytest.MonkeyPatch, step: int) -> None:
        self.left = step
        for name in ("write_bytes", "replace", "mkdir", "unlink"):
            patch.setattr(Path, name, self.failing(getattr(Path, name)))

    def failing(self, step: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            self.left -= 1
            if self.left == 0:
                raise OSError(28, "No space left on device")
            return step(*args, **kwargs)

        return call


@pytest.mark.parametrize("exists", [True, False])
def test_a_failing_disk_leaves_the_tree_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch, *, exists: bool
) -> None:
    root.parent.mkdir()
    if exists:
        generate(root, files(a="1", b__c="2", d="4"))
    before = tree(root.parent)
    plan = output.plan(files(a="3", e__f__g="5", h="6", d="4"), root)
    other = output.scaffold([File("s.py", "7", scaffold=True)], root.parent)
    steps = 0
    failed = True
    while failed:
        steps += 1
        with monkeypatch.context() as patch:
            disk = _DiskFails(patch, steps)
            try:
                output.apply(plan, other)
            except OSError:
                assert disk.left <= 0
            else:
                failed = False
        if failed:
            assert tree(root.parent) == before
    assert steps > 8
    assert (root.parent / "s.py").read_text() == "7"
    assert texts(root) == {"a.py": "3", "e/f/g.py": "5", "h.py": "6", "d.py": "4"}


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """As somebody whom modes stop, which root is not."""
    if os.geteuid() != 0:
        yield
        return
    nobody = 65534
    for path in (folder, *folder.rglob("*")):
        os.chown(path, nobody, nobody)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_folder_leaves_the_tree_as_it_was() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "out"
        generate(root, files(a="1", b__c="2"))
        (root / "b").chmod(0o555)
        before = tree(root)
        with unprivileged(Path(name)), pytest.raises(PermissionError):
            output.apply(output.plan(files(a="3", b__d="4"), root))
        assert tree(root) == before
        (root / "b").chmod(0o755)


_NAMES = st.sampled_from(["a", "b", "a/b", "a/c/d", "e/f"])
_WANTED = st.dictionaries(_NAMES, st.sampled_from(["1", "2\n", "é"]), max_size=5).map(
    lambda found: [File(f"{name}.py", text) for name, text in found.items()]
)


@given(st.lists(_WANTED, min_size=1, max_size=4))
def test_after_any_history_the_folder_holds_what_was_generated_last(
    history: list[list[File]],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for wanted in history:
            generate(root, wanted)
        assert texts(root) == {file.path: file.text for file in history[-1]}
        assert not output.plan(history[-1], root).drift
        assert all(any(path.iterdir()) for path in root.rglob("*") if path.is_dir())
