"""Sealing: what opens, what does not, and what nobody gets to see."""

from __future__ import annotations

import copy
import logging
import pickle
import subprocess
import sys
from base64 import urlsafe_b64decode
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkiln_runtime.failures import ToolError
from toolkiln_runtime.keys import KEY, KeyRing, Unsealable, new_key

RING = KeyRing([b"a" * KEY])
OTHER = KeyRing([b"b" * KEY])
SENTINEL = b"SENTINEL-4711"


@given(st.binary(max_size=300), st.binary(max_size=60))
def test_what_was_sealed_opens_unchanged(plain: bytes, bound: bytes) -> None:
    assert RING.open(RING.seal(plain, bound), bound) == plain


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_what_is_bound_to_one_thing_opens_with_no_other(bound: bytes, other: bytes) -> None:
    sealed = RING.seal(b"x", bound)
    if bound == other:
        assert RING.open(sealed, other) == b"x"
    else:
        with pytest.raises(Unsealable):
            RING.open(sealed, other)


def test_no_flipped_bit_of_any_character_goes_unnoticed() -> None:
    sealed = RING.seal(SENTINEL, b"bound")
    for place, character in enumerate(sealed):
        for bit in range(8):
            changed = sealed[:place] + chr(ord(character) ^ 1 << bit) + sealed[place + 1 :]
            with pytest.raises(Unsealable):
                RING.open(changed, b"bound")


@pytest.mark.parametrize("length", range(19))
def test_every_length_has_one_spelling(length: int) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    sealed = RING.seal(b"x" * length, b"")
    for last in set(alphabet) - {sealed[-1]}:
        with pytest.raises(Unsealable):
            RING.open(sealed[:-1] + last, b"")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-1],
        lambda text: text + "A",
        lambda text: text + "=",
        lambda text: text + "\n",
        lambda text: " " + text,
        lambda text: text.upper(),
        lambda text: text.replace("v1.", "v2."),
        lambda text: text.replace(".", ""),
        lambda text: text.rpartition(".")[0] + ".",
        lambda text: text.rpartition(".")[0] + ".AAAA",
        lambda text: text[:3] + "0" * 16 + ".AAAA",
        lambda text: text + "\N{ARABIC-INDIC DIGIT ONE}",
        lambda text: text + "\ud800",
        lambda text: text[:0],
        lambda text: text.encode(),
        lambda text: {"sealed": text},
    ],
)
def test_a_spoiled_text_is_refused_like_any_other(spoil: Callable[[str], Any]) -> None:
    sealed = RING.seal(b"x", b"")
    with pytest.raises(Unsealable) as refused:
        RING.open(spoil(sealed), b"")
    assert str(refused.value) == "The sealed text cannot be opened."
    assert refused.value.__cause__ is refused.value.__context__ is None


def test_another_key_opens_nothing_even_under_the_same_name() -> None:
    sealed = RING.seal(b"x", b"")
    with pytest.raises(Unsealable):
        OTHER.open(sealed, b"")
    renamed = sealed.replace(RING._first, OTHER._first)
    with pytest.raises(Unsealable):
        OTHER.open(renamed, b"")


def test_the_first_key_seals_and_all_open() -> None:
    before = RING.seal(b"x", b"")
    both = KeyRing([b"b" * KEY, b"a" * KEY])
    assert both.open(before, b"") == b"x"
    assert OTHER.open(both.seal(b"y", b""), b"") == b"y"
    with pytest.raises(Unsealable):
        RING.open(both.seal(b"y", b""), b"")


def test_the_same_content_is_never_sealed_to_the_same_text() -> None:
    assert len({RING.seal(b"x", b"") for _ in range(1_000)}) == 1_000


def test_keys_come_from_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = new_key(), new_key()
    assert len(urlsafe_b64decode(new + "=")) == KEY
    sealed = KeyRing.from_text(old).seal(b"x", b"")
    assert KeyRing.from_text(f"{new}, {old}=\n").open(sealed, b"") == b"x"
    monkeypatch.setenv("TOOLKILN_KEYS", f"{new} {old}")
    assert KeyRing.from_environment().open(sealed, b"") == b"x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no key."),
        (" , ", "There is no key."),
        (f"{'A' * 43}, SENTINEL", "Key 2 has 6 bytes instead of 32."),
        ("SENTINEL!", "Key 1 is not URL-safe base64."),
        ("SENTINÉL", "Key 1 is not URL-safe base64."),
        (f"{'A' * 42}B", "Key 1 is not URL-safe base64."),
    ],
)
def test_keys_that_are_none_are_refused_without_showing_them(text: str, message: str) -> None:
    with pytest.raises(ToolError) as refused:
        KeyRing.from_text(text)
    assert refused.value.code == "configuration.invalid-keys"
    assert refused.value.message == message
    assert "SENTIN" not in repr(refused.value.__context__)


def test_a_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLKILN_KEYS", raising=False)
    with pytest.raises(ToolError, match="TOOLKILN_KEYS is not set"):
        KeyRing.from_environment()


def test_a_ring_that_nobody_configured_warns(caplog: pytest.LogCaptureFixture) -> None:
    ring = KeyRing.ephemeral()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "NO KEYS ARE CONFIGURED" in caplog.text
    assert ring.open(ring.seal(b"x", b""), b"") == b"x"


def test_keys_and_contents_show_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    ring = KeyRing([SENTINEL.ljust(KEY)])
    sealed = ring.seal(SENTINEL, SENTINEL)
    for text, bound in ((sealed, b""), (sealed[:-2], SENTINEL), ("SENTINEL", b"")):
        with pytest.raises(Unsealable):
            ring.open(text, bound)
    assert len(caplog.records) == 3
    shown = f"{ring!r} {ring} {caplog.text} {sealed}"
    assert "SENTINEL" not in shown
    assert not hasattr(ring, "__dict__")


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_ring_is_neither_pickled_nor_copied(copied: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match="pickled"):
        copied(RING)


def test_importing_loads_no_cryptography() -> None:
    code = "import sys, toolkiln_runtime.tokens; print('cryptography' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_without_the_extra_the_message_says_what_to_install() -> None:
    code = """
import sys
sys.modules["cryptography.hazmat.primitives.ciphers.aead"] = None
from toolkiln_runtime.keys import KeyRing
try:
    KeyRing.generate()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "toolkiln-runtime[keys]" in done.stdout
