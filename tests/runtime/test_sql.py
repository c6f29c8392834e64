"""What is special about stores in databases: their tables, their connections, their processes."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from tests.runtime.storing import DATABASES, Place, address, change, lease, place, stored
from toolkiln_runtime.failures import ToolError
from toolkiln_runtime.memory import MemoryStore
from toolkiln_runtime.sql import SqlStore
from toolkiln_runtime.stores import Stale, Taken


@pytest.fixture(params=DATABASES, name="place")
async def fixture_place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    async with place(request.param, tmp_path) as found:
        yield found


@pytest.fixture
async def postgres(tmp_path: Path) -> AsyncIterator[Any]:
    async with place("postgresql", tmp_path) as found:
        yield found


def execute(url: str, *statements: str) -> list[Any]:
    """Run *statements* beside the store; the rows of the last one."""
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            found = [connection.execute(text(statement)) for statement in statements]
            return [tuple(row) for row in found[-1]] if found[-1].returns_rows else []
    finally:
        engine.dispose()


@contextmanager
def writer(url: str) -> Iterator[None]:
    """Somebody who is in the middle of writing plans."""
    engine = create_engine(url)
    with engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        connection.execute(text("UPDATE toolkiln_plans SET revision = revision"))
        yield
        connection.rollback()
    engine.dispose()


def script(code: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


async def test_tables_of_a_newer_version_are_refused(place: Place) -> None:
    await place.open().commit(change())
    execute(place.url, "UPDATE toolkiln_schema SET version = 2")
    with pytest.raises(ToolError, match="version 2, this runtime knows 1") as refused:
        await place.open().load("p")
    assert refused.value.code == "store.other-schema"
    execute(place.url, "UPDATE toolkiln_schema SET version = 1")
    assert await place.open().load("p") == stored()


@pytest.mark.parametrize(
    "spoiled",
    ["DELETE FROM toolkiln_schema", "INSERT INTO toolkiln_schema VALUES (1)"],
)
async def test_tables_of_no_clear_version_are_refused(place: Place, spoiled: str) -> None:
    await place.open().prepare()
    execute(place.url, spoiled)
    store = place.open()
    for _ in range(2):
        with pytest.raises(ToolError, match="have version"):
            await store.prepare()


PREPARE = """
import asyncio, sys
from toolkiln_runtime.sql import SqlStore
store = SqlStore(sys.argv[1])
print("here", flush=True)
input()
asyncio.run(store.prepare())
print("ready")
"""


def test_many_processes_may_make_the_tables_at_once(tmp_path: Path, kind: str) -> None:
    command = [sys.executable, "-c", PREPARE]
    with address(kind, tmp_path) as url:
        processes = [
            subprocess.Popen([*command, url], stdin=-1, stdout=-1, text=True) for _ in range(6)
        ]
        assert [_line(process) for process in processes] == ["here\n"] * 6
        # Each waits for its input; they get it as nearly together as can be.
        ends = [process.communicate for process in processes]
        with ThreadPoolExecutor(6) as threads:
            printed = list(threads.map(lambda end: end("\n", timeout=60)[0], ends))
        assert printed == ["ready\n"] * 6
        assert execute(url, "SELECT version FROM toolkiln_schema") == [(1,)]


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.fixture(params=DATABASES)
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.mark.parametrize(
    "url",
    [
        "",
        "SECRET",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:calls?mode=memory&uri=true",
        "mysql://me:SECRET@host/calls",
        "nonsense://me:SECRET@host/calls",
    ],
)
def test_an_address_that_is_none_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ToolError) as refused:
        SqlStore(url)
    assert refused.value.code == "configuration.invalid-store"
    assert "SECRET" not in f"{refused.value}{refused.value.__cause__}"


def test_no_password_is_shown() -> None:
    store = SqlStore("postgresql://me:SECRET@host/calls")
    assert repr(store) == "SqlStore('postgresql+psycopg://me:***@host/calls')"


async def test_a_step_that_fails_writes_nothing(place: Place) -> None:
    store = place.open()
    await store.commit(change("a", invocations=("i",)))
    with pytest.raises(IntegrityError):
        await store.commit(change("b", invocations=("i",)))
    assert await store.load("b") is None


async def test_no_error_shows_a_document(place: Place) -> None:
    store = place.open()
    await store.prepare()
    execute(place.url, "ALTER TABLE toolkiln_plans RENAME TO gone")
    with pytest.raises(DBAPIError) as error:
        await store.commit(change(document=b"SECRET"))
    assert "SECRET" not in f"{error.value} {error.value.orig}"


async def test_a_cancelled_step_has_ended_when_its_caller_hears_of_it(place: Place) -> None:
    store, other = place.open(), place.open()
    await store.commit(change())
    with writer(place.url):
        task = asyncio.ensure_future(store.commit(change(revision=2)))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.wait([task], timeout=0.2)
        assert not task.done()
        assert await other.load("p") == stored()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await other.load("p") == stored(revision=2)


async def test_readers_do_not_wait_for_a_writer(place: Place) -> None:
    store = place.open()
    await store.commit(change(due=1, opened=("q",)))
    with writer(place.url):
        async with asyncio.timeout(2):
            assert await store.load("p") == stored()
            assert await store.by_interaction("q") == stored()
            assert list(await store.due(1, 1)) == ["p"]
            assert list(await store.unended()) == [stored()]


async def test_writers_wait_for_each_other(place: Place) -> None:
    store = place.open()
    await store.commit(change())
    with writer(place.url):
        task = asyncio.ensure_future(store.commit(change(revision=2)))
        await asyncio.sleep(0.3)
        assert not task.done()
    await task
    assert await store.load("p") == stored(revision=2)


async def test_a_closed_store_opens_again(place: Place) -> None:
    store = place.open()
    await store.commit(change())
    await store.close()
    await store.close()
    assert await store.load("p") == stored()


def test_one_store_serves_many_event_loops(tmp_path: Path, kind: str) -> None:
    with address(kind, tmp_path) as url:
        store = SqlStore(url)

        async def write(name: str) -> None:
            for revision in range(1, 6):
                await store.commit(change(name, revision))

        threads = [Thread(target=lambda n=n: asyncio.run(write(f"p{n}"))) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = asyncio.run(store.unended())
        asyncio.run(store.close())
    assert [(plan.plan_id, plan.revision) for plan in found] == [(f"p{n}", 5) for n in range(4)]


FORK = """
import asyncio, os, signal, sys, time
from toolkiln_runtime.sql import SqlStore
from toolkiln_runtime.stores import Change
signal.alarm(20)
store = SqlStore(sys.argv[1])
def write(name, revision):
    change = Change(plan_id=name, revision=revision, document=b"{}", session_id="s")
    asyncio.run(store.commit(change))
