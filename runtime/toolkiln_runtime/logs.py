"""The log: what went wrong, and only at debug level what an exception says about it (E3)."""

from __future__ import annotations

import logging
from typing import Final

log: Final = logging.getLogger("toolkiln_runtime")


def fault(error: BaseException, message: str, *names: object) -> None:
    """Log *message* as an error, and *error* itself, which may quote anything, for debugging."""
    log.error(message, *names)
    log.debug("the reason", exc_info=error)
