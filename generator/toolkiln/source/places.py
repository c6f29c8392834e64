"""Where the parts of a YAML document stand, without the nodes that told it.

Nodes are many small objects; keeping them would make the garbage collector walk through all of
them again and again. Three lists of numbers are none of its business.
"""

from __future__ import annotations

from ..value import Json


class Extents:
    """Start, end and size of each node, in the order in which a document is read.

    The key of a map stands before its value; the size of a node counts what is in it and itself.
    """

    __slots__ = ("ends", "sizes", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.sizes: list[int] = []

    def open(self, start: int, end: int) -> int:
        """Take up a node; returns its number, which closes it if something is in it."""
        self.starts.append(start)
        self.ends.append(end)
        self.sizes.append(1)
        return len(self.sizes) - 1

    def close(self, number: int) -> None:
        """Say that everything in the node with this *number* has been taken up."""
        self.sizes[number] = len(self.sizes) - number


class YamlPlaces:
    """Places in a document; maps and lists are indexed when they are first passed."""

    __slots__ = ("_extents", "_index", "_value")

    def __init__(self, value: Json, extents: Extents) -> None:
        self._value = value
        self._extents = extents
        self._index: dict[int, dict[str, tuple[int, int]]] = {}

    def locate(self, pointer: tuple[str | int, ...], *, key: bool) -> tuple[int, int]:
        """As `Places.locate`."""
        name = number = 0
        value = self._value
        for part in pointer:
            child = self._children(number, value).get(str(part))
            if child is None:
                break
            name, number = child
            if isinstance(value, dict):
                value = value[str(part)]
            elif isinstance(value, list):
                value = value[int(part)]
        place = name if key else number
        return self._extents.starts[place], self._extents.ends[place]

    def _children(self, number: int, value: Json) -> dict[str, tuple[int, int]]:
        if number not in self._index:
            found = self._index[number] = dict[str, tuple[int, int]]()
            sizes, at = self._extents.sizes, number + 1
            if isinstance(value, dict):
                for key in value:
                    found[key] = (at, at + 1)
                    at += 1 + sizes[at + 1]
            elif isinstance(value, list):
                for position in range(len(value)):
                    found[str(position)] = (at, at)
                    at += sizes[at]
        return self._index[number]
