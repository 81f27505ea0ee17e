"""What is written on cards: the user's word, what it computes, PyTorch's name for it."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from autograd_lab import record
from autograd_lab.view.graph.cards.names import Names, Words
from autograd_lab.view.graph.cards.terms import signs
from autograd_lab.view.graph.facts.history import history_of
from tests.view.graph.cards import programs
from tests.view.graph.cards.laws import all_of

WORLDS = ["autograd_lab", "torch"]

TERMS = {
    "a * b": "a · b",
    "a + b": "a + b",
    "a - b": "a − b",
    "1 - a": "1 − a",
    "a / b": "a / b",
    "3 * a": "3 · a",
    "-a": "−a",
    "a ** 2": "a²",
    "a ** 0.5": "a^0.5",
    "W @ a": "W @ a",
    "torch.add(a, b, alpha=2)": "a + 2 · b",
    "torch.exp(a)": "exp(a)",
    "torch.tanh(a)": "tanh(a)",
    "a.sum()": "sum(a)",
    "a.mean()": "mean(a)",
    "torch.sigmoid(a)": "sigmoid(a)",
    "a.clone().mul_(2)": "2 · a, in place",
    "W.t()": "W.t()",
    "torch.addmm(W, W, W)": "W @ W + W",
}


def written(text: str, world: str) -> list[Words]:
    """The words on the cards of a line, after some leaves; the finest folding."""
    torch = autograd_lab if world == "autograd_lab" else pytest.importorskip("torch")
    a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    W = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    names: dict[str, Any] = {"torch": torch, "a": a, "b": b, "W": W}
    with record() as trace:
        exec(compile(text, "<line>", "exec"), names)
        len(trace)
    cards = all_of(trace)[1][0]
    return [Names(cards).of(card) for card in cards.cards.values() if card.ops]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("text", TERMS)
def test_a_value_without_a_name_is_called_by_its_formula(text: str, world: str) -> None:
    words = written(text, world)[-1]
    assert (words.title, words.formula) == (TERMS[text], "")


def test_signs_of_several_ops_are_listed_so_that_none_joins_the_others() -> None:
    torch = autograd_lab
    with record() as trace:
        h, w = torch.ones(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        y = torch.tanh(w @ h + w @ torch.ones(2))
    ops = [op for op in history_of(trace).ops.values() if op.node is not None]
    assert y is not None and signs(ops) == "@, +, tanh"


def test_a_random_factor_without_a_name_is_called_by_what_made_it() -> None:
    torch = autograd_lab
    with record() as trace:
        std = torch.tensor([1.0, 2.0], requires_grad=True)
        z = std * torch.randn_like(std)
    cards = all_of(trace)[1][0]
    words = [Names(cards).of(card) for card in cards.cards.values() if card.ops]
    assert z is not None and words == [Words("z", "std · randn", "MulBackward0 #0")]


def test_a_named_value_has_its_formula_below_its_name_and_then_the_name_of_its_node() -> None:
    torch = autograd_lab
    with record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        y = a * a
        z = y.exp()
        len(trace)
    cards = all_of(trace)[1][0]
    words = [Names(cards).of(card) for card in cards.cards.values()]
    assert z is not None and words == [
        Words("a", "", "AccumulateGrad"),
        Words("y", "a · a", "MulBackward0 #0"),
        Words("z", "exp(y)", "ExpBackward0 #1"),
    ]


@pytest.mark.parametrize("world", WORLDS)
def test_of_what_has_no_name_only_the_known_operand_is_told(world: str) -> None:
    titles = [words.title for words in written("(((a * b) / 4 + b) ** 2).exp()", world)]
    assert titles == ["a · b", "/ 4", "+ b", "( )²", "exp"]


@pytest.mark.parametrize("world", WORLDS)
def test_where_two_things_meet_each_without_a_name_is_called_as_on_its_own_card(world: str) -> None:
    assert [words.title for words in written("(a + b) * (b + 1)", world)][-1] == "(a + b) · (b + 1)"
    assert [words.title for words in written("a * (a * b).exp()", world)][-1] == "a · exp(a · b)"
    assert [words.title for words in written("a * (a * b + a * a).exp()", world)][-1] == "a · exp(…)"
    assert [words.title for words in written("a * (a * b * (a + b))", world)][-1] == "a · ( )", "which would be long"
    assert [words.title for words in written("a ** 2 + b ** 3", world)] == ["a²", "b³", "a² + b³"]


def test_a_module_that_something_is_added_to_in_its_card_leaves_the_name_to_the_sum() -> None:
    with record() as trace:
        programs.narrowing_net(autograd_lab)
    found = [(cards, Names(cards)) for cards in all_of(trace)[1]]
    titles = {words.title: words.formula for cards, names in found for words in map(names.of, cards.cards.values())
              if words.brief == "narrow"}  # fmt: skip
    assert titles == {"x₅": "narrow, +, relu"}


def test_a_module_that_gives_the_loss_bears_the_loss_name_also_in_one_card_with_the_layer_before() -> None:
    torch = autograd_lab
    D = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Sigmoid())
    bce = torch.nn.BCELoss()
    with record() as trace:
        lossG = bce(D(torch.ones(3, 2)), torch.ones(3, 1))
        lossG.backward()
    own = [
        Names(cards).of(card)
        for cards in all_of(trace)[1]
        for card in [*cards.cards.values()][-1:]
        if card.kind == "module" and not card.params
    ]
    assert own and {words.title for words in own} == {"lossG"}
    assert all("bce" in words.formula for words in own)
