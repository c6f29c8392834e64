"""Where the parts of a YAML document stand."""

from __future__ import annotations

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


class YamlPlaces:
    """Places in a composed document; maps are indexed when they are first passed."""

    __slots__ = ("_keys", "_root")

    def __init__(self, root: Node) -> None:
        self._root = root
        self._keys: dict[int, dict[str, tuple[Node, Node]]] = {}

    def locate(self, pointer: tuple[str | int, ...], *, key: bool) -> tuple[int, int]:
        """As `Places.locate`."""
        name, node = self._root, self._root
        for part in pointer:
            child = self._child(node, part)
            if child is None:
                break
            name, node = child
        place = name if key else node
        return place.start_mark.index, place.end_mark.index

    def _child(self, node: Node, part: str | int) -> tuple[Node, Node] | None:
        if isinstance(node, MappingNode):
            if id(node) not in self._keys:
                # The first of two equal keys is the one that was read.
                pairs = [(k, v) for k, v in reversed(node.value) if isinstance(k, ScalarNode)]
                self._keys[id(node)] = {k.value: (k, v) for k, v in pairs}
            return self._keys[id(node)].get(str(part))
        if isinstance(node, SequenceNode) and str(part).isdecimal():
            number = int(part)
            if number < len(node.value):
                return node.value[number], node.value[number]
        return None
