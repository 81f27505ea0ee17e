"""`assert_gradients_flow` names each parameter that gets nothing, in both worlds, and leaves all as it was."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_lab.testing import assert_gradients_flow, no_graph_leak


@pytest.fixture(params=["autograd_lab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


@pytest.fixture
def model(torch: Any) -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))


def test_a_model_whose_parameters_all_count_passes_and_keeps_its_grads(torch: Any, model: Any) -> None:
    loss = model(torch.ones(4, 2)).sum()
    assert_gradients_flow(model, loss)
    assert_gradients_flow(model, lambda: model(torch.ones(4, 2)).sum())
    assert all(each.grad is None for each in model.parameters())
    loss.backward()  # the graph is still there


def test_a_parameter_off_the_way_is_named_with_the_reason(torch: Any, model: Any) -> None:
    def loss() -> Any:
        h = model[1](model[0](torch.ones(4, 2))).detach()
        return model[2](h).sum()

    with pytest.raises(AssertionError) as said:
        assert_gradients_flow(model, loss)
    text = str(said.value)
    assert text.startswith("gradients do not flow to 2 of 4 parameters of Sequential:\n  0.weight  none: ")
    assert "  0.bias    none: " in text and "2.weight " not in text
    assert "detach" in text


def test_zeros_and_nan_are_told_apart(torch: Any, model: Any) -> None:
    x = torch.ones(4, 2)
    with pytest.raises(AssertionError, match=r"4 of 4(.|\n)*zero everywhere"):
        assert_gradients_flow(model, (model(x) * 0).sum())
    assert_gradients_flow(model, (model(x) * 0).sum(), zeros=True)
    with pytest.raises(AssertionError, match="NaN"):
        assert_gradients_flow(model, (model(x) * 0).sqrt().sum() * 0)


def test_exceptions_are_patterns_that_have_to_fit(torch: Any, model: Any) -> None:
    loss = model[2](torch.ones(1, 3)).sum()
    assert_gradients_flow(model, loss, without=("0.*",))
    with pytest.raises(ValueError, match=r"is called 'first.\*'"):
        assert_gradients_flow(model, loss, without=("first.*",))
    model[0].requires_grad_(False)
    assert_gradients_flow(model, loss)


def test_a_loss_is_one_number_with_a_graph(torch: Any, model: Any) -> None:
    with pytest.raises(ValueError, match=r"not a tensor of shape \(4, 1\)"):
        assert_gradients_flow(model, model(torch.ones(4, 2)))
    with pytest.raises(AssertionError, match="no graph"):
        assert_gradients_flow(model, torch.ones(()))


def test_a_total_of_losses_is_a_leak_and_a_total_of_numbers_is_none(torch: Any, model: Any) -> None:
    def epoch(kept: Any) -> Any:
        total = 0.0
        for _ in range(3):
            loss = model(torch.ones(4, 2)).sum()
            loss.backward()
            total = total + kept(loss)
        return total

    with no_graph_leak():
        number = epoch(lambda loss: loss.item())
    with pytest.raises(AssertionError, match=r"graphs are still alive:\n  total.*item\(\)|detach"), no_graph_leak():
        total = epoch(lambda loss: loss)
    assert total.item() == pytest.approx(number, rel=1e-5)


def test_of_a_graph_whose_saved_values_are_freed_no_bytes_are_told(torch: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    total: Any = 0.0
    with pytest.raises(AssertionError, match=r"total: \d+ operations  ") as caught, no_graph_leak():
        for _ in range(3):
            loss = (w * w).sum()
            loss.backward()
            total = total + loss
    assert " B " not in str(caught.value)


def test_the_graph_of_the_last_pass_may_live_unless_one_is_strict(torch: Any, model: Any) -> None:
    with no_graph_leak() as trace:
        loss = model(torch.ones(4, 2)).sum()
        loss.backward()
    assert len(trace) > 5
    with pytest.raises(AssertionError, match="loss: "), no_graph_leak(strict=True):
        loss = model(torch.ones(4, 2)).sum()
        loss.backward()


def test_an_error_of_the_block_goes_on_its_way() -> None:
    with pytest.raises(KeyError), no_graph_leak():
        raise KeyError
