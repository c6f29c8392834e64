"""Which nodes of a graph lead back to each other, without recursion and each looked at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)


@dataclass(slots=True)
class _Visit(Generic[Node]):
    """A node on the way from where the walk began."""

    node: Node
    rest: Iterator[Node]
    lowest: int
    """The earliest node on the way that is known to be reached from it."""


class Circles(Generic[Node]):
    """The strongly connected components of a graph, as far as it has been asked about (Tarjan).

    They are numbered as they are found: what a component leads to has a lower number.
    """

    def __init__(self, following: Callable[[Node], Iterable[Node]]) -> None:
        self.members: list[tuple[Node, ...]] = []
        """By number."""
        self._following = following
        self._numbers: dict[Node, int] = {}
        self._order: dict[Node, int] = {}
        """Of the nodes that have been met and belong to no component yet."""
        self._open: list[Node] = []

    def number(self, node: Node) -> int:
        """The component of *node*."""
        if node not in self._numbers:
            self._walk(node)
        return self._numbers[node]

    def _walk(self, start: Node) -> None:
        way = [self._visit(start)]
        while way:
            visit = way[-1]
            node = next(visit.rest, None)
            if node is None:
                self._leave(way)
            elif node in self._order:
                visit.lowest = min(visit.lowest, self._order[node])
            elif node not in self._numbers:
                way.append(self._visit(node))

    def _visit(self, node: Node) -> _Visit[Node]:
        order = self._order[node] = len(self._open)
        self._open.append(node)
        return _Visit(node, iter(self._following(node)), order)

    def _leave(self, way: list[_Visit[Node]]) -> None:
        visit = way.pop()
        start = self._order[visit.node]
        if visit.lowest < start:
            # Only the first node on the way is never below itself, so there is one before it.
            way[-1].lowest = min(way[-1].lowest, visit.lowest)
            return
        members = tuple(self._open[start:])
        del self._open[start:]
        for node in members:
            del self._order[node]
            self._numbers[node] = len(self.members)
        self.members.append(members)
