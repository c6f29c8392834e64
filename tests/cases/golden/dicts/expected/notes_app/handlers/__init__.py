"""The tools of this project, and what runs them."""

from __future__ import annotations

from toolkiln_runtime import Catalog, Executor

from . import notes

executor = Executor(Catalog([notes.tools]))
