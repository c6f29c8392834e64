"""From specs to the contract: schemas checked, bundled and given a shape, names resolved.

What is wrong is returned, never raised; a tool in error is left out of the contract.
"""

from __future__ import annotations

from toolkiln.lower.assemble import lower

__all__ = ["lower"]
