"""The lesson of a whole backward pass, or of a whole run: the first of these that is there, and known to be true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from autograd_lab.events import Value
from autograd_lab.view.graph.facts.history import Op
from autograd_lab.view.graph.facts.passes import Pass
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.words.by_hooks import hooked, ran_again
from autograd_lab.view.graph.words.fading import faded
from autograd_lab.view.graph.words.idle import left_out, saturated, unreached
from autograd_lab.view.graph.words.losses import Reached, leads_through, reached_by
from autograd_lab.view.graph.words.meeting import adds_up
from autograd_lab.view.graph.words.plainly import Leaf, Plainly
from autograd_lab.view.graph.words.wavefront import paths
from autograd_lab.view.kit.figure import (
    counted,
    figure,
    is_bad,
    is_zero,
    listed,
    norm_of,
    number_of,
    short_of,
    times,
)
from autograd_lab.view.kit.headline import Headline, said

MUCH = 10.0
"""Weights' gradients that are so many times apart are a lesson."""
FAR = 1000.0
"""And that many times apart one that no other takes the place of."""


class Lesson(Plainly):
    """What the passes that are over have taught."""

    def at(self, state: GraphState) -> Headline:
        """The lesson that a state holds."""
        leaves = list(self._leaves(state))
        tellers: tuple[Callable[[GraphState, list[Leaf]], Headline | None], ...] = (
            self._broken, self._learnt, self._updated, self._ran_through, self._heaped, self._ran_into,
            self._hooked, self._own, self._faded, self._met, self._second, self._again, self._blocked,
            self._left_out, self._unreached, self._saturated, self._apart,
        )  # fmt: skip
        told = (teller(state, leaves) for teller in tellers)
        return next((headline for headline in told if headline is not None), None) or self._plain(state, leaves)

    def _leaves(self, state: GraphState) -> Iterator[Leaf]:
        """What has a gradient, by its name, with its AccumulateGrad, in the order of the program."""
        nodes = {node.leaf: node for node in state.nodes.values() if node.leaf is not None and node.passed}
        for tensor, facts in state.tensors.items():
            if tensor in nodes and facts.grad is not None and state.grad_is_known(tensor):
                yield tensor, nodes[tensor], facts

    def _broken(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """A gradient that is not finite, and the node that made it so."""
        bad = [tensor for tensor, _, facts in leaves if is_bad(facts.grad)]
        if not bad:
            return None
        number = number_of(state.tensors[bad[0]].grad)
        here = f"{self._called.grad(bad[0])} is {'not finite' if number is None else figure(number)}"
        source = self._origin(state, bad[0], is_bad)
        if not source or any(map(is_bad, self._came_to(state, source))):  # else it came up before, in forward
            return Headline(here)
        return Headline(f"{here}: it came up at {self._called.node(source)}", here)

    def _came_to(self, state: GraphState, node: str) -> Iterator[Value | None]:
        """What an op was given, by its node."""
        op = self._history.op_of_node.get(node)
        for use in [] if op is None else self._history.ops[op].uses:
            if use.operand.tensor is not None and use.operand.tensor in state.tensors:
                yield state.tensors[use.operand.tensor].value

    def _origin(self, state: GraphState, tensor: str, kind: Callable[[Value | None], bool]) -> str:
        """The one node that has made a gradient of this kind of one that was not, on all ways to a leaf."""
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
        return found.pop() if len(found) == 1 else ""

    def _ran(self, state: GraphState) -> list[Op]:
        """The ops that took part in the current pass, the last of the program first."""
        ops, nodes = self._history.ops, state.nodes
        found = [
            op
            for node, op in self._history.op_of_node.items()
            if getattr(nodes.get(node), "passed", None) == state.current
        ]
        return [ops[op] for op in reversed(found)]

    def _learnt(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """What became of the loss in the course of several optimizer steps."""
        done = self._passes.passes_until(state.step)
        between = [step for step in self._passes.moves if done and done[0].end < step < done[-1].start]
        first, last = (_root(done[0]), _root(done[-1])) if between else (None, None)
        if first is None or last is None or len({self.root_name(each) for each in done}) != 1:
            return None
        name, way = self.root_name(done[-1]) or "What backward began at", "falls" if last < first else "rises"
        if first == last:
            return Headline(f"{name} stays at {figure(last)} in {counted(len(done))} iterations")
        told = f"{name} {way} from {figure(first, 3)} to {figure(last, 3)}"
        return Headline(f"{told} in {counted(len(done))} backward passes", told, said(*self._norms(leaves)))

    def root_name(self, each: Pass) -> str | None:
        """The variable that a pass began at."""
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

    def _updated(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """An optimizer that moved some of what has a gradient, as the one of a generator, and left the rest."""
        update = self._last_update(state)
        if update is None or not update.moved:
            return None
        rest = [tensor for tensor, _, _ in leaves if not self._passes.is_used(tensor, update)]
        if not rest:
            return None
        moved, left = self._called.several(list(update.moved)), self._called.several(rest)
        who = update.call or update.kind
        told, how = f"{who} has moved {moved}", ", each against its gradient" * update.is_against
        short, sub = (
            f"{told}{how}" if len(update.moved) > 1 else told,
            said(f"{left} got a gradient, too, which this step does not use"),
        )
        own, others = self._models(list(update.moved)), self._models(rest)
        if own and others and own != others and leads_through(self._history, list(update.moved), rest):
            end = f", and leaves {others} unmoved"
            return Headline(f"{told}{end}", f"{who} has moved {own}{end}", sub)
        return Headline(f"{told}, and leaves {left}", short, sub)

    def _models(self, tensors: Sequence[str]) -> str:
        """The models, or the one module, that all of these are parameters of, in words; nothing if some are of none."""
        models = list(dict.fromkeys(map(self._called.model, tensors)))
        if len(models) == 1 and all(models):
            return self._called.holder(self._called.labels(tensors))
        return listed(models) if all(models) else ""

    def _ran_through(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """Of several losses, the one that ran back last, through a network that it does not move."""
        reached = self._reached(state, leaves)
        return None if reached is None else reached.told_through()

    def _ran_into(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """Of several losses, the one that ran back last, and into which networks."""
        reached = self._reached(state, leaves)
        return None if reached is None else reached.told(self._called.models)

    def _reached(self, state: GraphState, leaves: list[Leaf]) -> Reached | None:
        done = self._passes.passes_until(state.step)
        return reached_by(self._history, self._passes, done[-1], self.root_name, self._called, leaves) if done else None

    def _hooked(self, state: GraphState, _: list[Leaf]) -> Headline | None:
        """What a hook made of a gradient in the last pass."""
        return hooked(state, self._history, self._called, self._begun(state))

    def _own(self, state: GraphState, _: list[Leaf]) -> Headline | None:
        """What the backward of a Function that somebody wrote made of the gradient in the last pass."""
        for op in self._ran(state):
            if op.node is None or not self._called.is_own(op):
                continue
            came, went = state.nodes[op.node].gathered, [each for each in state.nodes[op.node].sent if each is not None]
            if len(came) == 1 and came[0] is not None and len(went) == 1:
                told = f"Your backward of {self._called.word(op)}"
                return Headline(f"{told} makes {short_of(went[0])} of {short_of(came[0])}", is_weak=True)
        return None

    def _faded(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """How the gradient fades, or grows, on its way back through the turns of a loop."""
        for _, node, _ in leaves:
            if node.passed == state.current:
                arrivals = self._meetings.at(state, self._leaf_node(node.leaf))
                ops = [self._history.ops[self._history.op_of_node[each.node]] for each in arrivals]
                if (found := faded(ops, state, self._history, self._called)) is not None:
                    return found
        return None

    def _left_out(self, state: GraphState, _: list[Leaf]) -> Headline | None:
        """A module that took no part, so that its weights get nothing."""
        begun = self._begun(state)
        return left_out(self._history, self._called, begun) if begun else None

    def _unreached(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """A leaf that the last pass could not reach, while it reached others."""
        done = self._passes.passes_until(state.step)
        reached = {tensor for tensor, _, _ in leaves} & done[-1].reached if done else ()
        loss = (self.root_name(done[-1]) or "the loss") if done else ""
        return unreached(self._history, done[-1].start, loss) if reached else None

    def _saturated(self, state: GraphState, _: list[Leaf]) -> Headline | None:
        """An op of the last pass that is flat where it stands."""
        return saturated(self._ran(state), state, self._history, self._called)

    def _begun(self, state: GraphState) -> int:
        """The step at which the last pass that is over began."""
        done = self._passes.passes_until(state.step)
        return done[-1].start if done else 0

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
        found_so = paths(self._called.grad(tensor), parts, grad)
        return replace(found_so, is_weak=number_of(grad) is None)

    def _second(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """A backward pass that went through a backward pass."""
        if not self._passes.is_any_recorded or not any(self._passes.is_second(op.born) for op in self._ran(state)):
            return None
        scalar = [(self._name(tensor), number_of(facts.grad)) for tensor, _, facts in leaves]
        told = "backward went through a backward pass"
        if scalar and scalar[0][1]:
            return Headline(f"{scalar[0][0]}.grad = {figure(scalar[0][1])}: {told}", told.capitalize())
        return Headline(f"The last {told.replace('went', 'pass went', 1).removeprefix('backward ')}", told.capitalize())

    def _again(self, state: GraphState, _: list[Leaf]) -> Headline | None:
        """What the last pass ran once more, maybe with a pass of its own inside."""
        done = self._passes.passes_until(state.step)
        begun = min((each.start for each in done if each.end >= done[-1].start), default=0)
        return ran_again(self._history, begun) if begun else None

    def _blocked(self, state: GraphState, leaves: list[Leaf]) -> Headline | None:
        """A gradient of nothing but zeros, and the node that let nothing past."""
        zero = [tensor for tensor, node, facts in leaves if is_zero(facts.grad) and node.passed == state.current]
        if not zero:
            return None
        here, source = f"{self._called.grad(zero[0])} is exactly 0", self._origin(state, zero[0], is_zero)
        return Headline(f"{here}: {self._called.node(source)} lets nothing past" if source else here, here)

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
        return Headline(told, short, sub, is_weak=alike[-1][0] < FAR * alike[0][0])


def _root(each: Pass) -> float | None:
    return number_of(each.values[0]) if len(each.values) == 1 else None
