"""What happens to things in the course of a trace, for whoever looks at one of them closely: hooks, writes, freeing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lab import events as e
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.words.phrase import in_words
from autograd_lab.view.kit.unknown import or_else

Write = tuple[int, e.TensorModified]
"""A write, and the step that it was."""


@dataclass
class Incidents:
    """Of each box and op the rows on its hooks and on `requires_grad`; the writes of each version counter; the steps
    at which nodes let go of what they saved, with how that came about."""

    hooks: dict[str, list[list[str | int]]] = field(default_factory=lambda: defaultdict(list))
    writes: dict[str, list[Write]] = field(default_factory=lambda: defaultdict(list))
    freed: dict[str, tuple[int, str]] = field(default_factory=dict)

    def fate_of(self, slot: e.TensorSaved, counter: str | None, born: int) -> tuple[Write | None, int]:
        """The first write over what a slot holds since step `born`, and the step at which it was freed, or 0."""
        end, _ = self.freed.get(slot.node, (0, ""))
        writes = self.writes[counter] if counter is not None else []
        late = (found for found in writes if found[0] > born and found[1].version > slot.version)
        return next((found for found in late if not end or found[0] < end), None), end


@or_else(Incidents())
def incidents_of(history: History, events: Iterable[e.Event]) -> Incidents:
    """Walk a trace, and note what happened to which thing."""
    found = Incidents()
    counters = {box.facts.id: box.facts.counter for box in history.boxes.values()}
    leaves = {box.leaf_node: box.id for box in history.boxes.values() if box.leaf_node is not None}
    for step, event in enumerate(events, 1):
        match event:
            case e.TensorModified(tensor=tensor) if tensor in counters:
                found.writes[counters[tensor]].append((step, event))
            case e.RequiresGradChanged(tensor=tensor, requires_grad=flag):
                if (box := _life(tensor, history, step)) is not None:
                    found.hooks[box].append(["kind", f"asks for {'a' if flag else 'no'} gradient from here on", step])
            case e.SavedFreed(node=node):
                found.freed.setdefault(node, (step, f"{_by(event)}when {_name(node, history)} had run backward"))
            case e.GraphReleased(nodes=nodes):
                for node in nodes:
                    how = f"{_by(event)}with {_name(node, history)}, which nothing refers to"
                    found.freed.setdefault(node, (step, how))
            case e.HookRegistered() | e.HookCalled():
                thing = _hooked(event, history, leaves, step)
                if thing is not None:
                    found.hooks[thing].append([*_told(event), step])
    return found


def _by(event: e.Event) -> str:
    return "" if event.where is None else f"by line {event.where.number}, "


def _name(node: str, history: History) -> str:
    op = history.ops.get(history.op_of_node.get(node, ""))
    return "its node" if op is None else op.name


def _hooked(event: e.HookRegistered | e.HookCalled, history: History, leaves: dict[str, str], step: int) -> str | None:
    """The box or op that a hook hangs on: of a tensor, its life at that step, or what the node made that runs it."""
    if event.tensor is not None:
        return _life(event.tensor, history, step)
    op = history.ops.get(history.op_of_node.get(event.node or "", ""))
    if op is None:
        return leaves.get(event.node or "")
    return op.outputs[0] if event.hook == "tensor" and len(op.outputs) == 1 else op.id


def _life(tensor: str, history: History, step: int) -> str | None:
    lives = [box for box in history.lives.get(tensor, ()) if history.boxes[box].born <= step]
    return lives[-1] if lives else None


def _told(event: e.HookRegistered | e.HookCalled) -> tuple[str, str]:
    kind = event.hook.replace("_", " ")
    if isinstance(event, e.HookRegistered):
        line = f" on line {event.where.number}: {event.where.text.strip()}" if event.where is not None else ""
        return "hook", f"a {kind} hook was hung here{line}"
    if event.before is None:
        return "hook", f"the {kind} hook ran"
    change = "left it as it was" if event.after is None else f"made it {in_words(event.after)}"
    return "hook", f"the {kind} hook ran with {in_words(event.before)} and {change}"
