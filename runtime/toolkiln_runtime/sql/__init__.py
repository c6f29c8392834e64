"""Plans in SQLite or PostgreSQL: the extras `sql` and `postgresql` bring what this needs."""

from .store import SqlStore

__all__ = ["SqlStore"]
