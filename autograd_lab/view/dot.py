"""The autograd graph as torchviz draws it, for tensors of our engine and of PyTorch alike, at any moment of its life.

The same nodes, edges, labels and colours as `torchviz.make_dot`, and it also draws what stops torchviz: a graph after
`backward()`, an overwritten saved tensor, a graph deeper than Python's recursion limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import graphviz

from autograd_lab.view.digraph import Dot

SAVED = "_saved_"
LEAF, SLOT, OUTPUT, BASE = "lightblue", "orange", "darkolivegreen1", "darkolivegreen3"
NODE_LOOKS = {
    "style": "filled",
    "shape": "box",
    "align": "left",
    "fontsize": "10",
    "ranksep": "0.1",
    "height": "0.2",
    "fontname": "monospace",
}
LOOKS = {"freed": {"style": "dashed"}, "stale": {"fillcolor": SLOT, "color": "red", "penwidth": "2"}}
"""How a saved slot looks whose tensor cannot be had any more: given back by backward, or overwritten since."""


def make_dot(
    var: Any,
    params: Mapping[str, Any] | None = None,
    show_attrs: bool = False,
    show_saved: bool = False,
    max_attr_chars: int = 50,
) -> Dot:
    """A `graphviz.Digraph` of what `var`, a tensor or a tuple of tensors, was made of.

    Backward nodes are grey, leaves that get a gradient blue and named by `params`, outputs green, a base whose view is
    an output dark green, saved tensors orange: those of custom functions always, all others with `show_saved`. A slot
    that was freed is dashed, one overwritten in place has a red border. `show_attrs` lists what a node saved, each
    value in at most `max_attr_chars` characters.

    Its `render` and `pipe` work without a `dot` executable too.
    """
    walk = _Walk(params or {}, show_attrs, show_saved, max(max_attr_chars, 3))
    for tensor in var if isinstance(var, tuple | list) else (var,):
        if not _is_tensor(tensor):
            raise TypeError(f"make_dot draws a tensor or a tuple of tensors, not {type(tensor).__name__}")
        walk.draw_output(tensor)
    side = max(12, len(walk.dot.body) * 0.15)
    walk.dot.graph_attr.update(size=f"{side},{side}")
    return walk.dot


class _Walk:
    """One drawing in the making. `seen` also keeps alive what was met, so that no id is given out twice."""

    def __init__(self, params: Mapping[str, Any], show_attrs: bool, show_saved: bool, width: int) -> None:
        self.dot = Dot(node_attr=NODE_LOOKS, graph_attr={"size": "12,12"})
        self.names = {id(tensor): name for name, tensor in params.items()}
        self.show_attrs, self.show_saved, self.width = show_attrs, show_saved, width
        self.seen: dict[int, Any] = {}

    def draw_output(self, tensor: Any, color: str = OUTPUT) -> None:
        """The tensor, all behind it, and its base if it is a view."""
        if self._met(tensor):
            return
        self._tensor(tensor, color)
        if tensor.grad_fn is not None:
            self._walk(tensor.grad_fn)
            self._edge(tensor.grad_fn, tensor)
        base = getattr(tensor, "_base", None)
        if base is not None:
            self.draw_output(base, BASE)  # no deeper: a base is not a view itself
            self._edge(base, tensor, style="dotted")

    def _walk(self, root: Any) -> None:
        """Depth first, in the order of a recursion, on a stack of our own."""
        stack = [] if self._met(root) else [self._visit(root)]
        while stack:
            child = next(stack[-1], None)
            if child is None:
                stack.pop()
            elif not self._met(child):
                stack.append(self._visit(child))

    def _visit(self, node: Any) -> Iterator[Any]:
        """Draws a node and gives out, one by one, those that it passes gradients to."""
        if self.show_saved:
            for slot, value in _slots(node).items():
                self._saved(node, slot, value)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            self._met(leaf)
            self._tensor(leaf, LEAF)
            self._edge(leaf, node)
        self.dot.node(_key(node), graphviz.escape(self._node_label(node)))
        for child, _ in getattr(node, "next_functions", ()):
            if child is not None:
                self._edge(child, node)
                yield child
        self._saved_by_custom(node)

    def _saved(self, node: Any, slot: str, value: Any) -> None:
        """The tensors in a slot of a built-in node, or what became of them."""
        if isinstance(value, _Gone):
            self._gone(node, slot, value)
        for name, tensor in _named(slot, value):
            self._met(tensor)
            self._edge(node, tensor, dir="none")
            self._tensor(tensor, SLOT, name)

    def _saved_by_custom(self, node: Any) -> None:
        """What a custom function saved itself; torchviz draws these lines the other way round."""
        value = _read(node, "saved_tensors") if hasattr(type(node), "saved_tensors") else ()
        if isinstance(value, _Gone):
            self._gone(node, "saved_tensors", value)
            return
        for _, tensor in _named("", value):
            self._met(tensor)
            self._edge(tensor, node, dir="none")
            self._tensor(tensor, SLOT)

    def _gone(self, node: Any, slot: str, gone: _Gone) -> None:
        key = f"{_key(node)}.{slot}"
        self.dot.edge(_key(node), key, dir="none")
        self.dot.node(key, graphviz.escape(f"{slot}\n {gone}"), **LOOKS[gone.state])

    def _tensor(self, tensor: Any, color: str, name: str = "") -> None:
        shape = ", ".join(f"{side:d}" for side in tensor.shape)
        label = f"{name or self.names.get(id(tensor), '')}\n ({shape})"
        self.dot.node(_key(tensor), graphviz.escape(label), fillcolor=color)

    def _edge(self, tail: Any, head: Any, **look: str) -> None:
        self.dot.edge(_key(tail), _key(head), **look)

    def _met(self, thing: Any) -> bool:
        """Whether it was met before; from now on it was."""
        known = id(thing) in self.seen
        self.seen[id(thing)] = thing
        return known

    def _node_label(self, node: Any) -> str:
        """The name of a node and, if wanted, a table of what it saved."""
        name = type(node).__name__
        rows = {slot: _told(value) for slot, value in _slots(node).items()} if self.show_attrs else {}
        if not rows:
            return name
        first = max(map(len, rows))
        second = min(max(map(len, rows.values())), self.width)
        table = [f"{slot:<{first}}: {_cut(text, second):>{second}}" for slot, text in rows.items()]
        return "\n".join([name, "-" * max(first + second + 2, len(name)), *table])


class _Gone(str):
    """What is said in place of a saved tensor that cannot be read any more."""

    state = "freed"


class _Stale(_Gone):
    state = "stale"


def _read(node: Any, name: str) -> Any:
    """An attribute of a node, or why it cannot be had: torch raises for freed and for overwritten tensors."""
    try:
        return getattr(node, name)
    except RuntimeError as error:
        if "modified by an inplace operation" in str(error):
            return _Stale("stale: overwritten in place")
        return _Gone("freed")


def _slots(node: Any) -> dict[str, Any]:
    """All that a node saved, by name."""
    return {name.removeprefix(SAVED): _read(node, name) for name in dir(node) if name.startswith(SAVED)}


def _named(slot: str, value: Any) -> list[tuple[str, Any]]:
    """The tensors in a slot, which holds one or a tuple of them, or none."""
    if isinstance(value, tuple):
        return [(f"{slot}[{i}]", it) for i, it in enumerate(value) if _is_tensor(it)]
    return [(slot, value)] if _is_tensor(value) else []


def _told(value: Any) -> str:
    """What the table of attributes says of a value."""
    if _is_tensor(value):
        return "[saved tensor]"
    if isinstance(value, _Gone):
        return f"[{value}]"
    return "[saved tensors]" if _named("", value) else str(value)


def _cut(text: str, width: int) -> str:
    return text[: width - 3] + "..." if len(text) > width else text


def _is_tensor(thing: Any) -> bool:
    return hasattr(thing, "grad_fn") and hasattr(thing, "shape")


def _key(thing: Any) -> str:
    return str(id(thing))
