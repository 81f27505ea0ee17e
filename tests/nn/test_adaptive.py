"""Classes in clusters: `AdaptiveLogSoftmaxWithLoss` computes, differentiates and refuses as PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import Stories, filled, is_alike, said

torch = pytest.importorskip("torch")

answers = Stories()


@answers
def losses_probabilities_and_gradients(m: Any) -> Any:
    net = filled(m.nn.AdaptiveLogSoftmaxWithLoss(4, 9, [2, 5], div_value=2.0, head_bias=True).double())
    x = (m.arange(20, dtype=m.float64).reshape(5, 4).remainder(7) - 3).requires_grad_()
    for target in ([0, 4, 1, 7, 8], [0, 1, 1, 0, 0], [8, 8, 7, 5, 6]):
        output, loss = net(x, m.tensor(target))
        loss.backward()
    told = output, loss, net.log_prob(x), net.predict(x), net(x[0], m.tensor(3)), list(net.state_dict()), repr(net)
    return told, x.grad, [one.grad for one in net.parameters()], output.grad_fn.name()


@answers
def what_does_not_suit_is_refused(m: Any) -> Any:
    net = m.nn.AdaptiveLogSoftmaxWithLoss(4, 9, [2, 5])
    x = m.ones(3, 4)
    calls = [
        lambda m: net(x, m.tensor([0, 1])), lambda m: net(x, m.tensor([0, 1, 9])),
        lambda m: net(x, m.ones(1, 3).long()),
        lambda m: net(x[0], m.tensor([1, 2, 3, 4])), lambda m: net(x, m.tensor(1)),
        *(lambda m, ends=ends: m.nn.AdaptiveLogSoftmaxWithLoss(4, 9, ends) for ends in ([], [5, 2], [9], [0, 3])),
    ]  # fmt: skip
    return [said(m, call) for call in calls]


@pytest.mark.parametrize("story", answers)
def test_the_module_is_as_pytorchs(story: Any) -> None:
    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), f"{ours}\n{theirs}"
