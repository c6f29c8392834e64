"""The tables that plans are kept in, and the version of their layout."""

from __future__ import annotations

import re
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    insert,
    inspect,
    select,
    text,
)

from ..failures import ToolError

VERSION: Final = 1
"""Of the layout below; a change of it needs a step from the version before."""

_ESCAPED: Final = re.compile(r"\\(?:(\\)|u([0-9a-f]{4}))")
_SPECIAL: Final = re.compile(r"[\\\0\ud800-\udfff]")
_LOCK: Final = 0x746F6F6C6B696C6E


class Key(TypeDecorator[str]):
    """Any Python string: PostgreSQL refuses NUL, and neither database takes lone surrogates."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        """Sorted by code point everywhere, because pages of plans begin after an id."""
        collation = "C" if dialect.name == "postgresql" else "BINARY"
        return dialect.type_descriptor(Text(collation=collation))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else _SPECIAL.sub(_escape, value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else _ESCAPED.sub(_unescape, value)


def _escape(found: re.Match[str]) -> str:
    return r"\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}"


def _unescape(found: re.Match[str]) -> str:
    return "\\" if found[1] else chr(int(found[2], 16))


metadata: Final = MetaData()

versions: Final = Table("toolkiln_schema", metadata, Column("version", Integer, nullable=False))

plans: Final = Table(
    "toolkiln_plans",
    metadata,
    Column("plan_id", Key, primary_key=True),
    Column("session_id", Key, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("document", LargeBinary, nullable=False),
    Column("due", Double),
    Column("ended", Double),
    Index("toolkiln_plans_due", "due"),
    Index("toolkiln_plans_ended", "ended", "plan_id"),
    Index("toolkiln_plans_session", "session_id", "ended", "plan_id"),
)


def _plan() -> Column[str]:
    return Column("plan_id", Key, ForeignKey(plans.c.plan_id, ondelete="CASCADE"), nullable=False)


invocations: Final = Table(
    "toolkiln_invocations",
    metadata,
    Column("invocation_id", Key, primary_key=True),
    _plan(),
    Index("toolkiln_invocations_plan", "plan_id"),
)

interactions: Final = Table(
    "toolkiln_interactions",
    metadata,
    Column("interaction_id", Key, primary_key=True),
    _plan(),
    Column("open", Boolean, nullable=False),
    Index("toolkiln_interactions_plan", "plan_id"),
)

leases: Final = Table(
    "toolkiln_leases",
    metadata,
    Column("claim", Key, primary_key=True),
    _plan(),
    Column("until", Double, nullable=False),
    Index("toolkiln_leases_plan", "plan_id"),
)

tokens: Final = Table(
    "toolkiln_tokens",
    metadata,
    Column("token", Key, primary_key=True),
    Column("expires", Double, nullable=False),
    Index("toolkiln_tokens_expires", "expires"),
)


def is_current(connection: Connection) -> bool:
    """Whether the tables are there in this version; False if there are none.

    Raises ToolError `store.other-schema` if they are there in another one.
    """
    if not inspect(connection).has_table(versions.name):
        return False
    found = connection.execute(select(versions.c.version)).scalars().all()
    if found != [VERSION]:
        named = ", ".join(map(str, found)) or "none"
        raise ToolError(
            "store.other-schema",
            f"The tables in the database have version {named}, this runtime knows {VERSION}.",
        )
    return True


def create(connection: Connection) -> None:
    """Make the tables, in the transaction of *connection*, unless somebody has just done so."""
    if connection.dialect.name == "postgresql":
        # Two that find nothing would both create; SQLite has one writer at a time anyway.
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    if not is_current(connection):
        metadata.create_all(connection)
        connection.execute(insert(versions).values(version=VERSION))