write("parent", 1)
# Until its threads are idle, for then a copy of them is useless.
time.sleep(0.2)
child = os.fork()
if child == 0:
    signal.alarm(10)
    write("child", 1)
    write("parent", 2)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
write("child", 2)
write("parent", 3)
print([(p.plan_id, p.revision) for p in asyncio.run(store.unended())])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_store_may_be_used_on_both_sides_of_a_fork(tmp_path: Path, kind: str) -> None:
    with address(kind, tmp_path) as url:
        output, _ = script(FORK, url).communicate(timeout=60)
    assert output == "[('child', 2), ('parent', 3)]\n"


async def test_sqlite_keeps_what_was_committed(tmp_path: Path) -> None:
    async with place("sqlite", tmp_path) as found:
        store = found.open()

        def settings(connection: Any) -> list[Any]:
            names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            return [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]

        assert await store._database.read(settings) == ["wal", 2, 1, 30_000]


async def test_sqlite_with_a_file_of_something_else_says_so(tmp_path: Path) -> None:
    (tmp_path / "calls.db").write_bytes(b"not a database, whatever it is" * 100)
    store = SqlStore(f"sqlite:///{tmp_path / 'calls.db'}")
    with pytest.raises((DBAPIError, sqlite3.DatabaseError)):
        await store.prepare()
    await store.close()


async def test_postgres_a_lost_connection_is_replaced(postgres: Place) -> None:
    store = postgres.open()
    await store.commit(change())
    others = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        " AND application_name = current_setting('application_name')"
    )
    assert execute(postgres.url, others) == [(True,)]
    assert await store.load("p") == stored()


