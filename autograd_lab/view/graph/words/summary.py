"""The lesson of a whole backward pass, or of a whole run: the first of these that is there, and known to be true."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from autograd_lab.events import Value
from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.facts.passes import Pass, Passes
from autograd_lab.view.graph.facts.state import GraphState, NodeState, TensorState
from autograd_lab.view.graph.words.called import Called
from autograd_lab.view.graph.words.meeting import Meetings, adds_up
from autograd_lab.view.graph.words.wavefront import paths
from autograd_lab.view.kit.figure import (
    counted,
    figure,
    hue,
    is_bad,
    is_now,
    is_zero,
    norm_of,
    number_of,
    short_of,
    times,
)
from autograd_lab.view.kit.headline import NAME, Headline, Run, said

MUCH, SOME = 10.0, 1.25
"""Weights' gradients that are so many times apart, and those of the turns of a loop, are a lesson."""
TURNS = 3
"""A leaf that is used so often by the same kind of op goes through a loop."""
CARRIERS = {"mm", "addmm", "matmul", "bmm", "mv", "addmv", "mul", "add", "dot"}
"""The ops whose gradient is that of what goes through a loop."""
Leaf = tuple[str, NodeState, TensorState]


class Lesson:
    """What the passes that are over have taught."""

    def __init__(self, history: History, called: Called, meetings: Meetings, passes: Passes) -> None:
        self._history, self._called, self._meetings, self._passes = history, called, meetings, passes
        self._tellers: tuple[Callable[[GraphState, list[Leaf]], Headline | None], ...] = (
            self._broken, self._learnt, self._heaped, self._faded, self._met, self._second, self._blocked, self._apart,
        )  # fmt: skip

    def at(self, state: GraphState) -> Headline:
        """The lesson that a state holds."""
        leaves = list(self._leaves(state))
        told = (teller(state, leaves) for teller in self._tellers)
        return next((headline for headline in told if headline is not None), None) or self._plain(state, leaves)

    def _leaves(self, state: GraphState) -> Iterator[Leaf]:
        """What has a gradient, by its name, with its AccumulateGrad, in the order of the program."""
        nodes = {node.leaf: node for node in state.nodes.values() if node.leaf is not None and node.passed}
        for tensor, facts in state.tensors.items():
            if tensor in nodes and facts.grad is not None and state.grad_is_known(tensor):
                yield tensor, nodes[tensor], facts

    def _name(self, tensor: str) -> str:
        return self._called.tensor(tensor) or "an unnamed tensor"

    def _broken(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """A gradient that is not finite, and the node that made it so."""
        bad = [tensor for tensor, _, facts in leaves if is_bad(facts.grad)]
        if not bad:
            return None
        number = number_of(state.tensors[bad[0]].grad)
        here = f"{self._called.grad(bad[0])} is {'not finite' if number is None else figure(number)}"
        source = self._origin(state, bad[0], is_bad)
        return Headline(f"{here}: it came up at {source}" if source else here, here)

    def _origin(self, state: GraphState, tensor: str, kind: Callable[[Value | None], bool]) -> str:
        """The one op that has made a gradient of this kind of one that was not, on all ways to a leaf."""
        nodes = [self._leaf_node(tensor)]
        seen, found = set(nodes), set[str]()
        for node in nodes:
            outputs = range(len(state.nodes[node].gathered) if node in state.nodes else 0)
            for arrival in (each for index in outputs for each in self._meetings.at(state, node, index)):
                if not kind(arrival.value) or arrival.node in seen:
                    continue
                gathered = [value for value in state.nodes[arrival.node].gathered if value is not None]
                if any(map(kind, gathered)):
                    seen.add(arrival.node)
                    nodes.append(arrival.node)
                else:
                    found.add(arrival.node)
        return self._called.node(found.pop()) if len(found) == 1 else ""

    def _ran(self, state: GraphState) -> list[Op]:
        """The ops that took part in the current pass, the last of the program first."""
        nodes = (node for node in self._history.op_of_node if node in state.nodes)
        found = [node for node in nodes if state.nodes[node].passed == state.current]
        return [self._history.ops[self._history.op_of_node[node]] for node in reversed(found)]

    def _learnt(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """What became of the loss in the course of several optimizer steps."""
        done = self._passes.passes_until(state.step)
        steps = [step for step in self._passes.moves if done and done[0].end < step <= state.step]
        first, last = (_root(done[0]), _root(done[-1])) if steps and len(done) > 1 else (None, None)
        if first is None or last is None or len({self._root_name(each) for each in done}) != 1:
            return None
        name, way = self._root_name(done[-1]) or "What backward began at", "falls" if last < first else "rises"
        if first == last:
            return Headline(f"{name} stays at {figure(last)} in {counted(len(done))} iterations")
        told = f"{name} {way} from {figure(first, 3)} to {figure(last, 3)}"
        return Headline(f"{told} in {counted(len(done))} backward passes", told, said(*self._norms(leaves)))

    def _root_name(self, each: Pass) -> str | None:
        lives = self._history.lives.get(each.roots[0], ()) if len(each.roots) == 1 else ()
        return self._history.boxes[lives[0]].facts.name if lives else None

    def _heaped(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """Gradients of several passes in one `.grad`."""
        for tensor, _, facts in leaves:
            heap = self._passes.heap(tensor, state.step)
            if not adds_up(heap, facts.grad) or facts.hooks:
                continue
            box, count, total = self._called.grad(tensor), counted(len(heap)), number_of(facts.grad)
            sub = paths(box, list(heap), facts.grad or Value()).sub
            if total is None:
                return Headline(f"{box} is the sum of {count} backward passes", sub=sub)
            return Headline(f"{box} = {figure(total)}: {count} backward passes have added up", sub=sub)
        return None

    def _met(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """The leaf at which most paths arrive, if they are known to add up to its gradient."""
        found: list[tuple[int, str, list[Value], Value]] = []
        for tensor, node, facts in leaves:
            parts = [arrival.value for arrival in self._meetings.at(state, self._leaf_node(node.leaf))]
            if facts.grad is not None and facts.hooks == 0 and adds_up(parts, facts.grad):
                found.append((len(parts), tensor, parts, facts.grad))
        if not found:
            return None
        _, tensor, parts, grad = max(found, key=lambda each: (number_of(each[3]) is not None, each[0]))
        return paths(self._called.grad(tensor), parts, grad)

    def _leaf_node(self, tensor: str | None) -> str:
        lives = self._history.lives.get(tensor or "", ())
        return next((name for name in (self._history.boxes[box].leaf_node for box in lives) if name), "")

    def _second(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """A backward pass that went through a backward pass."""
        if not any(self._passes.is_second(op.born) for op in self._ran(state)):
            return None
        scalar = [(self._name(tensor), number_of(facts.grad)) for tensor, _, facts in leaves]
        told = "backward went through a backward pass"
        if scalar and scalar[0][1] is not None:
            return Headline(f"{scalar[0][0]}.grad = {figure(scalar[0][1])}: {told}", told.capitalize())
        return Headline(f"The last {told.replace('went', 'pass went', 1).removeprefix('backward ')}", told.capitalize())

    def _blocked(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """A gradient of nothing but zeros, and the node that let nothing past."""
        zero = [tensor for tensor, node, facts in leaves if is_zero(facts.grad) and node.passed == state.current]
        if not zero:
            return None
        here, source = f"{self._called.grad(zero[0])} is exactly 0", self._origin(state, zero[0], is_zero)
        return Headline(f"{here}: {source} lets nothing past" if source else here, here)

    def _faded(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """How the gradient fades, or grows, on its way back through the turns of a loop."""
        for _, node, _ in leaves:
            arrivals = self._meetings.at(state, self._leaf_node(node.leaf))
            ops = [self._history.ops[self._history.op_of_node[each.node]] for each in arrivals]
            lines = {(op.event.where.line if op.event.where else None, self._called.word(op)) for op in ops}
            if len(ops) < TURNS or len(lines) != 1 or self._called.word(ops[0]) not in CARRIERS:
                continue
            ops.sort(key=lambda op: op.born)
            norms = [norm_of(_only(state.nodes[op.node or ""].gathered)) for op in ops]
            if norms[0] is None or not norms[-1] or node.passed != state.current or not self._leads(ops[0], ops[-1]):
                continue
            told = f"{figure(norms[-1], 2)} at the last turn, {figure(norms[0], 2)} at the first"
            ratio = norms[-1] / norms[0] if norms[0] else math.inf
            if ratio >= SOME or ratio <= 1 / SOME:
                verb = "grows" if ratio < 1 else "fades" if norms[0] else "vanishes"
                short = f"The gradient {verb}: {told}"
                return Headline(f"The gradient {verb} on its way back: {told}", short, _turns(norms))
        return None

    def _leads(self, first: Op, last: Op) -> bool:
        """Whether one op's result goes into another, by way of nodes."""
        ahead = set(first.outputs)
        for op in self._history.ops.values():
            is_between = first.born < op.born <= last.born and op.node is not None
            if is_between and any(use.box in ahead and use.operand.edge is not None for use in op.uses):
                ahead.update(op.outputs)
        return not ahead.isdisjoint(last.outputs)

    def _apart(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """Two weights of as many dimensions, the most that there are, whose gradients are of quite different size."""
        norms = [(norm_of(facts.grad) or 0.0, tensor, len(facts.facts.shape)) for tensor, _, facts in leaves]
        norms = [each for each in norms if each[0]]
        dims = max((each[2] for each in norms), default=0)
        alike = sorted(each for each in norms if each[2] == dims)
        if len(alike) < 2 or alike[-1][0] < MUCH * alike[0][0]:
            return None
        ratio, shown = times(alike[-1][0] / alike[0][0]), {tensor for _, tensor, _ in alike}
        told = f"{self._name(alike[0][1])}'s gradient is {ratio} times smaller than {self._name(alike[-1][1])}'s"
        kind = {0: "numbers", 1: "vectors", 2: "matrices"}.get(dims, "weights of one kind")
        short = f"Of the {kind}, the largest gradient is {ratio} times the smallest"
        of = "" if len(alike) == len(norms) else f" of {kind}"
        sub = said(*self._norms([leaf for leaf in leaves if leaf[0] in shown], of))
        return Headline(told, short, sub, is_weak=True)

    def _norms(self, leaves: list[Leaf], of: str = "") -> Iterator[str | Run]:
        norms = sorted((norm_of(facts.grad) or 0.0, tensor) for tensor, _, facts in leaves)
        if norms:
            low, high = norms[0], norms[-1]
            yield from (f"norms of .grad{of}: from ", figure(low[0], 3), " of ", Run(self._name(low[1]), NAME))
            yield from (" to ", figure(high[0], 3), " of ", Run(self._name(high[1]), NAME)) if low != high else ()

    def _plain(self, state: GraphState, leaves: list[Leaf]) -> Headline:
        """What is in `.grad`, as it is; what is kept, where there is none."""
        here = [(self._name(tensor), facts.grad) for tensor, _, facts in leaves]
        numbers = [(name, number_of(value)) for name, value in here]
        if not here:
            return self._no_grad(state)
        if (moved := self._moved(state)) is not None:
            return Headline(moved.text, moved.short, said(*self._norms(leaves)))
        if len(here) <= 3 and all(number is not None for _, number in numbers):
            told = [f"{name}.grad = {figure(number)}" for name, number in numbers]
            return Headline(", ".join(told), ", ".join(told[:1]))
        if len(here) == 1:
            return Headline(f"{here[0][0]}.grad {is_now(here[0][1])}")
        runs = [Run(f"{name} {short_of(value)}   ", hue(value)) for name, value in here[:6]]
        return Headline(f"{counted(len(here)).capitalize()} leaves have their gradient", sub=said(*runs))

    def _moved(self, state: GraphState) -> Headline | None:
        """What an optimizer has done since the last pass."""
        done = self._passes.passes_until(state.step)
        steps = [step for step in self._passes.moves if done and done[-1].end < step <= state.step]
        update = self._passes.update_at(steps[-1]) if steps else None
        if update is None:
            return None
        count = len(update.moved)
        if update.against:
            return Headline("Each weight has moved against its gradient" if count > 1 else "The weight has moved")
        weights = f"{counted(count)} weight{'s have' if count > 1 else ' has'} moved"
        return Headline(f"{update.kind} has taken its step: {weights}", f"{update.kind} has taken its step")

    def _no_grad(self, state: GraphState) -> Headline:
        done, nodes = self._passes.passes_until(state.step), len(self._history.op_of_node)
        if moved := self._passes.all_downhill(state.step):
            each = "Each weight" if len(moved) > 1 else self._name(moved.pop())
            return Headline(f"{each} has moved against its gradient, which is cleared", f"{each} has moved")
        unseen = [name for name, tensor in state.tensors.items() if tensor.grad is not None]
        if unseen:
            return Headline(f"{self._called.grad(unseen[0])} was written through another tensor: it is not known")
        if any(tensor.had_grad for tensor in state.tensors.values()):
            return Headline(
                "Each .grad is cleared again: the next backward begins from nothing", "Each .grad is cleared again"
            )
        if done:
            return Headline("Backward is done, and nothing is left in a .grad")
        if not nodes:
            return Headline("No node is recorded: backward has nowhere to go")
        held = sum(slot.tensor is not None for node in state.nodes.values() for slot in node.slots)
        nodes_text = f"{counted(nodes)} node{'s' * (nodes > 1)}".capitalize()
        stand = f"{nodes_text} {'wait' if nodes > 1 else 'waits'} for backward"
        return Headline(f"{stand}, with {counted(held)} saved tensor{'s' * (held != 1)}", stand)


def _only(values: tuple[Value | None, ...]) -> Value | None:
    return values[0] if len(values) == 1 else None


def _turns(norms: list[float | None]) -> tuple[Run, ...]:
    """The gradient's size at some of the turns, from the last to the first, both of which are told."""
    last = len(norms) - 1
    places = dict.fromkeys(round(last * share / 4) for share in (4, 3, 2, 1, 0))
    shown = [figure(norm, 2) for place in places if (norm := norms[place]) is not None]
    return said("from the last turn to the first: ", ", ".join(shown))


def _root(each: Pass) -> float | None:
    return number_of(each.values[0]) if len(each.values) == 1 else None
