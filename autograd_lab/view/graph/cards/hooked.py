"""Where hooks stand: that of a tensor on the only line that leaves its card, all others on their card."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from autograd_lab.view.graph.cards.card import Card, Cards, Wire
from autograd_lab.view.graph.facts.hooking import AFTER, HOOK, TENSOR, HookCall, change_by_hook, word_for


def hook_on(wire: Wire, cards: Cards) -> list[HookCall]:
    """The calls of the hook of a tensor that stands on its line, if it does."""
    card = cards.cards.get(wire.source)
    if card is None or not card.ops or not wire.edges or card.box is None or card.box.op is None:
        return []
    node = cards.history.ops[card.box.op].node or ""
    calls = [call for call in cards.history.hooks.get(node, ()) if call.event.hook == TENSOR]
    if not calls or len(cards.wires_from(card.id)) > 1:
        return []
    steps = [call.step for call in calls]
    follow = any(later - step <= 1 for step, later in pairwise(steps))  # several hooks, one by one
    return [] if follow else calls


class Hooks(NamedTuple):
    """What hooks of a kind did, in words, what is said of them until then, and the step at which the first has run."""

    did: str
    name: str
    ran: int


def as_far_as(step: int, text: str, card: Card, cards: Cards) -> str:
    """A text that says what the hooks of a card did, as of a step: of one that has yet to run, that it is there."""
    for hooks in hooks_on(card, cards) if HOOK in text else ():
        text = text.replace(hooks.did, hooks.name) if step < hooks.ran else text
    return text


def hooks_on(card: Card, cards: Cards) -> Iterator[Hooks]:
    """The other hooks of a card."""
    nodes = [op.node for op in card.ops if op.node]
    if not card.ops and card.box is not None and card.box.leaf_node is not None:
        nodes = [card.box.leaf_node]
    nodes = [node for node in nodes if node in cards.history.hooks]
    drawn = {id(call) for wire in cards.wires_from(card.id) for call in hook_on(wire, cards)} if nodes else set()
    for node in nodes:
        kinds: dict[str, list[HookCall]] = {}
        for call in cards.history.hooks.get(node, ()):
            if id(call) not in drawn:
                kinds.setdefault(call.event.hook, []).append(call)
        for kind, calls in kinds.items():
            did = word_for(calls)
            name = "post-accumulate hook" if kind == AFTER else HOOK
            changed = did == HOOK and len(calls) == 1 and change_by_hook(calls[0].event.before, calls[0].event.after)
            told = f"{name}: {changed}" if changed else name if did == HOOK else f"{name} {did}"
            yield Hooks(told, name, calls[0].step)
