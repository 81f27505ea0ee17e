"""Names in a picture mean what they say: real programs, run by PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_lab.view.graph.facts.history import History, history_of
from tests.saying import leaf, traced


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


def labels(program: Any, torch: Any) -> tuple[History, list[str]]:
    history = history_of(traced(program, torch))
    return history, [box.label for box in history.boxes.values()]


def test_what_a_layer_makes_on_its_way_is_not_called_by_the_call_of_the_model(torch: Any) -> None:
    def program(torch: Any) -> Any:
        model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Dropout(0.2), torch.nn.Linear(4, 1))
        loss = model(torch.ones(3, 2)).mean()
        loss.backward()

    history, found = labels(program, torch)
    assert found.count("model(torch.ones(3, 2))") == 1
    named = next(box for box in history.boxes.values() if box.label == "model(torch.ones(3, 2))")
    assert history.ops[named.op or ""].name == "AddmmBackward0"


def test_the_zero_states_and_the_several_outputs_of_an_lstm_have_names_of_their_own(torch: Any) -> None:
    def program(torch: Any) -> Any:
        rnn = torch.nn.LSTM(3, 4)
        out, _ = rnn(torch.ones(3, 2, 3))
        return out

    history, found = labels(program, torch)
    assert not [label for label in found if label.startswith("rnn(")]
    for op in history.ops.values():
        made = [history.boxes[box].label for box in op.outputs]
        assert len(made) == len(set(made))


def test_boxes_of_one_name_are_numbered_from_the_second_on(torch: Any) -> None:
    def program(torch: Any) -> Any:
        x = leaf(torch)
        for _ in range(3):
            x = x + 1
        return x

    _, found = labels(program, torch)
    assert found == ["x", "x₂", "x₃", "x₄"]


def test_what_a_module_makes_in_each_of_its_calls_is_told_apart_by_the_words_of_the_caller(torch: Any) -> None:
    class Encoder(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            h = torch.relu(self.inner(x))
            return h * 2

    def named(torch: Any) -> Any:
        encoder, anchor, other = Encoder(), torch.ones(1, 2), torch.zeros(1, 2)
        a = encoder(anchor)
        p = encoder(other)
        return (a - p).sum()

    def unnamed(torch: Any) -> Any:
        encoder, anchor, other = Encoder(), torch.ones(1, 2), torch.zeros(1, 2)
        return (encoder(anchor) - encoder(other)).sum()

    assert {"h (a)", "h (p)", "a", "p"} <= set(labels(named, torch)[1])
    assert {"h (anchor)", "h (other)"} <= set(labels(unnamed, torch)[1])
