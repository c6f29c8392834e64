"""A store of plans in a database, shared by any number of processes (R3)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeAlias

from sqlalchemy import URL, Connection, Row, Select, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ..stores import Change, Lease, Stale, Stored, Taken
from .database import Database, address
from .schema import interactions, invocations, leases, plans, tokens

_Row: TypeAlias = Row[str, int, bytes, str | None, float]
_Query: TypeAlias = Select[str, int, bytes, str | None, float]

CONNECTIONS: Final = 4
"""Connections of a store, where nothing else is said."""


class SqlStore:
    """Keeps plans in SQLite or PostgreSQL; the tables are made when it is first used.

    *url* is SQLAlchemy's: `sqlite:///calls.db` (relative) or `postgresql://user:word@host/name`.
    An SQLite file must not lie on a network's drive. A change is decided by the database alone,
    by conditions in the statements that write, so no process need know of another.

    A step that has begun is awaited even if the caller is cancelled. Tables of another version
    are refused with ToolError `store.other-schema`.
    """

    durable = True

    def __init__(self, url: str | URL, *, connections: int = CONNECTIONS) -> None:
        """Raises ToolError `configuration.invalid-store`; connects to nothing yet."""
        self._database = Database(address(url), connections)

    async def prepare(self) -> None:
        """Connect and make the tables now, so that a wrong address shows at once."""
        await self._database.read(lambda _connection: None)

    async def close(self) -> None:
        """Close all connections; using the store again opens new ones."""
        await self._database.close()

    async def commit(self, change: Change) -> None:
        """Write *change*, or raise Stale or Taken."""
        await self._database.write(lambda connection: _commit(connection, change))

    async def load(self, plan_id: str) -> Stored | None:
        """The plan of this id."""
        return await self._one(_plans().where(plans.c.plan_id == plan_id))

    async def by_interaction(self, interaction_id: str) -> Stored | None:
        """The plan that an interaction id, open or closed, leads to."""
        found = select(interactions.c.plan_id).where(
            interactions.c.interaction_id == interaction_id
        )
        return await self._one(_plans().where(plans.c.plan_id == found.scalar_subquery()))

    async def by_invocation(self, invocation_id: str) -> Stored | None:
        """The plan that an invocation id leads to."""
        found = select(invocations.c.plan_id).where(invocations.c.invocation_id == invocation_id)
        return await self._one(_plans().where(plans.c.plan_id == found.scalar_subquery()))

    async def renew(self, plan_id: str, lease: Lease) -> bool:
        """Prolong a lease, whatever the plan's revision; False if it is no longer kept."""
        prolonged = (
            update(leases)
            .where(leases.c.claim == lease.claim, leases.c.plan_id == plan_id)
            .values(until=lease.until)
        )
        return await self._database.write(lambda connection: _changed(connection, prolonged)) == 1

    async def due(self, now: float, limit: int) -> Sequence[str]:
        """The plans, at most *limit*, whose `due` is *now* or earlier, the earliest first."""
        found = (
            select(plans.c.plan_id)
            .where(plans.c.due <= now)
            .order_by(plans.c.due, plans.c.plan_id)
            .limit(limit)
        )
        return await self._database.read(lambda connection: connection.scalars(found).all())

    async def unended(
        self, session_id: str | None = None, *, after: str = "", limit: int = 100
    ) -> Sequence[Stored]:
        """A page of the plans, of one session or of all, in which a call has no result yet."""
        page = select(plans.c.plan_id).where(plans.c.ended.is_(None), plans.c.plan_id > after)
        if session_id is not None:
            page = page.where(plans.c.session_id == session_id)
        page = page.order_by(plans.c.plan_id).limit(limit)
        return await self._many(_plans().where(plans.c.plan_id.in_(page)))

    async def forget(self, before: float) -> int:
        """Remove the plans that ended before then, with all that leads to them; how many."""
        ended = delete(plans).where(plans.c.ended < before)
        return await self._database.write(lambda connection: _changed(connection, ended))

    async def keep_token(self, identifier: str, expires: float, now: float) -> None:
        """Remember a token until *expires*; what has expired by *now* is forgotten."""
        kept = insert(tokens).values(token=identifier, expires=expires)

        def work(connection: Connection) -> None:
            connection.execute(delete(tokens).where(tokens.c.expires <= now))
            connection.execute(kept)

        await self._database.write(work)

    async def spend_token(self, identifier: str) -> bool:
        """Forget a token: True for exactly one of all that try."""
        spent = delete(tokens).where(tokens.c.token == identifier)
        return await self._database.write(lambda connection: _changed(connection, spent)) == 1

    async def _one(self, query: _Query) -> Stored | None:
        return next(iter(await self._many(query)), None)

    async def _many(self, query: _Query) -> Sequence[Stored]:
        ordered = query.order_by(plans.c.plan_id)
        read = self._database.read
        return _stored(await read(lambda connection: connection.execute(ordered).all()))

    def __repr__(self) -> str:
        return f"SqlStore({self._database.url.render_as_string(hide_password=True)!r})"


