"""What is said of a pass, or of a run, without a lesson of its own: what is in `.grad`, what an optimizer did."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.passes import Passes, Update
from autograd_lab.view.graph.facts.state import GraphState, NodeState, TensorState
from autograd_lab.view.graph.words.called import Called
from autograd_lab.view.graph.words.idle import frozen
from autograd_lab.view.graph.words.main_path import main_path_to
from autograd_lab.view.graph.words.meeting import Meetings
from autograd_lab.view.graph.words.multiplied import chained, multiplied
from autograd_lab.view.kit.figure import counted, figure, hue, is_now, listed, norm_of, number_of, short_of
from autograd_lab.view.kit.headline import NAME, Headline, Run, said

Leaf = tuple[str, NodeState, TensorState]
"""What has a gradient: its id, its AccumulateGrad, what it holds."""


class Plainly:
    """Says what is there."""

    def __init__(self, history: History, called: Called, meetings: Meetings, passes: Passes) -> None:
        self._history, self._called, self._meetings, self._passes = history, called, meetings, passes

    def _plain(self, state: GraphState, leaves: list[Leaf]) -> Headline:
        """What is in `.grad`, as it is; what is kept, where there is none."""
        here = [(self._name(tensor), facts.grad) for tensor, _, facts in leaves]
        numbers = [(name, number_of(value)) for name, value in here]
        if not here:
            return self._no_grad(state)
        if (moved := self._moved(state)) is not None:
            asleep = frozen(self._history, self._called)
            return Headline(moved.text, moved.short, said(asleep) if asleep else said(*self._norms(leaves)))
        told = [f"{name}.grad = {figure(number)}" for name, number in numbers if number is not None]
        are_few = len(told) == len(here) <= 3
        if by_hand := self._downhill(state):
            return Headline(by_hand, sub=said(", ".join(told)) if are_few else said(*self._norms(leaves)))
        if len(here) == 1 and (chain := chained(self._leaf_node(leaves[0][1].leaf), state, self._meetings)):
            return multiplied(f"{here[0][0]}.grad", chain)
        if are_few:
            return Headline(", ".join(told), ", ".join(told[:1]))
        told = [f"{name}.grad {is_now(value)}" for name, value in here]
        if len(here) == 2 and not any("norm" in each for each in told):
            return Headline(", ".join(told), told[0])
        if len(here) == 1:
            return Headline(f"{here[0][0]}.grad {is_now(here[0][1])}")
        return self._largest(state, leaves)

    def _largest(self, state: GraphState, leaves: list[Leaf]) -> Headline:
        """The module, or the leaf, with the largest gradient; of a leaf, the path by which most of it came."""
        if (by_module := self._of_modules(leaves)) is not None:
            return by_module
        norms = [(norm_of(facts.grad) or 0.0, tensor, node) for tensor, node, facts in leaves]
        norm, tensor, node = max(norms, key=lambda each: each[0])
        name, of_node = self._name(tensor), self._leaf_node(node.leaf)
        if not norm or sum(each[0] == norm for each in norms) > 1:
            runs = [
                Run(f"{self._name(tensor)} {short_of(facts.grad)}   ", hue(facts.grad)) for tensor, _, facts in leaves
            ]
            return Headline(f"{counted(len(leaves)).capitalize()} leaves have their gradient", sub=said(*runs[:6]))
        path = main_path_to(of_node, state, self._history, self._called, self._meetings)
        told, number = f"Of all leaves, {name} gets most gradient", number_of(state.tensors[tensor].grad)
        size = figure(norm, 3) if number is None else figure(number, 3)
        least, other, _ = min(norms, key=lambda each: each[0])
        end = ("; least, ", figure(least, 3), ", goes to ", Run(self._name(other), NAME))
        sub = said("most of it by ", Run(path, NAME), *end) if path else said(*self._norms(leaves))
        return Headline(f"{told}: {'norm ' * (number is None)}{size}", told, sub, is_weak=True)

    def _of_modules(self, leaves: list[Leaf]) -> Headline | None:
        """The module whose parameters together get most, as its card says; nothing where there are none, or one."""
        norms: dict[str, float] = defaultdict(float)
        for tensor, _, facts in leaves:
            module, dot, _ = self._name(tensor).rpartition(".")
            if not dot:
                return None
            norms[module] = math.hypot(norms[module], norm_of(facts.grad) or 0.0)
        if len(norms) < 2 or any(one.startswith(f"{other}.") for one in norms for other in norms):
            return None  # of two, one of which is in the other, "most" says nothing
        (least, low), *_, (most, high) = sorted(norms.items(), key=lambda each: each[1])
        if high == low:
            return None
        told = f"Of all modules, {most} gets most gradient"
        sub = said("norms over a module's own parameters; least, ", figure(low, 3), ", goes to ", Run(least, NAME))
        return Headline(f"{told}: norm {figure(high, 3)}", told, sub, is_weak=True)

    def _moved(self, state: GraphState) -> Headline | None:
        """What an optimizer has done since the last pass."""
        if (update := self._last_update(state)) is None:
            return None
        count = len(update.moved)
        if update.against:
            short = f"{update.kind} has moved {self._called.several(list(update.moved))}"
            how = f", {'each ' * (count > 1)}against its gradient" * update.is_against
            return Headline(f"{short}{how}", short)
        moved = f"{counted(count)} parameter tensor{'s have' if count > 1 else ' has'} moved"
        return Headline(f"{update.kind} has taken its step: {moved}", f"{update.kind} has taken its step")

    def _downhill(self, state: GraphState) -> str:
        """What the program has done to its weights by hand since the last pass, if that is known."""
        done = self._passes.passes_until(state.step)
        moved = {tensor for step, tensor in self._passes.moves.items() if done and done[-1].end < step <= state.step}
        if not moved or not moved <= self._passes.all_downhill(state.step):
            return ""
        return f"{'Each weight' if len(moved) > 1 else self._name(moved.pop())} has moved against its gradient"

    def _last_update(self, state: GraphState) -> Update | None:
        """What an optimizer has done since the last pass, if one has."""
        done = self._passes.passes_until(state.step)
        steps = [step for step in self._passes.moves if done and done[-1].end < step <= state.step]
        return self._passes.update_at(steps[-1]) if steps else None

    def _no_grad(self, state: GraphState) -> Headline:
        done = self._passes.passes_until(state.step)
        if moved := self._passes.all_downhill(state.step):
            each = "Each weight" if len(moved) > 1 else self._name(moved.pop())
            return Headline(f"{each} has moved against its gradient, which is cleared", f"{each} has moved")
        unseen = [
            name for name, tensor in state.tensors.items() if tensor.grad is not None and not state.grad_is_known(name)
        ]
        if unseen:
            return Headline(f"{self._called.grad(unseen[0])} was written through another tensor: it is not known")
        if any(tensor.had_grad and tensor.grad is None for tensor in state.tensors.values()):
            return Headline(
                "Each .grad is cleared again: the next backward begins from nothing", "Each .grad is cleared again"
            )
        if done:
            return self._returned(state) or Headline("Backward is done, and nothing is left in a .grad")
        return self.waiting(state)

    def waiting(self, state: GraphState) -> Headline:
        """What forward has left for backward."""
        nodes = sum(not node.released and node.leaf is None for node in state.nodes.values())
        if not nodes:
            return Headline("No node is recorded: backward has nowhere to go")
        held = sum(slot.tensor is not None for node in state.nodes.values() for slot in node.slots)
        ops = f"{counted(nodes)} op{'s' * (nodes > 1)}".capitalize()
        stand = f"{ops} {'wait' if nodes > 1 else 'waits'} for backward"
        return Headline(f"{stand}, with {counted(held)} saved tensor{'s' * (held != 1)}", stand)

    def _returned(self, state: GraphState) -> Headline | None:
        """The gradients that the last pass has given back to the program."""
        given = self._history.returning.found
        back = [(box.label, value) for box in self._history.boxes.values()
                if (value := given.get(box.leaf_node or "", {}).get(state.current)) is not None]  # fmt: skip
        if not back:
            return None
        sub = said("torch.autograd.grad returns gradients and adds nothing to a .grad")
        if len(back) == 1:
            (name, value), number = back[0], number_of(back[0][1])
            size = f"of norm {figure(norm_of(value) or 0.0, 3)}" if number is None else figure(number)
            told = f"{self._called.path(name) or 'A leaf'}'s gradient"
            return Headline(f"{told}, {size}, is returned to the program", f"{told} is returned", sub)
        names = listed([self._called.path(name) for name, _ in back if name], 3)
        told = f"The gradients of {names}" if len(back) <= 3 else f"The gradients of {counted(len(back))} leaves"
        return Headline(
            f"{told} are returned to the program", f"{counted(len(back)).capitalize()} gradients are returned", sub
        )

    def _norms(self, leaves: list[Leaf], of: str = "") -> Iterator[str | Run]:
        norms = sorted((norm_of(facts.grad) or 0.0, tensor) for tensor, _, facts in leaves)
        if len(norms) == 1:
            yield from ("norm of ", Run(f"{self._name(norms[0][1])}.grad", NAME), f": {figure(norms[0][0], 3)}")
        elif norms:
            low, high = norms[0], norms[-1]
            yield from (f"norms of .grad{of}: from ", figure(low[0], 3), " of ", Run(self._name(low[1]), NAME))
            yield from (" to ", figure(high[0], 3), " of ", Run(self._name(high[1]), NAME)) if low != high else ()

    def _name(self, tensor: str) -> str:
        return self._called.tensor(tensor) or "an unnamed tensor"

    def _leaf_node(self, tensor: str | None) -> str:
        lives = self._history.lives.get(tensor or "", ())
        return next((name for name in (self._history.boxes[box].leaf_node for box in lives) if name), "")
