"""The tools of this project, and what runs them."""

from __future__ import annotations

from toolkiln_runtime import Catalog, Executor

from . import odd_class_

executor = Executor(Catalog([odd_class_.tools]))
