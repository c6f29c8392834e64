"""Resume tokens: who may redeem them, for what, until when, and how often."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkiln_runtime.failures import ToolError
from toolkiln_runtime.keys import KEY, KeyRing
from toolkiln_runtime.tokens import ResumeTokens, TokenBinding
from toolkiln_runtime.values import InvalidJson

RING = KeyRing([b"a" * KEY])
STATE = {"token": "SENTINEL", "question": "int_1"}
BINDING = TokenBinding(
    tool="refund",
    args={"amount": 7, "lines": [1, {"b": None, "a": "x"}]},
    digest="d" * 64,
    principal="ann",
    audience="https://tools.example",
)


class Rows:
    """A store of tokens in memory that lets others in between, as a database would."""

    def __init__(self) -> None:
        self.rows: dict[str, float] = {}

    async def keep_token(self, identifier: str, expires: float, now: float) -> None:
        await asyncio.sleep(0)
        self.rows = {name: time for name, time in self.rows.items() if time > now}
        self.rows[identifier] = expires

    async def spend_token(self, identifier: str) -> bool:
        await asyncio.sleep(0)
        return self.rows.pop(identifier, None) is not None


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """Tokens over one store and clock."""

    def __init__(self, keys: KeyRing = RING) -> None:
        self.clock = Clock()
        self.rows = Rows()
        self.tokens = ResumeTokens(keys, self.rows, lifetime=60, clock=self.clock)

    async def issue(self, state: Any = STATE, **bound: Any) -> str:
        return await self.tokens.issue(bound_to(**bound), state)

    async def redeem(self, text: Any, **bound: Any) -> Any:
        return await self.tokens.redeem(text, bound_to(**bound))


def bound_to(**bound: Any) -> TokenBinding:
    return msgspec.structs.replace(BINDING, **bound)


async def assert_refused(desk: Desk, text: Any, **bound: Any) -> None:
    with pytest.raises(ToolError) as error:
        await desk.redeem(text, **bound)
    assert str(error.value) == "token.invalid: The token is not valid."
    assert error.value.__cause__ is error.value.__context__ is None


async def test_R4_a_token_gives_its_state_back_once() -> None:
    desk = Desk()
    text = await desk.issue()
    assert await desk.redeem(text) == STATE
    await assert_refused(desk, text)


async def test_R4_of_many_at_once_one_redeems() -> None:
    desk = Desk()
    text = await desk.issue()
    tries = await asyncio.gather(*(desk.redeem(text) for _ in range(50)), return_exceptions=True)
    assert [given for given in tries if not isinstance(given, ToolError)] == [STATE]


async def test_R4_tokens_do_not_use_each_other_up() -> None:
    desk = Desk()
    texts = [await desk.issue({"n": n}) for n in range(5)]
    assert [await desk.redeem(text) for text in texts] == [{"n": n} for n in range(5)]


async def test_R4_no_flipped_bit_goes_unnoticed() -> None:
    desk = Desk()
    text = await desk.issue()
    for place, character in enumerate(text):
        for bit in range(8):
            await assert_refused(
                desk, text[:place] + chr(ord(character) ^ 1 << bit) + text[place + 1 :]
            )
    assert await desk.redeem(text) == STATE


@pytest.mark.parametrize("text", ["", "v1.AAAA", "v1." + "0" * 16 + "." + "A" * 80, None, b"v1", 7])
async def test_R4_a_made_up_token_is_refused(text: object) -> None:
    await assert_refused(Desk(), text)


async def test_R4_a_text_of_any_length_is_refused() -> None:
    await assert_refused(Desk(), "v1." + "A" * 9_000_000)


async def test_R4_what_the_ring_has_sealed_for_another_purpose_is_no_token() -> None:
    await assert_refused(Desk(), RING.seal(b"{}", b"inv_1"))
    await assert_refused(Desk(), RING.seal(b'{"identifier":"x"}', b"toolkiln resume token 1"))


async def test_R4_a_token_of_another_key_is_refused() -> None:
    text = await Desk(KeyRing([b"b" * KEY])).issue()
    await assert_refused(Desk(), text)


async def test_R4_a_token_survives_a_new_key_in_front() -> None:
    desk = Desk()
    text = await desk.issue()
    ring = KeyRing([b"b" * KEY, b"a" * KEY])
    again = ResumeTokens(ring, desk.rows, clock=desk.clock)
    assert await again.redeem(text, BINDING) == STATE


OTHERS: list[dict[str, Any]] = [
    {"tool": "pay"},
    {"tool": ""},
    {"args": {**BINDING.args, "amount": 8}},
    {"args": {"amount": 7}},
    {"args": {}},
    {"args": {**BINDING.args, "amount": "7"}},
    {"args": {**BINDING.args, "amount": True}},
    {"digest": "e" * 64},
    {"principal": "bob"},
    {"principal": "Ann"},
    {"principal": ""},
    {"principal": "ann\ud800"},
    {"audience": "https://tools.example/"},
    {"tool": "ann", "principal": "refund"},
]


@pytest.mark.parametrize("bound", OTHERS)
async def test_R4_a_token_works_for_nothing_else_and_is_not_used_up_by_it(
    bound: dict[str, Any],
) -> None:
    desk = Desk()
    text = await desk.issue()
    await assert_refused(desk, text, **bound)
    assert await desk.redeem(text) == STATE


async def test_R4_arguments_may_come_back_in_another_spelling() -> None:
    desk = Desk()
    args = {"a": 1.0, "b": [{"d": 1e300, "c": -0.0}]}
    text = await desk.issue(args=args)
    again = {"b": [{"c": 0, "d": int(1e300)}], "a": 1}
    assert await desk.redeem(text, args=again) == STATE


@pytest.mark.parametrize(("after", "works"), [(0, True), (59.999, True), (60, False), (61, False)])
async def test_R4_a_token_expires_at_the_boundary(after: float, works: bool) -> None:
    desk = Desk()
    text = await desk.issue()
    desk.clock.now += after
    if works:
        assert await desk.redeem(text) == STATE
    else:
        await assert_refused(desk, text)


async def test_R4_a_clock_that_is_no_number_lets_nothing_through() -> None:
    desk = Desk()
    text = await desk.issue()
    desk.clock.now = float("nan")
    await assert_refused(desk, text)


async def test_R4_rows_of_expired_tokens_go() -> None:
    desk = Desk()
    await desk.issue()
    desk.clock.now += 60
    await desk.issue()
    assert len(desk.rows.rows) == 1


async def test_R4_without_a_store_nothing_is_issued_and_nothing_redeemed() -> None:
    alone = ResumeTokens(RING, None)
    with pytest.raises(ToolError) as error:
        await alone.issue(BINDING, STATE)
    assert error.value.code == "token.no-store"
    text = await ResumeTokens(RING, Rows()).issue(BINDING, STATE)
    with pytest.raises(ToolError) as error:
        await alone.redeem(text, BINDING)
    assert error.value.code == "token.invalid"


async def test_R4_a_token_is_handed_out_after_its_row_is_there() -> None:
    class Full(Rows):
        async def keep_token(self, *_row: object) -> None:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await ResumeTokens(RING, Full()).issue(BINDING, STATE)


@pytest.mark.parametrize("lifetime", [0, -1, float("inf"), float("nan")])
def test_R4_every_token_expires(lifetime: float) -> None:
    with pytest.raises(ValueError, match="lifetime"):
        ResumeTokens(RING, Rows(), lifetime=lifetime)


async def test_R4_a_state_that_is_no_json_is_refused_at_once() -> None:
    with pytest.raises(InvalidJson):
        await Desk().issue({"n": float("nan")})


async def test_R4_the_log_has_the_reason_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    desk = Desk()
    text = await desk.issue()
    for bound, reason in (
        ({"principal": "SENTINEL"}, "another principal"),
        ({"args": {"x": "SENTINEL"}}, "another args"),
        ({"digest": "SENTINEL"}, "another digest"),
    ):
        await assert_refused(desk, text, **bound)
        assert reason in caplog.text
    await desk.redeem(text)
    await assert_refused(desk, text)
    assert "used before" in caplog.text
    await assert_refused(desk, text[:-1])
    assert "changed" in caplog.text
    desk.clock.now += 60
    await assert_refused(desk, text)
    assert "expired" in caplog.text
    assert "SENTINEL" not in caplog.text
    assert text not in caplog.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
async def test_R4_any_json_travels(state: Any, args: Any) -> None:
    desk = Desk()
    try:
        text = await desk.issue(state, args=args)
    except InvalidJson:
        # Infinity is no JSON, wherever it stands.
        assert "inf" in repr(state)
        return
    assert await desk.redeem(text, args=args) == state
