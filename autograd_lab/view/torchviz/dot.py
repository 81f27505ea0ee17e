"""The autograd graph as torchviz draws it, for tensors of our engine and of PyTorch alike, at any moment of its life.

The same nodes, edges, labels and colours as `torchviz.make_dot`, and it also draws what stops torchviz: a graph after
`backward()`, an overwritten saved tensor, a graph deeper than Python's recursion limit. It only looks: no hook of the
user is called, nothing is computed, nothing is kept alive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import graphviz

from autograd_lab.view.torchviz.rendered import Dot
from autograd_lab.view.torchviz.slot import FREED, PACKED, STALE, Unread, drawn, is_tensor, read, slots, told

ENTITY = re.compile(r"&(?=#?\w+;)")
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
LOOKS: dict[str, dict[str, str]] = {
    FREED: {"style": "dashed"},
    STALE: {"fillcolor": SLOT, "color": "red", "penwidth": "2"},
    PACKED: {"fillcolor": "navajowhite"},
}


def make_dot(
    var: Any,
    params: Mapping[str, Any] | None = None,
    show_attrs: bool = False,
    show_saved: bool = False,
    max_attr_chars: int = 50,
) -> Dot:
    """A `graphviz.Digraph` of what `var` was made of: a tensor, or several in tuples, lists and dicts.

    Backward nodes are grey, leaves that get a gradient blue and named by `params`, outputs green and named by their
    keys if they are in a dict, a base whose view is an output dark green, saved tensors orange: those of custom
    functions always, all others with `show_saved`. A slot that was freed is dashed, one changed in place has a red
    border, one packed by a hook is pale. `show_attrs` lists what a node saved, each value in at most `max_attr_chars`
    characters.

    Its `render` and `pipe` work without a `dot` executable too. Raises TypeError for what is no tensor.
    """
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(f"params maps names to tensors, as dict(model.named_parameters()), not {type(params).__name__}")
    walk = _Walk(params or {}, show_attrs, show_saved, max(max_attr_chars, 3))
    for name, tensor in _outputs(var):
        walk.draw_output(tensor, name)
    side = max(12, len(walk.dot.body) * 0.15)
    walk.dot.graph_attr.update(size=f"{side},{side}")
    return walk.dot


def _outputs(var: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The tensors in what a model returned, with the keys that lead to them."""
    if isinstance(var, Mapping):
        for key, part in var.items():
            yield from _outputs(part, f"{name}.{key}" if name else str(key))
    elif isinstance(var, tuple | list):
        for part in var:
            yield from _outputs(part, name)
    elif is_tensor(var):
        yield name, var
    else:
        raise TypeError(f"make_dot draws a tensor, or tuples, lists and dicts of tensors, not {type(var).__name__}")


class _Walk:
    """One drawing in the making. `seen` also keeps alive what was met, so that no id is given out twice."""

    def __init__(self, params: Mapping[str, Any], show_attrs: bool, show_saved: bool, width: int) -> None:
        self.dot = Dot(node_attr=NODE_LOOKS, graph_attr={"size": "12,12"})
        self.names = {id(tensor): name for name, tensor in params.items()}
        self.show_attrs, self.show_saved, self.width = show_attrs, show_saved, width
        self.seen: dict[int, Any] = {}

    def draw_output(self, tensor: Any, name: str = "", color: str = OUTPUT) -> None:
        """The tensor, all behind it, and its base if it is a view."""
        if self._met(tensor):
            return
        self._tensor(tensor, color, self.names.get(id(tensor), name))
        if tensor.grad_fn is not None:
            self._walk(tensor.grad_fn)
            self._edge(tensor.grad_fn, tensor)
        base = getattr(tensor, "_base", None)
        if base is not None:
            self.draw_output(base, color=BASE)  # no deeper: a base is not a view itself
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
            for slot, value in slots(node).items():
                self._saved(node, slot, value)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            self._met(leaf)
            self._tensor(leaf, LEAF)
            self._edge(leaf, node)
        self.dot.node(_key(node), _text(self._node_label(node)))
        for child, _ in getattr(node, "next_functions", ()):
            if child is not None:
                self._edge(child, node)
                yield child
        self._saved_by_custom(node)

    def _saved(self, node: Any, slot: str, value: Any) -> None:
        """The tensors in a slot of a built-in node, or what became of them."""
        for name, thing in drawn(slot, value):
            if isinstance(thing, Unread):
                self._unread(node, name, thing)
            else:
                self._met(thing)
                self._edge(node, thing, dir="none")
                self._tensor(thing, SLOT, name)

    def _saved_by_custom(self, node: Any) -> None:
        """What a custom function saved itself; torchviz draws these lines the other way round."""
        value = read(node, "saved_tensors") if hasattr(type(node), "saved_tensors") else ()
        for name, thing in drawn("saved_tensors", value):
            if isinstance(thing, Unread):
                self._unread(node, name, thing)
            else:
                self._met(thing)
                self._edge(thing, node, dir="none")
                self._tensor(thing, SLOT)

    def _unread(self, node: Any, slot: str, why: Unread) -> None:
        key = f"{_key(node)}.{slot}"
        self.dot.edge(_key(node), key, dir="none")
        self.dot.node(key, _text(f"{slot}\n {why}"), **LOOKS.get(why, LOOKS[PACKED]))

    def _tensor(self, tensor: Any, color: str, name: str = "") -> None:
        label = f"{name or self.names.get(id(tensor), '')}\n {_shape(tensor)}"
        self.dot.node(_key(tensor), _text(label), fillcolor=color)

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
        rows = {slot: told(value) for slot, value in slots(node).items()} if self.show_attrs else {}
        if not rows:
            return name
        first = max(map(len, rows))
        second = min(max(map(len, rows.values())), self.width)
        table = [f"{slot:<{first}}: {_cut(text, second):>{second}}" for slot, text in rows.items()]
        return "\n".join([name, "-" * max(first + second + 2, len(name)), *table])


def _text(label: str) -> str:
    """A label for Graphviz: never markup, no entity, and invisible characters written out as Python spells them."""
    if not label.replace("\n", "").isprintable():
        label = "".join(char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in label)
    return str(graphviz.escape(ENTITY.sub("&amp;", label)))


def _cut(text: str, width: int) -> str:
    return text[: width - 3] + "..." if len(text) > width else text


def _shape(tensor: Any) -> str:
    """A side may be a symbol of torch.compile's, which must not be turned into a number."""
    try:
        return f"({', '.join(map(str, tensor.shape))})"
    except RuntimeError:  # nested and lazy tensors have none
        return "(no shape)"


def _key(thing: Any) -> str:
    return str(id(thing))