async def test_postgres_a_deadlock_is_tried_again(postgres: Place) -> None:
    store = postgres.open()
    for name in ("a", "b"):
        await store.commit(change(name))
    barrier, tries = Barrier(2), []

    def crosswise(first: str, second: str) -> Any:
        def work(connection: Any) -> None:
            tries.append(first)
            mark = text("UPDATE toolkiln_plans SET due = coalesce(due, 0) + 1 WHERE plan_id = :id")
            connection.execute(mark, {"id": first})
            with suppress(Exception):
                barrier.wait(5)
                barrier.abort()
            connection.execute(mark, {"id": second})

        return work

    write = store._database.write
    await asyncio.gather(write(crosswise("a", "b")), write(crosswise("b", "a")))
    assert len(tries) == 3
    assert execute(postgres.url, "SELECT due FROM toolkiln_plans") == [(2,), (2,)]


async def test_postgres_a_host_that_vanishes_keeps_no_locks(postgres: Place) -> None:
    store = postgres.open()

    def shown(connection: Any) -> Any:
        return connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar()

    assert await store._database.read(shown) == "30s"


async def test_postgres_a_loser_is_stale_whatever_isolation_is_the_default(postgres: Place) -> None:
    url = make_url(postgres.url)
    options = f"{url.query['options']} -cdefault_transaction_isolation=serializable"
    stores = [SqlStore(url.update_query_dict({"options": options})) for _ in range(2)]
    await stores[0].commit(change())
    steps = [change(revision=2, document=b"%d" % n) for n in range(20)]
    tries = (stores[n % 2].commit(step) for n, step in enumerate(steps))
    ends = await asyncio.gather(*tries, return_exceptions=True)
    for store in stores:
        await store.close()
    assert [type(end) for end in ends if end is not None] == [Stale] * 19


def test_without_the_extra_the_message_says_what_to_install() -> None:
    code = """
import sys
sys.modules["sqlalchemy"] = None
try:
    import toolkiln_runtime.sql
except ImportError as error:
    print(error)
"""
    assert "toolkiln-runtime[sql]" in script(code).communicate(timeout=60)[0]


PLANS = ("a", "b", "c")
NAMES = ("q1", "q2", "q3", "q4")
some_names = st.lists(st.sampled_from(NAMES), unique=True, max_size=3).map(tuple)
steps = st.fixed_dictionaries(
    {
        "plan_id": st.sampled_from(PLANS),
        "ahead": st.sampled_from([1, 1, 1, 1, 0, 2]),
        "opened": some_names,
        "closed": some_names,
        "due": st.none() | st.integers(1, 5),
        "ended": st.sampled_from([None, None, None, 3, 4]),
        "lease": st.none() | st.integers(1, 99),
        "released": st.lists(st.integers(0, 20), max_size=2),
    }
)


async def ending(store: Any, step: Any) -> str:
    try:
        await store.commit(step)
    except (Stale, Taken) as error:
        return f"{type(error).__name__} {sorted(getattr(error, 'ids', ()))}"
    return ""


async def seen(store: Any) -> list[Any]:
    return [
        [await store.load(name) for name in PLANS],
        [await store.by_interaction(name) for name in NAMES],
        list(await store.due(3, 9)),
        list(await store.unended(limit=2)),
    ]


@settings(max_examples=40, deadline=None)
@given(st.lists(steps, max_size=25), st.integers(2, 5))
async def test_sqlite_and_memory_agree_about_any_steps(
    tmp_path_factory: pytest.TempPathFactory, changes: list[dict[str, Any]], before: int
) -> None:
    memory = MemoryStore()
    async with place("sqlite", tmp_path_factory.mktemp("agree")) as found:
        store = found.open()
        ended: dict[str, Any] = {}
        for number, fields in enumerate(changes):
            name = fields["plan_id"]
            held = await memory.load(name)
            leading = [await memory.by_interaction(closed) for closed in fields["closed"]]
            until = fields["lease"]
            # A plan closes its own questions only, and what has ended stays so.
            ended[name] = ended.get(name) or fields["ended"]
            step = change(
                name,
                (0 if held is None else held.revision) + fields["ahead"],
                document=b"%d" % number,
                opened=fields["opened"],
                closed=tuple(
                    closed
                    for closed, plan in zip(fields["closed"], leading, strict=True)
                    if plan is not None and plan.plan_id == name
                ),
                due=fields["due"],
                ended=ended[name],
                lease=None if until is None else lease(f"c{number}", until),
                released=tuple(f"c{claim}" for claim in fields["released"]),
            )
            assert await ending(store, step) == await ending(memory, step)
            assert await seen(store) == await seen(memory)
        assert await store.forget(before) == await memory.forget(before)
        assert await seen(store) == await seen(memory)
