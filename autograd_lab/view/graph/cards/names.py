"""Names: what is written on a card. The user's word comes first, else the formula; PyTorch's name is the fine print."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.cards.ground import VIEWS, in_order, is_said, word_of
from autograd_lab.view.graph.cards.terms import CALL, Terms, made_by, says_little, signs
from autograd_lab.view.graph.cards.turn_counter import Counting, counter_of_turns
from autograd_lab.view.graph.cards.written import is_write
from autograd_lab.view.graph.facts.call import Call
from autograd_lab.view.graph.facts.history import Box, Op
from autograd_lab.view.graph.facts.labels import in_call, numbered
from autograd_lab.view.kit.signs import base_of
from autograd_lab.view.languages.speaking import translated

TO = "–"
"""From the first to the last of a row."""
LINE = 20
"""Characters of a line that writes in place, which is written as it is."""
SHORT = 18
"""Characters of a path, or of an expression, that is a title as it is."""


@dataclass(frozen=True, slots=True)
class Words:
    """The title of a card, what it does if that is not the title, and how PyTorch calls it.

    Of what is written in place `before` is what made it. Where the formula is too long `brief` has its signs.
    On an axis, as of the turns of a loop, its first card says what is counted, and the others have a `label` of their
    own without that.
    """

    title: str
    formula: str = ""
    fine: str = ""
    before: str = ""
    brief: str = ""
    label: str = ""


class Names:
    """The words for all cards of one folding; those for tensors are the same in all foldings of a window."""

    def __init__(self, cards: Cards) -> None:
        self._cards, self._found = cards, cards.ground.found
        in_turns = dict(_in_turns(cards))
        self._values = {**_words(cards), **in_turns} if in_turns else _words(cards)
        self._is_common = self._values is self._found.get(Names)
        """Whether tensors are called as in most other foldings, and so what is made of them."""
        self._around, self._sizes = cards.ground.around, cards.ground.sizes

    @property
    def _terms(self) -> Terms:
        return Terms(self._cards.history, self.value)

    def value(self, box: Box) -> str:
        """What a tensor is called here; nothing if the user has not named it. An item of a tensor is called as such."""
        return self._values.get(box.facts.id) or (box.label if is_said(box) and not word_of(box) else "")

    def of(self, card: Card) -> Words:
        """What is written on a card."""
        if not self._is_common or card.kind == "turn" or (card.kind == "module" and len(self._main(card)) > 1):
            return self._of(card)
        key = Words, id(card)
        if key not in self._found:
            self._found[key] = card, self._of(card)  # with the card, so that no other has its id
        words: Words = self._found[key][1]
        return words

    def _of(self, card: Card) -> Words:
        match card.kind:
            case "leaf":
                return Words(_tensor(card, self.value), _shape(card.box), "AccumulateGrad")
            case "data":
                return Words(_tensor(card, self.value), _shape(card.box), translated("no gradient", "card"))
            case "turn":
                return self._turn(card)
            case "stack" if card.call is not None:
                first, last = card.call.name, _last_of_stack(card, self._cards.history.calls).name
                return Words(card.call.type, f"{first} … {last}", _fine(card))
            case "module" if card.call is not None:
                return self._module(card, card.call)
        return self._op(card)

    def _op(self, card: Card) -> Words:
        last = card.ops[-1]
        formula = self._terms.term(card.ops, last)
        title = self._several(card.parts) or (self.value(card.box) if card.box is not None and not card.parts else "")
        if card.call is not None and len(card.ops) == 1 and says_little(last):
            formula = card.call.type.lower()  # a dropout is a product, a flattening a view
        if is_write(last):
            before = self._before(card)
            if title or before:
                return Words(title or before, self._written(card, formula), _fine(card), before * bool(title))
            formula = f"{formula}, in place"
        return Words(title, formula, _fine(card)) if title else Words(formula, "", _fine(card))

    def _several(self, parts: Sequence[Box]) -> str:
        """What the parts are called that an op makes, if all have a name; of many the first and the last."""
        names = list(map(self.value, parts))
        whole = ", ".join(names)
        return "" if not all(names) else whole if len(whole) <= SHORT else f"{names[0]} … {names[-1]}"

    def _written(self, card: Card, formula: str) -> str:
        """`h.add_(1)`, as the program says it, if that is short; else what was done."""
        where = card.ops[-1].event.where
        line = where.text.strip() if where is not None else ""
        return line if line and len(line) <= LINE else f"{formula}, in place"

    def _before(self, card: Card) -> str:
        """What a tensor without a name was before it was written."""
        kept = tuple(op for op in card.ops if not is_write(op) and base_of(op.name) not in VIEWS)
        return self._terms.term(kept, kept[-1]) if kept else ""

    def _module(self, card: Card, call: Call) -> Words:
        """`fc1`, `Linear 3→4 · relu`."""
        main = self._main(card)
        if len(main) > 1:
            if (parent := _around(main)) and self._parents[parent] == 1:
                title = _place(parent, f"{main[0].root}.{parent}" if main[0].root else parent)
                return Words(title, f"{_last(main[0])} … {_last(main[-1])}", _fine(card))
            kinds = {each.type for each in main}
            which = f"× {kinds.pop()}" if len(kinds) == 1 else "modules"
            row = self._row(card, main[0])
            title = row if TO in row else f"{_path(main[0])} … {_path(main[-1])}"
            told, between = f"{len(main)} {which}", self._between(card, main)
            return Words(title, f"{told}, {between}" if between else told, _fine(card), brief=told)
        call = main[0] if main else call
        title, kind = self._row(card, call), _kind(card, call)
        others = signs(self._others(card, call))
        does = [kind] if kind != _path(call) else []
        is_other = self._is_joined(card, call) or self._is_loss(card)
        if is_other and card.box is not None and (value := self.value(card.box)):
            own = _last(call) or _path(call)
            return Words(value, ", ".join(filter(None, [own, others])), _fine(card), brief=own)
        brief = self.after(card) or others
        return Words(title, ", ".join([*does, *filter(None, [others])]), _fine(card), brief=f"+ {brief}" * bool(brief))

    def _row(self, card: Card, call: Call) -> str:
        """`net.18`; with the activation after it `net.18–19`, where both are of one row."""
        whole = self._whole(card)
        places = [each.path.rpartition(".") for each in whole]
        is_row = len({(each.root, place[0]) for each, place in zip(whole, places, strict=True)}) == 1
        if len(whole) < 2 or not is_row or not all(place[2].isdigit() for place in places):
            return _path(call)
        return f"{_path(whole[0])}{TO}{places[-1][2]}"

    @staticmethod
    def _between(card: Card, main: list[Call]) -> str:
        """What a card does after each of its modules, as an activation, if that is the same."""
        number = [int(op.id[1:]) for op in card.ops]
        others = [
            op for op, n in zip(card.ops, number, strict=True) if not any(each.start <= n < each.end for each in main)
        ]
        words = {signs([op]) for op in others}
        return words.pop() if len(words) == 1 and len(others) + 1 >= len(main) else ""

    @staticmethod
    def _others(card: Card, call: Call) -> list[Op]:
        """The ops of a card that the module it is called by does not run."""
        return [op for op in card.ops if not call.start <= int(op.id[1:]) < call.end]

    def after(self, card: Card) -> str:
        """What a card of a module does last, if that comes after the module, as an activation: the gradient of what the
        card gives on is that one's."""
        if card.kind != "module" or card.call is None or len(main := self._main(card)) > 1:
            return ""
        call = main[0] if main else card.call
        later = [op for op in self._others(card, call) if int(op.id[1:]) >= call.end]
        word = signs(later[-1:])
        return word if re.fullmatch(r"[a-z][\w ]*", word) and not self._is_joined(card, call) else ""

    def _is_joined(self, card: Card, call: Call) -> bool:
        """Whether what a module gives is added to something else in its card: then that is no more the module's."""
        return any(int(op[1:]) >= call.end for op in self._entries.get(card.id, ()))

    def _is_loss(self, card: Card) -> bool:
        """Whether backward begins at what a module without weights gives."""
        return not card.params and card.ops[-1].node in self._cards.history.roots

    @cached_property
    def _entries(self) -> dict[str, list[str]]:
        """The ops that gradients leave each card from."""
        found: dict[str, list[str]] = {}
        for wire in self._cards.wires:
            ops = (self._cards.history.op_of_node[node] for node, _ in wire.edges)
            found.setdefault(wire.target, []).extend(ops)
        return found

    def _main(self, card: Card) -> list[Call]:
        """The modules in a card that one would name it by."""
        key = Names, card.places
        if key not in self._found:
            whole = self._whole(card)
            self._found[key] = [each for each in whole if each.parameters and "Norm" not in each.type]
        main: list[Call] = self._found[key]
        return main

    @cached_property
    def _parents(self) -> Counter[str]:
        """How many cards have several modules of each module around: of several none is called like that alone."""
        mains = [self._main(card) for card in self._cards.cards.values() if card.kind == "module"]
        return Counter(parent for main in mains if len(main) > 1 and (parent := _around(main)))

    def _whole(self, card: Card) -> list[Call]:
        """The largest module calls that lie wholly in a card."""
        calls = {call.number: call for place in card.places for call in self._around[place]}
        here = Counter([call.number for place in card.places for call in self._around[place]])
        whole = {number for number, count in here.items() if count == self._sizes[number]}
        return [calls[number] for number in sorted(whole) if calls[number].parent not in whole]

    def _turn(self, card: Card) -> Words:
        main = [call for call in self._whole(card) if call.parameters]
        does = card.call.type if card.call is not None else signs(card.ops)
        if len({call.name for call in main}) > 1:
            does = ", ".join(dict.fromkeys(map(_path, main)))
        name, first = self._counter or ("turn", 1)
        begins = card.turn - 1 + first
        last = card.ops[-(len(card.ops) // card.turns) :]
        whole = self._terms.term(last, last[-1]) if card.call is None else does
        if card.turns > 1:
            name += "s" * (name == "turn" and self._counter is None)
            label = f"{begins}–{begins + card.turns - 1}"
            return Words(f"{name} {label}", whole, _fine(card), brief=does, label=label * (card.turn > 1))
        title = self.value(card.box) if card.box is not None else ""
        return Words(title or f"{name} {begins}", whole, _fine(card))

    def is_counted(self, card: Card) -> bool:
        """Whether the title of a turn, or of several, says which it is, and not what it makes."""
        return card.turns > 1 or card.box is None or not self.value(card.box)

    @cached_property
    def _counter(self) -> Counting | None:
        """What the program counts the turns by, if the first card has the first of them."""
        return counter_of_turns(self._cards)


def _words(cards: Cards) -> dict[str, str]:
    """The word for each tensor of the window: the same in all foldings that show none from outside."""
    found, shown = cards.ground.found, {id(box) for box in cards.ground.named}
    boxes = (card.box for card in cards.cards.values())
    if any(box is not None and id(box) not in shown and word_of(box) for box in boxes):
        return dict(_numbered(cards))
    if Names not in found:
        found[Names] = dict(_numbered(cards))
    words: dict[str, str] = found[Names]
    return words


def _numbered(cards: Cards) -> Iterator[tuple[str, str]]:
    """The word for each tensor of the window: numbered from its second bearer on, wherever the window begins."""
    tensors: dict[str, str] = {}
    history = cards.history
    shown = [card.box for card in cards.cards.values() if card.box is not None and word_of(card.box)]
    for box in sorted([*cards.ground.named, *shown], key=in_order):
        tensors.setdefault(box.facts.id, in_call(box.facts, history.callers.get(box.op or "", "")))
    seen: dict[str, int] = {}
    for tensor, word in tensors.items():
        count = seen[word] = seen.get(word, 0) + 1
        yield tensor, numbered(word, count)


def _in_turns(cards: Cards) -> Iterator[tuple[str, str]]:
    """The bare word for what several turns in one card leave: no card has its number."""
    for card in cards.cards.values():
        if card.turns > 1:
            yield from ((box.facts.id, word_of(box)) for op in card.ops for name in op.outputs
                        for box in (cards.history.boxes[name],) if word_of(box))  # fmt: skip


def _tensor(card: Card, value: Callable[[Box], str]) -> str:
    """The name of a leaf or of data: if there is none, what made it, or its shape."""
    assert card.box is not None
    made = CALL.match(card.box.label)
    label = card.box.label if len(card.box.label) <= SHORT else ""
    return value(card.box) or made_by(card.box) or label or (made and made[1]) or _shape(card.box) or "tensor"


def _shape(box: Box | None) -> str:
    return "×".join(map(str, box.facts.shape)) if box is not None else ""


def _path(call: Call) -> str:
    """Where a module is in the model: all of it, if that is short; else from the last place in a row on, or the end."""
    return _place(call.path, call.name) if call.path else call.root or call.type


def _place(path: str, name: str) -> str:
    """A path in short; if it has nothing but numbers, with the `name` of what they count from."""
    parts = path.split(".")
    if all(part.isdigit() for part in parts):
        return name
    if len(path) <= SHORT:
        return path
    rows = [number for number, part in enumerate(parts) if part.isdigit()]
    return ".".join(parts[max(rows[-1] - 1, 0) :]) if rows else parts[-1]


def _around(calls: list[Call]) -> str:
    """The path of the module that they all lie in; nothing if there is no such."""
    around = {each.path.rpartition(".")[0] for each in calls}
    return around.pop() if len(around) == 1 else ""


def _last(call: Call) -> str:
    """What a module is called in the one around it."""
    return call.path.rpartition(".")[2]


def _kind(card: Card, call: Call) -> str:
    """The class of a module, for a linear layer with its sizes."""
    weights = [box.facts.shape for box in card.params if len(box.facts.shape) == 2]
    if call.type != "Linear" or len(weights) != 1:
        return call.type
    return f"Linear {weights[0][1]}→{weights[0][0]}"


def _last_of_stack(card: Card, calls: list[Call]) -> Call:
    assert card.call is not None
    last = int(card.ops[-1].id[1:])
    alike = [c for c in calls if c.parent == card.call.parent and c.type == card.call.type and c.start <= last < c.end]
    return alike[-1] if alike else card.call


def _fine(card: Card) -> str:
    """`MulBackward0 #3`, also of a tensor and the one that wrote it; of more ops how many, and their numbers."""
    if len(card.ops) == 1 or (len(card.ops) == 2 and is_write(card.ops[1])):
        return ", ".join(map(_node, card.ops))
    numbers = [op.number for op in card.ops if op.number is not None]
    which = f" #{min(numbers)}–#{max(numbers)}" if numbers else ""
    return translated(f"{len(card.ops):,} ops") + which


def _node(op: Op) -> str:
    name = op.name.split("::")[-1]
    return name if op.number is None else f"{name} #{op.number}"
