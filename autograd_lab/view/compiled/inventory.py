"""What is ever drawn of a compilation: cards for inputs and operations, lines between them, programs and buffers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lab import events as e
from autograd_lab.view.compiled.look import Texts, card_texts, subjects
from autograd_lab.view.compiled.state import Compilation, after


@dataclass
class Card:
    """An input or an operation, with all that its lines of text ever are: title, detail, marks."""

    id: str
    kind: str
    backward: bool
    texts: list[Texts] = field(default_factory=list)


@dataclass
class Cards:
    """All of a trace, in an order in which it can run."""

    cards: dict[str, Card] = field(default_factory=dict)
    links: dict[tuple[str, str], None] = field(default_factory=dict)
    """Pairs of cards of which one ever takes what the other makes, within forward and within backward."""
    programs: list[e.ProgramWritten] = field(default_factory=list)
    buffers: dict[str, e.BufferPlanned] = field(default_factory=dict)
    tenants: dict[str, list[e.ArrayPlaced]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """The bytes of each array."""
    function: str = ""

    def program_name(self, half: str) -> str:
        """What a program is called: by its half, or as the function if it is the only one."""
        return half.capitalize() if len(self.programs) > 1 else self.function


def cards_of(events: Iterable[e.Event]) -> Cards | None:
    """The cards of a trace, or None if it tells of no compilation."""
    found, state = Cards(), Compilation()
    for event in events:
        if not isinstance(event, e.CompilingEvent):
            continue
        state = after(state, event)
        match event:
            case e.InputDeclared(array=array, is_gradient=backward):
                found.cards[array.id] = Card(array.id, "input", backward)
            case e.OperationCaptured(operation=facts) | e.OperationAdded(operation=facts):
                found.cards[facts.id] = Card(facts.id, "call", facts.backward)
            case e.ProgramWritten():
                found.programs.append(event)
            case e.BufferPlanned(buffer=buffer):
                found.buffers[buffer] = event
            case e.ArrayPlaced(buffer=buffer):
                found.tenants.setdefault(buffer, []).append(event)
        for name in subjects(event, state):
            if name in found.cards:
                _meet(found, found.cards[name], state)
    found.function = state.function
    found.sizes = {name: array.facts.nbytes for name, array in state.arrays.items()}
    return found if found.cards else None


def _meet(found: Cards, card: Card, state: Compilation) -> None:
    """Take down how a card looks now, and what it is joined to."""
    texts = card_texts(card.kind, card.id, state)
    if texts not in card.texts:
        card.texts.append(texts)
    if card.kind == "call" and not state.operations[card.id].gone:
        for array in state.operations[card.id].facts.operands:
            source = found.cards[state.owner(array)]
            if source.backward is card.backward and source is not card:
                found.links[source.id, card.id] = None
