"""What every store of plans has to do (R3), held against each of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.storing import STORES, change, lease, place, stored
from toolkiln_runtime import KeyRing, ResumeTokens, TokenBinding, ToolError
from toolkiln_runtime.stores import Stale, Taken

ODD = ["", "nul\0", "lone\ud800", "back\\slash", r"\u0000", "quote'\"", "%_", "ü", "\U0001f600"]


@pytest.fixture(params=STORES, name="place")
async def fixture_place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    async with place(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def store(place: Any) -> Any:
    return place.open()


async def raced(*work: Any) -> list[Any]:
    """What each of *work* gave or raised."""
    return list(await asyncio.gather(*work, return_exceptions=True))


async def test_a_plan_is_what_was_written_last(store: Any, place: Any) -> None:
    await store.commit(change())
    assert await store.load("p") == stored()
    await store.commit(change(revision=2))
    assert await store.load("p") == stored(revision=2)
    assert await place.open().load("p") == stored(revision=2)


async def test_what_was_never_written_is_not_there(store: Any) -> None:
    for name in ("p", *ODD):
        assert await store.load(name) is None
        assert await store.by_interaction(name) is None
        assert await store.by_invocation(name) is None
    assert list(await store.unended()) == []
    assert list(await store.due(1e12, 10)) == []
    assert await store.forget(1e12) == 0


@pytest.mark.parametrize("size", [0, 1, 2_000_000])
async def test_a_document_is_kept_byte_by_byte_and_seen_by_others_at_once(
    store: Any, place: Any, size: int
) -> None:
    document = (bytes(range(256)) * (size // 256 + 1))[:size]
    other = place.open()
    await store.commit(change(document=document, opened=("q",)))
    found = await other.by_interaction("q")
    assert found.document == document


@pytest.mark.parametrize(("held", "revision"), [(0, 2), (0, 7), (1, 1), (1, 3), (2, 1), (2, 2)])
async def test_a_stale_step_writes_nothing(store: Any, held: int, revision: int) -> None:
    for number in range(1, held + 1):
        await store.commit(change(revision=number))
    with pytest.raises(Stale):
        await store.commit(
            change(
                revision=revision,
                document=b"x",
                opened=("q",),
                invocations=("i",),
                lease=lease(),
                due=1,
                ended=1,
            )
        )
    assert await store.load("p") == (stored(revision=held) if held else None)
    assert await store.by_interaction("q") is None
    assert await store.by_invocation("i") is None
    assert list(await store.due(9, 9)) == []
    assert await store.forget(9) == 0


@pytest.mark.parametrize("revision", [1, 2])
async def test_of_many_steps_for_one_revision_one_is_written(
    store: Any, place: Any, revision: int
) -> None:
    if revision == 2:
        await store.commit(change())
    stores = [place.open() for _ in range(4)]
    steps = [
        change(revision=revision, document=b"%d" % n, opened=(f"q{n}",), lease=lease(f"c{n}"))
        for n in range(20)
    ]
    ends = await raced(*(stores[n % 4].commit(step) for n, step in enumerate(steps)))
    assert sum(end is None for end in ends) == 1
    assert sum(isinstance(end, Stale) for end in ends) == 19
    winner = ends.index(None)
    expected = stored(revision=revision, document=b"%d" % winner, leases={f"c{winner}": 10})
    assert await store.load("p") == expected
    for n in range(20):
        assert await store.by_interaction(f"q{n}") == (expected if n == winner else None)


async def test_ids_lead_to_their_plan(store: Any) -> None:
    await store.commit(change("a", invocations=("i1", "i2"), opened=("q1",)))
    await store.commit(change("b", invocations=("i3",), opened=("q2", "q3")))
    for plan, invocations, interactions in (("a", ("i1", "i2"), ("q1",)), ("b", ("i3",), ("q2",))):
        for name in invocations:
            assert await store.by_invocation(name) == stored(plan)
        for name in interactions:
            assert await store.by_interaction(name) == stored(plan)


@pytest.mark.parametrize("name", ODD)
async def test_any_text_is_an_id(store: Any, name: str) -> None:
    fields = {"session_id": name, "invocations": (name,), "opened": (name,)}
    await store.commit(change(f"+{name}", lease=lease(name), **fields))
    expected = stored(f"+{name}", leases={name: 10})
    assert await store.load(f"+{name}") == expected
    assert await store.by_invocation(name) == expected
    assert await store.by_interaction(name) == expected
    assert list(await store.unended(name)) == [expected]
    assert await store.renew(f"+{name}", lease(name, 11))
    with pytest.raises(Taken) as taken:
        await store.commit(change("other", opened=(name,)))
    assert taken.value.ids == {name}


async def test_a_closed_question_still_leads_to_its_plan(store: Any) -> None:
    await store.commit(change(opened=("q",)))
    await store.commit(change(revision=2, closed=("q",)))
    assert await store.by_interaction("q") == stored(revision=2)


async def test_an_open_id_is_taken_and_nothing_is_written(store: Any) -> None:
    await store.commit(change("a", opened=("q", "r", "s")))
    await store.commit(change("b", opened=("x",)))
    for refused in (
        change("c", opened=("new", "q", "r"), invocations=("i",), lease=lease()),
        change("b", 2, opened=("new", "q", "r"), closed=("x",), due=1),
    ):
        with pytest.raises(Taken) as taken:
            await store.commit(refused)
        assert taken.value.ids == {"q", "r"}
    assert await store.load("c") is None
    assert await store.by_invocation("i") is None
    assert await store.by_interaction("new") is None
    assert await store.by_interaction("q") == stored("a")
    assert await store.by_interaction("x") == stored("b")
    assert list(await store.due(9, 9)) == []
    with pytest.raises(Taken):
        await store.commit(change("d", opened=("x",)))


async def test_an_id_is_taken_in_the_same_plan_too(store: Any) -> None:
    await store.commit(change(opened=("q",)))
    with pytest.raises(Taken):
        await store.commit(change(revision=2, opened=("q",)))


async def test_stale_comes_before_taken(store: Any) -> None:
    await store.commit(change(opened=("q",)))
    with pytest.raises(Stale):
        await store.commit(change(opened=("q",)))


async def test_a_closed_id_may_be_opened_by_another_plan_and_moves_there(store: Any) -> None:
    await store.commit(change("a", opened=("q",)))
    await store.commit(change("a", 2, closed=("q",)))
    await store.commit(change("b", opened=("q",)))
    assert await store.by_interaction("q") == stored("b")
    # The plan that it has left has no say about it any more.
    await store.commit(change("a", 3, closed=("q",)))
    with pytest.raises(Taken):
        await store.commit(change("c", opened=("q",)))


async def test_an_id_may_be_closed_and_opened_in_one_step(store: Any) -> None:
    await store.commit(change(opened=("q",)))
    await store.commit(change(revision=2, closed=("q",), opened=("q",)))
    with pytest.raises(Taken):
        await store.commit(change("b", opened=("q",)))


async def test_of_many_plans_that_open_the_same_ids_one_gets_them(store: Any, place: Any) -> None:
    stores = [place.open() for _ in range(4)]
    names = ["q1", "q2", "q3", "q4"]
    steps = [change(f"p{n}", opened=tuple(names[n % 4 :] + names[: n % 4])) for n in range(20)]
    ends = await raced(*(stores[n % 4].commit(step) for n, step in enumerate(steps)))
    assert sum(end is None for end in ends) == 1
    assert sum(isinstance(end, Taken) for end in ends) == 19
    assert len(await store.unended()) == 1


async def test_leases_are_kept_renewed_and_released(store: Any, place: Any) -> None:
    other = place.open()
    await store.commit(change(lease=lease("c1", 10)))
    await store.commit(change(revision=2, lease=lease("c2", 20.5)))
    assert await store.load("p") == stored(revision=2, leases={"c1": 10, "c2": 20.5})
    assert await other.renew("p", lease("c1", 30))
    assert await store.load("p") == stored(revision=2, leases={"c1": 30, "c2": 20.5})
    await store.commit(change(revision=3, released=("c1", "nobody's"), lease=lease("c3", 5)))
    assert await store.load("p") == stored(revision=3, leases={"c2": 20.5, "c3": 5})
    await store.commit(change(revision=4, released=("c2", "c3")))
    assert await store.load("p") == stored(revision=4)


async def test_only_a_lease_that_is_kept_is_renewed(store: Any) -> None:
    assert not await store.renew("p", lease())
    await store.commit(change("a", lease=lease("c")))
    await store.commit(change("b"))
    assert not await store.renew("b", lease("c", 99))
    assert not await store.renew("a", lease("d", 99))
    await store.commit(change("a", 2, released=("c",)))
    assert not await store.renew("a", lease("c", 99))
    assert await store.load("a") == stored("a", 2)
    assert await store.load("b") == stored("b")


async def test_one_plan_releases_no_lease_of_another(store: Any) -> None:
    await store.commit(change("a", lease=lease("c")))
    await store.commit(change("b", released=("c",)))
    assert await store.load("a") == stored("a", leases={"c": 10})


async def test_what_is_due_comes_earliest_first(store: Any) -> None:
    for name, due in (("a", 30.5), ("b", 10), ("c", None), ("d", 20)):
        await store.commit(change(name, due=due))
    assert list(await store.due(9.999, 9)) == []
    assert list(await store.due(10, 9)) == ["b"]
    assert list(await store.due(31, 9)) == ["b", "d", "a"]
    assert list(await store.due(31, 2)) == ["b", "d"]
    await store.commit(change("b", 2))
    await store.commit(change("c", 2, due=1))
    assert list(await store.due(31, 9)) == ["c", "d", "a"]


async def test_unended_plans_come_in_pages(store: Any) -> None:
    names = ["A", "Z", "a", "b", "z", "ä"]
    for number, name in enumerate(names):
        sides = {"session_id": "even" if number % 2 == 0 else "odd", "lease": lease(name)}
        await store.commit(change(name, **sides))
    await store.commit(change("gone", ended=1))
    expected = [stored(name, leases={name: 10}) for name in names]
    assert list(await store.unended()) == expected
    assert list(await store.unended(limit=2)) == expected[:2]
    assert list(await store.unended(after="Z", limit=2)) == expected[2:4]
    assert list(await store.unended(after="z")) == expected[5:]
    assert list(await store.unended("odd")) == expected[1::2]
    assert list(await store.unended("odd", after="Z", limit=1)) == [expected[3]]
    assert list(await store.unended("none")) == []
    await store.commit(change("a", 2, ended=5, released=("a",)))
    assert [found.plan_id for found in await store.unended()] == ["A", "Z", "b", "z", "ä"]


async def test_a_page_counts_plans_and_not_their_leases(store: Any) -> None:
    for name in ("a", "b"):
        await store.commit(change(name, lease=lease(f"{name}1")))
        await store.commit(change(name, 2, lease=lease(f"{name}2")))
    found = await store.unended(limit=2)
    assert [sorted(plan.leases) for plan in found] == [["a1", "a2"], ["b1", "b2"]]


async def test_ended_plans_are_forgotten_with_all_that_leads_to_them(store: Any) -> None:
    for name, ended in (("a", 10), ("b", 10.5), ("c", 20), ("d", None)):
        fields = {"invocations": (f"i{name}",), "opened": (f"q{name}",), "lease": lease(name)}
        await store.commit(change(name, ended=ended, **fields))
    assert await store.forget(10) == 0
    assert await store.forget(20) == 2
    for name, kept in (("a", False), ("b", False), ("c", True), ("d", True)):
        expected = stored(name, leases={name: 10}) if kept else None
        assert await store.load(name) == expected
        assert await store.by_invocation(f"i{name}") == expected
        assert await store.by_interaction(f"q{name}") == expected
        assert await store.renew(name, lease(name, 10)) is kept
    await store.commit(change("a", invocations=("ia",), opened=("qa",), lease=lease("a")))
    assert await store.load("a") == stored("a", leases={"a": 10})


async def test_a_question_that_has_moved_survives_its_first_plan(store: Any) -> None:
    await store.commit(change("a", opened=("q",)))
    await store.commit(change("a", 2, closed=("q",), ended=1))
    await store.commit(change("b", opened=("q",)))
    assert await store.forget(2) == 1
    assert await store.by_interaction("q") == stored("b")


async def test_R4_a_token_is_spent_once(store: Any, place: Any) -> None:
    assert not await store.spend_token("t")
    await store.keep_token("t", 60, 0)
    await store.keep_token("u", 60, 0)
    stores = [place.open() for _ in range(4)]
    spent = await asyncio.gather(*(stores[n % 4].spend_token("t") for n in range(20)))
    assert sorted(spent) == [False] * 19 + [True]
    assert await store.spend_token("u")


async def test_R4_expired_tokens_are_forgotten(store: Any) -> None:
    await store.keep_token("t", 60, 0)
    await store.keep_token("u", 61, 60)
    assert not await store.spend_token("t")
    assert await store.spend_token("u")


async def test_R4_a_resume_token_is_redeemed_once_whoever_tries(store: Any, place: Any) -> None:
    ring = KeyRing.generate()
    binding = TokenBinding(tool="t", args={}, digest="d", principal="ann", audience="here")
    text = await ResumeTokens(ring, store).issue(binding, {"n": 1})
    others = [ResumeTokens(ring, place.open()) for _ in range(4)]
    ends = await raced(*(others[n % 4].redeem(text, binding) for n in range(20)))
    assert [end for end in ends if not isinstance(end, ToolError)] == [{"n": 1}]
    assert {end.code for end in ends if isinstance(end, ToolError)} == {"token.invalid"}