def _plans() -> _Query:
    """Plans, each with a row for every lease: one statement, hence one consistent view."""
    columns = plans.c.plan_id, plans.c.revision, plans.c.document, leases.c.claim, leases.c.until
    return select(*columns).select_from(plans.outerjoin(leases))


def _stored(rows: Sequence[_Row]) -> list[Stored]:
    found: list[Stored] = []
    for (plan_id, revision, document), group in groupby(rows, key=itemgetter(0, 1, 2)):
        kept = {claim: until for *_, claim, until in group if claim is not None}
        found.append(Stored(plan_id=plan_id, revision=revision, document=document, leases=kept))
    return found


def _changed(connection: Connection, statement: Any) -> int:
    """How many rows *statement* has changed."""
    return connection.execute(statement, execution_options={"preserve_rowcount": True}).rowcount


def _commit(connection: Connection, change: Change) -> None:
    # First the plan: its row stays locked to the end, so steps of one plan never wait crosswise.
    if _changed(connection, _written(connection, change)) != 1:
        raise Stale
    plan = {"plan_id": change.plan_id}
    if change.invocations:
        rows = [{"invocation_id": name, **plan} for name in change.invocations]
        connection.execute(insert(invocations), rows)
    if change.closed:
        closed = update(interactions).where(
            interactions.c.plan_id == change.plan_id,
            interactions.c.interaction_id.in_(change.closed),
        )
        connection.execute(closed.values(open=False))
    if change.opened:
        _open(connection, change)
    if change.released:
        over = leases.c.claim.in_(change.released), leases.c.plan_id == change.plan_id
        connection.execute(delete(leases).where(*over))
    if change.lease is not None:
        lease = {"claim": change.lease.claim, "until": change.lease.until}
        connection.execute(insert(leases).values(**lease, **plan))


def _written(connection: Connection, change: Change) -> Any:
    """The statement that writes the plan itself, and changes nothing where it is stale."""
    values = {
        "revision": change.revision,
        "document": change.document,
        "due": change.due,
        "ended": change.ended,
    }
    if change.revision == 1:
        first = _upsert(connection)(plans)
        first = first.values(plan_id=change.plan_id, session_id=change.session_id, **values)
        return first.on_conflict_do_nothing()
    before = plans.c.plan_id == change.plan_id, plans.c.revision == change.revision - 1
    return update(plans).where(*before).values(**values)


def _open(connection: Connection, change: Change) -> None:
    """Have the opened ids lead to the plan; raises Taken with all that are open already."""
    taken: list[str] = []
    # In one order everywhere: two plans that open the same ids must not wait for each other.
    for name in sorted(change.opened):
        opened = _upsert(connection)(interactions).values(
            interaction_id=name, plan_id=change.plan_id, open=True
        )
        opened = opened.on_conflict_do_update(
            index_elements=[interactions.c.interaction_id],
            set_={"plan_id": change.plan_id, "open": True},
            where=interactions.c.open.is_(False),
        )
        if _changed(connection, opened) != 1:
            taken.append(name)
    if taken:
        raise Taken(taken)


def _upsert(connection: Connection) -> Any:
    return postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
