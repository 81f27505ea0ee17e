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
