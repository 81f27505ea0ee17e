"""The cards of programs that people know: what is to be seen of each."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from autograd_lab.display.afterwards import trace_of
from autograd_lab.display.script import find_script, run_script
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.cards.fineness import foldings
from autograd_lab.view.graph.cards.names import Names
from autograd_lab.view.graph.cards.window import window_of
from autograd_lab.view.graph.cards.written import is_rewritten
from autograd_lab.view.graph.facts.history import history_of
from tests.story import recorded
from tests.view.graph.cards import programs
from tests.view.graph.cards.laws import (
    all_of,
    assert_lawful,
    texts,
    titles,
)

torch = pytest.importorskip("torch")

EXAMPLES = [
    "agent", "autocast", "checkpoint", "experts", "expression", "inplace", "miniature", "mlp", "molecule", "negative",
    "offload", "reasoning", "residual", "rnn", "sentence", "trajectory", "transformer",
]  # fmt: skip


def cards_of(program: Callable[[Any], Any], asked: Asked | None = None, most: int | None = None) -> list[Cards]:
    """All foldings of a program in PyTorch."""
    return all_of(recorded(program, torch), asked, most)[1]


def with_so_many(found: list[Cards], count: int) -> Cards:
    """The first folding with so many cards."""
    return next(cards for cards in found if len(cards.cards) == count)


def card_called(cards: Cards, title: str) -> Card:
    names = Names(cards)
    (found,) = [card for card in cards.cards.values() if names.of(card).title == title]
    return found


def lines(cards: Cards) -> set[tuple[str, str]]:
    """All wires, by the titles of their ends."""
    names = Names(cards)
    called = {name: names.of(card).title for name, card in cards.cards.items()}
    return {(called[wire.source], called[wire.target]) for wire in cards.wires}


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda program: program.__name__)
def test_cards_of_known_programs_keep_the_laws(program: Callable[[Any], Any]) -> None:
    assert_lawful(recorded(program, torch))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", EXAMPLES)
def test_cards_of_the_examples_keep_the_laws(name: str) -> None:
    assert_lawful(run_script(find_script(name)).trace)


def test_of_a_training_loop_the_last_iteration_is_drawn() -> None:
    window, found = all_of(recorded(programs.mlp, torch))
    assert (window.iteration, window.iterations) == (3, 3)
    assert titles(found[0]) == ["inputs", "model.0", "relu", "model.2", "loss"]
    assert texts(found[0])["model.0"] == "Linear 3→4"
    assert titles(found[1]) == ["inputs", "model.0–1", "model.2", "loss"]


def test_a_card_with_an_activation_that_is_no_module_tells_what_it_gives_on() -> None:
    def program(torch: Any) -> None:
        fc1, fc2 = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
        fc2(torch.relu(fc1(torch.ones(2, 3)))).sum().backward()

    cards = next(cards for cards in cards_of(program) if "relu" not in titles(cards))
    assert Names(cards).after(card_called(cards, "fc1")) == "relu"
    assert Names(cards).of(card_called(cards, "fc1")).brief == "+ relu"


def test_another_iteration_can_be_asked_for() -> None:
    trace = recorded(programs.mlp, torch)
    first, last = (all_of(trace, Asked(iteration=number))[0] for number in (1, None))
    assert [op.name for op in first.ops] == [op.name for op in last.ops]
    assert all(op.born < last.span[0] for op in first.ops)
    assert first.span[1] < last.span[0]


def test_weights_and_what_brings_their_gradients_are_in_the_cards_of_modules() -> None:
    cards = cards_of(programs.mlp)[0]
    card = card_called(cards, "model.0")
    assert [box.label for box in card.params] == ["model.0.weight", "model.0.bias"]
    assert all(len(cards.uses[card.id, box.id]) == 1 for box in card.params)


def test_what_updates_a_leaf_by_hand_is_no_card() -> None:
    window, found = all_of(recorded(programs.by_hand, torch))
    assert [op.name for op in window.updates] == ["mul"] and not window.aside
    assert titles(found[0]) == ["w", "w − 3", "loss"]
    assert texts(found[0])["loss"] == "( )²"
    assert len(found[0].history.lives[found[0].cards["b0"].box.facts.id]) >= 1


def test_a_recurrent_network_is_a_card_for_each_turn_and_a_bar_for_each_weight() -> None:
    cards = cards_of(programs.rnn)[0]
    assert [(card.kind, card.turn) for card in cards.cards.values()][1:4] == [("turn", 1), ("turn", 2), ("turn", 3)]
    assert [cards.history.boxes[bar].label for bar in cards.bars] == ["W", "U"]
    assert texts(cards)["h₃"] == "tanh(W @ x₂ + U @ h₂)"
    assert all(len(cards.uses[f"turn{turn}", bar]) == 1 for turn in (1, 2, 3) for bar in cards.bars)


def test_turns_are_grouped_until_there_are_few_cards() -> None:
    found = cards_of(partial(programs.rnn, turns=40), most=12)
    assert len(found[0].cards) <= 12
    assert titles(found[0])[1] == "turns 1–4"
    assert sum(card.turns for card in found[0].cards.values() if card.kind == "turn") == 40


def test_a_cell_that_is_called_again_and_again_shares_its_weights_as_bars() -> None:
    cards = cards_of(programs.lstm_cells)[0]
    turns = [card for card in cards.cards.values() if card.kind == "turn"]
    assert len(turns) == 6 and len(cards.bars) == 4
    assert all(card.call is not None and card.call.type == "LSTMCell" for card in turns)
    assert ("h₂", "h₃") in lines(cards)


def test_attention_keeps_the_words_of_its_author() -> None:
    found = cards_of(programs.attention)
    words = {"q", "k", "v", "scores", "weights", "out", "loss"}
    assert all(words <= set(titles(cards)) for cards in found if len(cards.cards) >= 11)
    assert texts(found[0])["q"] == "x @ Wq"
    assert texts(with_so_many(found, 11))["scores"] == "(q @ k.t()) / 2.5"
    assert texts(with_so_many(found, 11))["loss"] == "mean(out²)"


def test_a_u_net_folds_to_its_blocks_with_its_skips() -> None:
    cards = with_so_many(cards_of(programs.u_net), 10)
    assert titles(cards) == ["x", "d1", "d2", "d3", "mid", "u3", "u2", "u1", "out", "loss"]
    assert {("d1", "u1"), ("d2", "u2"), ("d3", "u3"), ("mid", "u3")} <= lines(cards)


def test_between_the_blocks_of_a_u_net_and_one_card_its_skips_are_folded_last() -> None:
    found = cards_of(programs.u_net)
    assert set(range(3, 11)) <= {len(cards.cards) for cards in found}
    for count in (10, 9, 8):
        cards = with_so_many(found, count)
        order = titles(cards)
        assert sum(order.index(b) - order.index(a) > 1 for a, b in lines(cards)) == 3, order


def test_what_goes_around_the_add_of_a_residual_block_is_folded_before_it() -> None:
    found = [cards for cards in cards_of(programs.res_net) if len(cards.cards) > 8]
    for cards in found:
        order = titles(cards)
        blocks = [card for card in cards.cards.values() if card.call is not None and card.call.type == "Block"]
        skips = sum(order.index(b) - order.index(a) > 1 for a, b in lines(cards))
        assert skips + sum(card.times for card in blocks) >= 5, order


def test_the_sum_of_the_last_block_is_not_folded_into_the_head_as_long_as_anything_else_can_be() -> None:
    for cards in cards_of(programs.narrowing_net):
        names = titles(cards)
        into_head = {
            wire.source for wire in cards.wires if "head" in names and wire.target == card_called(cards, "head").id
        }
        assert len(names) < 12 or len(into_head) < 2, names


def test_a_word_is_kept_by_what_it_was_given_to_rather_than_by_the_next_with_the_same() -> None:
    def program(torch: Any) -> None:
        h = x = torch.randn(3, requires_grad=True)
        h = torch.relu(torch.exp(torch.cos(x)))
        h = h * torch.ones(3, requires_grad=True)
        h.sum().backward()

    (cards,) = [cards for cards in cards_of(program) if len(cards.cards) == 5]
    assert texts(cards)["h"] == "relu(exp(cos(x)))"


def test_alike_blocks_in_a_row_are_one_open_block_and_a_stack() -> None:
    found = cards_of(programs.res_net)
    stacked = next(cards for cards in found if any(card.kind == "stack" for card in cards.cards.values()))
    (stack,) = [card for card in stacked.cards.values() if card.kind == "stack"]
    assert stack.times == 5
    assert texts(stacked)["Block"] == "net.1 … net.5"
    assert "0.fc1" in titles(stacked)


def test_an_encoder_that_is_used_twice_is_two_cards_that_know_of_each_other() -> None:
    cards = next(cards for cards in cards_of(programs.siamese) if titles(cards).count("enc") == 2)
    shares = [card.share for card in cards.cards.values() if card.kind == "module"]
    assert [(share.which, share.of, share.same) for share in shares] == [(1, 2, True), (2, 2, True)]


def test_uses_of_one_module_that_do_not_hang_on_each_other_are_no_turns_of_a_loop() -> None:
    assert not any(card.kind == "turn" for cards in cards_of(programs.triplet) for card in cards.cards.values())
    assert any(card.kind == "turn" for cards in cards_of(programs.lstm_cells) for card in cards.cards.values())


def test_blocks_are_shown_before_the_container_that_does_nothing_but_call_them() -> None:
    shown = [titles(cards) for cards in cards_of(programs.blocks_in_a_row)]
    first_closed = next(number for number, names in enumerate(shown) if "blocks" in names)
    with_blocks = [number for number, names in enumerate(shown) if {"blocks.0", "blocks.3"} <= set(names)]
    assert with_blocks and max(with_blocks) < first_closed


def test_values_with_names_are_folded_last() -> None:
    cards = with_so_many(cards_of(programs.vae), 10)
    assert titles(cards)[:5] == ["x", "enc", "to_mu", "to_lv", "z"]
    assert titles(cards)[-3:] == ["bce", "kl", "loss"]


def test_both_sides_of_a_gan_are_one_graph_and_detach_cuts_it() -> None:
    window, found = all_of(recorded(programs.gan, torch))
    assert window.iterations == 2
    cards = next(cards for cards in found if titles(cards).count("D") == 3)
    cut = [wire for wire in cards.wires if not wire.edges and cards.cards[wire.source].kind != "data"]
    assert [(cards.cards[wire.source].call.root, cards.cards[wire.target].call.root) for wire in cut] == [("G", "D")]
    assert [card.share.which for card in cards.cards.values() if card.share and card.call.root == "D"] == [1, 2, 3]
    assert {"d_loss", "g_loss"} <= set(titles(cards))
    for cards in found:
        assert any(not wire.edges and cards.cards[wire.source].ops for wire in cards.wires)


def test_two_losses_are_one_graph() -> None:
    cards = cards_of(programs.two_losses)[0]
    assert titles(cards) == ["w", "h", "first", "second"]


def test_what_a_backward_pass_made_is_second() -> None:
    cards = cards_of(programs.double_backward)[0]
    second = [card.id for card in cards.cards.values() if card.second]
    assert titles(cards)[:2] == ["x", "y"] and titles(cards)[-1] == "p"
    assert len(second) == 3 and not cards.cards[second[0]].call
    assert not any({"y", "g"} <= {box.label for box in _made(card, cards)} for card in cards.cards.values())


def _made(card: Card, cards: Cards) -> list[Any]:
    return [cards.history.boxes[box] for op in card.ops for box in op.outputs]


def test_of_an_own_function_only_the_true_edge_is_drawn() -> None:
    window, found = all_of(recorded(programs.own_function, torch))
    assert lines(found[0]) == {("x", "y"), ("y", "loss")}
    assert [op.name for op in window.aside] == ["sigmoid", "mul"]
    assert len(window.passing) > 2  # what its backward computes


def test_each_use_of_a_leaf_is_a_wire() -> None:
    cards = cards_of(programs.fan_in)[0]
    assert sum(wire.source == "b0" for wire in cards.wires) == 4
    (folded,) = [cards for cards in cards_of(programs.fan_in) if len(cards.cards) == 6]
    assert titles(folded) == ["x", "x²", "3 · x", "exp(x)", "sin(x)", "y"]


def test_writes_and_several_outputs_keep_their_wires_apart() -> None:
    cards = cards_of(programs.views_and_writes)[0]
    unbound = [wire for wire in cards.wires if cards.history.boxes[wire.box].label in ("a", "b")]
    assert len({wire.box for wire in unbound}) == 2 and len({wire.source for wire in unbound}) == 1


@pytest.mark.parametrize("reentrant", [False, True])
def test_what_a_checkpoint_runs_again_is_no_card(reentrant: bool) -> None:
    window, found = all_of(recorded(partial(programs.checkpointed, reentrant=reentrant), torch))
    assert not any(op.unpacks for op in window.ops)
    if reentrant:
        brought = [wire.edges for wire in found[0].wires if wire.source != "b2" and wire.edges]
        assert {"layer.weight", "layer.bias", "x"} <= set(titles(found[0])) and all(brought)


def test_without_a_gradient_there_is_nothing_to_draw() -> None:
    window, (cards,) = all_of(recorded(programs.inference, torch))
    assert not cards.cards and cards.aside == window.aside != ()


def test_an_iteration_that_failed_is_the_one_that_is_drawn() -> None:
    window, found = all_of(recorded(programs.failing, torch))
    assert (window.iteration, window.iterations) == (3, 3)
    assert "h" in titles(found[0]) and "loss" not in titles(found[0])


def test_passes_from_leaves_are_no_iterations() -> None:
    def program(torch: Any) -> None:
        x = torch.ones((), requires_grad=True)
        y = x * 2
        for _ in range(3):
            x.backward()
        y.backward()

    assert titles(cards_of(program)[0]) == ["x", "y"]


def test_passes_over_the_same_ops_are_no_iterations() -> None:
    def program(torch: Any) -> None:
        x = torch.ones((), requires_grad=True)
        y = x * 2
        for _ in range(3):
            y.backward(retain_graph=True)

    window, found = all_of(recorded(program, torch))
    assert window.iterations == 1 and titles(found[0]) == ["x", "y"]


def test_what_went_wrong_is_never_folded_but_a_write_into_what_it_writes() -> None:
    found = cards_of(programs.overwritten)
    for cards in found:
        alone = {op.id for card in cards.cards.values() if is_rewritten(card.ops[-2:]) for op in card.ops}
        alone |= {card.ops[0].id for card in cards.cards.values() if len(card.ops) == 1}
        assert cards.history.culprits <= alone
    assert len(found) > 1


def test_depth_has_so_many_levels_open() -> None:
    closed, opened = (cards_of(programs.u_net, Asked(depth=depth))[0] for depth in (0, 1))
    assert "net" in titles(closed) and {"d1", "u1", "out"} <= set(titles(opened))


def test_modules_that_are_asked_for_stay_open() -> None:
    for cards in cards_of(programs.u_net, Asked(expand=("d*",))):
        assert {"d1.0", "d1.1", "d3.0", "d3.1"} <= set(titles(cards))
    with pytest.raises(ValueError, match=r"no module is called 'e1'; there are net, net\.d1"):
        cards_of(programs.u_net, Asked(expand=("e1",)))


def test_only_what_a_tensor_was_made_of() -> None:
    (*_, last) = cards_of(programs.attention, Asked(root="q"))
    assert set(titles(last)) == {"x", "Wq", "q"}
    with pytest.raises(ValueError, match="no tensor is called 'z'; there are "):
        cards_of(programs.attention, Asked(root="z"))


def test_leaves_that_nothing_uses_are_drawn_in_small_programs() -> None:
    def program(torch: Any) -> Any:
        x = torch.ones(2, requires_grad=True)
        y = torch.ones(2, requires_grad=True)
        z = x * 2
        return y, z

    assert titles(cards_of(program)[0]) == ["x", "z", "y"]


def test_nodes_from_before_the_recording_are_cards_too() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3
    y = h.exp().sum()
    cards = assert_lawful(trace_of(y))[0]
    assert [card.ops[0].name for card in cards.cards.values() if card.ops] == [
        "MulBackward0", "ExpBackward0", "SumBackward0",
    ]  # fmt: skip


def test_nothing_takes_longer_than_it_should() -> None:
    """Ten times the ops are about ten times the work."""

    def seconds(turns: int) -> float:
        events = list(recorded(partial(programs.rnn, turns=turns), torch))
        history = history_of(events)
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            list(foldings(history, window_of(history, events), None, 48))
            best = min(best, time.process_time() - start)
        return best

    assert seconds(400) < 40 * max(seconds(40), 0.002)


def _written_after_a_use(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    p = h + x
    h.add_(1)
    (h * p).sum().backward()


def _written_around(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    p = h + x
    h.add_(p)
    h.sum().backward()


def test_a_write_in_place_stands_on_the_card_of_what_it_writes() -> None:
    for cards in cards_of(_written_after_a_use)[:1]:
        assert [len(card.ops) for card in cards.cards.values() if card.ops] == [2, 1, 1, 1]
        assert texts(cards)["h"] == "h.add_(1)"


def test_a_write_of_what_was_made_of_the_tensor_itself_has_its_own_card_since_a_fold_would_close_a_cycle() -> None:
    cards = cards_of(_written_around)[0]
    assert all(len(card.ops) == 1 for card in cards.cards.values() if card.ops)


def _folded(block: Callable[[Any, Any], Any]) -> Cards:
    """The coarsest folding of what stands between a layer and a loss."""

    def program(torch: Any) -> None:
        nn = torch.nn

        class Block(nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.up, self.down, self.around = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, x: Any) -> Any:
                return block(self, x)

        first, net = nn.Linear(4, 4), Block()
        net(first(torch.ones(2, 4))).sum().backward()

    return next(cards for cards in cards_of(program) if any(titled == "net" for titled in titles(cards)))


@pytest.mark.parametrize(
    ("block", "has_skip"),
    [
        (lambda net, x: x + net.down(net.up(x).relu()), True),
        (lambda net, x: net.around(x) + net.down(net.up(x).relu()), True),
        (lambda net, x: net.up(x) + net.down(x), False),
        (lambda net, x: net.down(net.up(x).relu()), False),
        (lambda net, x: net.up(x).tanh() * (1 - net.down(x)) + x * net.down(x), False),
    ],
    ids=["residual", "with a projection", "two towers", "chain", "gated"],
)
def test_a_card_that_hides_a_way_around_layers_knows_it(block: Callable[[Any, Any], Any], has_skip: bool) -> None:
    assert card_called(_folded(block), "net").skips is has_skip


def _with_noise(torch: Any) -> None:
    mu, spread = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    target = torch.randn(3)
    std = (0.5 * spread).exp()
    eps = torch.randn_like(std)
    z = mu + eps * std
    ((z - target) ** 2).sum().backward()


def test_noise_is_drawn_where_it_enters_and_a_target_is_not() -> None:
    for cards in cards_of(_with_noise)[:3]:
        assert any(source == "eps" for source, _ in lines(cards))
        assert "target" not in titles(cards)
