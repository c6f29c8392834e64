"""Seals what leaves the process: secret to all others, and unchanged when it comes back (R1, R4).

ChaCha20-Poly1305: it takes the same time for all contents on any machine, where AES-GCM needs the
processor's help for that. Nonces are random, for no counter survives restarts, forks and several
hosts; with 96 bits of them a key is good for 2**32 seals, so a busy host puts a new key in front
once a year. The extra `keys` brings the library that this needs.
"""

from __future__ import annotations

import os
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final, NoReturn

from .failures import ToolError
from .logs import log

VARIABLE: Final = "TOOLKILN_KEYS"
"""The environment variable that holds the keys of a host."""
KEY: Final = 32
"""Bytes of a key."""

_NONCE: Final = 12
_FORMAT: Final = "v1"
_SEALED: Final = re.compile(r"v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)", re.ASCII)


class Unsealable(Exception):  # noqa: N818 - says what the text is
    """A text cannot be opened; the log has the reason, this has none to give away."""

    def __init__(self) -> None:
        super().__init__("The sealed text cannot be opened.")


class KeyRing:
    """The keys of a host: the first seals, all open. Immutable, and silent about its content.

    To change keys, put the new one in front everywhere after it stands last everywhere, and drop
    the old one when nothing is left that it has sealed.
    """

    __slots__ = ("_ciphers", "_first")

    def __init__(self, keys: Iterable[bytes]) -> None:
        """*keys* are KEY random bytes each; raises ToolError `configuration.invalid-keys`."""
        ciphers: dict[str, Any] = {}
        for number, key in enumerate(keys, start=1):
            if len(key) != KEY:
                raise _invalid(f"Key {number} has {len(key)} bytes instead of {KEY}.")
            ciphers.setdefault(_identity(key), _cipher(key))
        if not ciphers:
            raise _invalid("There is no key.")
        self._ciphers = ciphers
        self._first = next(iter(ciphers))

    @classmethod
    def from_text(cls, text: str) -> KeyRing:
        """The ring of keys as `new_key` writes them, with commas or white space between them.

        Raises ToolError `configuration.invalid-keys`, which names the place and no content.
        """
        words = text.replace(",", " ").split()
        return cls(_read(word, number) for number, word in enumerate(words, start=1))

    @classmethod
    def from_environment(cls, variable: str = VARIABLE) -> KeyRing:
        """The ring that *variable* holds; raises ToolError where it is not set or not valid."""
        text = os.environ.get(variable)
        if text is None:
            raise _invalid(f"The environment variable {variable} is not set.")
        return cls.from_text(text)

    @classmethod
    def generate(cls) -> KeyRing:
        """A ring of one new key, which nobody else will ever have."""
        return cls([secrets.token_bytes(KEY)])

    @classmethod
    def ephemeral(cls) -> KeyRing:
        """A new ring for a host that was given none: a warning in the log says what that means."""
        log.warning(
            "NO KEYS ARE CONFIGURED (%s): what this process seals is lost when it ends, and no"
            " other process can open it",
            VARIABLE,
        )
        return cls.generate()

    def seal(self, plain: bytes, bound: bytes) -> str:
        """*plain* as a text of URL-safe characters, which opens only together with *bound*."""
        nonce = os.urandom(_NONCE)
        cipher = self._ciphers[self._first]
        sealed = cipher.encrypt(nonce, plain, _associated(self._first, bound))
        return f"{_FORMAT}.{self._first}.{_encoded(nonce + sealed)}"

    def open(self, text: str, bound: bytes) -> bytes:
        """What was sealed as *text* together with *bound*; raises Unsealable on any other text."""
        plain, reason = self._opened(text, bound)
        if plain is None:
            log.info("a sealed text is refused: %s", reason)
            raise Unsealable
        return plain

    def _opened(self, text: object, bound: bytes) -> tuple[bytes | None, str]:
        from cryptography.exceptions import InvalidTag

        found = _SEALED.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            return None, "it is not of the format"
        identity, body = found.groups()
        cipher = self._ciphers.get(identity)
        if cipher is None:
            return None, f"it names the key {identity}, which is not on the ring"
        sealed = _decoded(body)
        if sealed is None:
            return None, "it is not of the format"
        try:
            associated = _associated(identity, bound)
            return cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], associated), ""
        except (InvalidTag, ValueError):
            return None, "it was changed, or is bound to something else"

    def __repr__(self) -> str:
        return f"KeyRing({len(self._ciphers)} keys)"

    def __reduce__(self) -> NoReturn:
        # Pickles travel to places where keys must not.
        raise TypeError("a ring of keys cannot be pickled or copied")


def new_key() -> str:
    """A new key as the text that goes into the environment."""
    return _encoded(secrets.token_bytes(KEY))


def _cipher(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    except ImportError as error:
        raise ImportError("sealing needs `pip install toolkiln-runtime[keys]`") from error
    return ChaCha20Poly1305(key)


def _identity(key: bytes) -> str:
    """The name of *key*: a digest, so that hosts agree on it without agreeing on names."""
    return sha256(b"toolkiln key\0" + key).hexdigest()[:16]


def _associated(identity: str, bound: bytes) -> bytes:
    # Both names are of fixed length, so no other pair gives the same bytes.
    return f"{_FORMAT}.{identity}.".encode() + bound


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes | None:
    """What *text* encodes; None if another text stands for the same bytes or for none."""
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    # The last character may carry bits that decoding ignores: a second text for the same seal.
    return data if _encoded(data) == text else None


def _read(word: str, number: int) -> bytes:
    key = _decoded(word.rstrip("=")) if word.isascii() else None
    if key is None:
        raise _invalid(f"Key {number} is not URL-safe base64.")
    return key


def _invalid(message: str) -> ToolError:
    return ToolError("configuration.invalid-keys", message)
