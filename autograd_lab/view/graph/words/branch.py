"""What a branch of a picture is called as a whole: by its module, or by what the layers in it are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.facts.call import Call

LAYERS = {"Conv": "convolution", "Linear": "linear layer", "MultiheadAttention": "attention layer"}
"""Layers as people call them, by how the names of their classes begin."""
BLOCK = "the block"


@dataclass(frozen=True, slots=True)
class Branches:
    """Names branches; `title` is what stands on a card."""

    cards: Cards
    title: Callable[[Card], str]

    def name(self, branch: Sequence[Card]) -> str:
        """A branch in a sentence: `attn`, `the convolutions`, the title of its only card, `the block`."""
        calls = self._calls(branch)
        layers = [call for call in calls if call.parameters and not any(each.parent == call.number for each in calls)]
        kinds = {next((word for start, word in LAYERS.items() if call.type.startswith(start)), "") for call in layers}
        if module := self._module(branch, calls):
            return module
        if len(kinds) == 1 and (kind := kinds.pop()):
            return f"the {kind}{'s' * (len(layers) > 1)}"
        title = self.title(branch[0]) if len(branch) == 1 else ""
        return title if any(map(str.isalnum, title)) else BLOCK

    def _calls(self, branch: Sequence[Card]) -> list[Call]:
        """The module calls that have an op in a branch, but for those that only normalize."""
        places = [int(op.id[1:]) for card in branch for op in card.ops]
        calls = (call for call in self.cards.history.calls if any(call.start <= place < call.end for place in places))
        return [call for call in calls if "Norm" not in call.type]

    def _module(self, branch: Sequence[Card], calls: Sequence[Call]) -> str:
        """The largest module with a name that has all layers of a branch, and nothing beyond it."""
        own = {int(op.id[1:]) for card in branch for op in card.ops}
        whole = [call for call in calls if own.issuperset(range(call.start, call.end)) and call.parameters]
        top = [call for call in whole if call.parent not in {each.number for each in whole}]
        path = top[0].path if len(top) == 1 else ""
        return path if path and not path.rpartition(".")[2].isdigit() else ""
