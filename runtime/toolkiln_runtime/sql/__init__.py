"""Plans in SQLite or PostgreSQL: the extras `sql` and `postgresql` bring what this needs."""

try:
    from .store import SqlStore
except ModuleNotFoundError as error:
    if error.name != "sqlalchemy":
        raise
    raise ImportError("this store needs `pip install toolkiln-runtime[sql]`") from error

__all__ = ["SqlStore"]
