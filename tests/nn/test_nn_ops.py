"""Every neural-network op: forward, gradient, gradient of the gradient, and both graphs, as in real PyTorch."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import autograd_lab
from autograd_lab.nn import functional
from tests.nn.programs import ALIKE, MISTAKES, OTHER_SECOND_GRAPH, PLAIN
from tests.programs import error, graph, warned

torch = pytest.importorskip("torch")
torch.set_num_threads(1)
WORLDS = [(autograd_lab, functional), (torch, torch.nn.functional)]
TOLERANCE = {"float64": 1e-7, "float32": 5e-4}


class Leaves:
    """Makes the operands of an expression: `r` with gradients, `t` without, `p` between 0 and 1, the same each time."""

    def __init__(self, m: Any, dtype: str) -> None:
        self.m, self.dtype = m, getattr(m, dtype)
        self.random = np.random.default_rng(0)
        self.made: list[Any] = []

    def t(self, *shape: int) -> Any:
        return self._tensor(self.random.standard_normal(shape))

    def p(self, *shape: int) -> Any:
        return self._tensor(np.abs(self.random.standard_normal(shape)) % 0.9 + 0.05)

    def r(self, *shape: int) -> Any:
        self.made.append(self.t(*shape).requires_grad_())
        return self.made[-1]

    def q(self, *shape: int) -> Any:
        self.made.append(self.p(*shape).requires_grad_())
        return self.made[-1]

    def _tensor(self, array: Any) -> Any:
        return self.m.tensor(array.tolist(), dtype=self.dtype).reshape(array.shape)

    def evaluated(self, expression: str, f: Any) -> Any:
        names = {name: getattr(self, name) for name in "rtpq"}
        made = eval(expression, {"m": self.m, "F": f, "on": lambda function, *args: function(*args), **names})
        return made[0] if isinstance(made, tuple) else made


def plain(node: Any) -> dict[str, str]:
    """What a node keeps: numbers as text, tensors by shape and dtype."""
    found = {}
    for name in dir(node):
        if name.startswith("_saved_"):
            value = getattr(node, name)
            found[name] = f"{tuple(value.shape)} {value.dtype}" if hasattr(value, "grad_fn") else repr(value)
    return found


def numbers(tensors: Any) -> list[Any]:
    return [None if one is None else np.asarray((one.detach() + 0).tolist()) for one in tensors]


def results(m: Any, f: Any, expression: str, dtype: str) -> tuple[list[Any], list[Any], list[Any]]:
    """What is compared exactly, the graphs of the gradients, and what is compared as numbers."""
    leaves = Leaves(m, dtype)
    z = leaves.evaluated(expression, f)
    weights = leaves.t(*z.shape).requires_grad_()
    exact = [graph(z), plain(z.grad_fn), repr(z.dtype), tuple(z.shape), z._version, z.is_contiguous()]
    quick = m.autograd.grad(z, leaves.made, weights, retain_graph=True, allow_unused=True)
    first = m.autograd.grad(z, leaves.made, weights, create_graph=True, allow_unused=True)
    graphs = [graph(g) if g is not None and g.grad_fn is not None else None for g in first]
    total = sum((g * leaves.t(*g.shape)).sum() for g in first if g is not None and g.requires_grad)
    second = m.autograd.grad(total, [*leaves.made, weights], allow_unused=True) if not isinstance(total, int) else ()
    return exact, graphs, numbers([z, *quick, *first, *second])


def assert_close(ours: list[Any], theirs: list[Any], tolerance: float) -> None:
    for one, other in zip(ours, theirs, strict=True):
        assert (one is None) is (other is None)
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("expression", [*ALIKE, *OTHER_SECOND_GRAPH])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_op_computes_and_differentiates_twice_as_in_pytorch(expression: str, dtype: str) -> None:
    (exact, graphs, ours), (wanted, wanted_graphs, theirs) = (results(*world, expression, dtype) for world in WORLDS)
    assert exact == wanted
    assert_close(ours, theirs, TOLERANCE[dtype])
    if expression in ALIKE:
        assert graphs == wanted_graphs


@pytest.mark.parametrize("expression", PLAIN)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_op_without_gradients_computes_as_in_pytorch(expression: str) -> None:
    made = [error(lambda m=m, f=f: Leaves(m, "float32").evaluated(expression, f)) for m, f in WORLDS]
    assert made[0] == made[1]
    assert made[0].startswith("fine")


@pytest.mark.parametrize("expression", MISTAKES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_mistake_is_told_as_in_pytorch(expression: str) -> None:
    made = [error(lambda m=m, f=f: Leaves(m, "float32").evaluated(expression, f)) for m, f in WORLDS]
    assert made[0] == made[1]
    assert not made[0].startswith("fine")


WARNINGS = """
F.mse_loss(t(3, 1), t(3)); F.l1_loss(t(3), t(1)); F.softmax(t(2, 3)); F.log_softmax(t(3)); F.dropout2d(t(3, 2), 0.5)
F.kl_div(t(3), p(3)); F.mse_loss(t(3), t(3), size_average=False); F.cross_entropy(t(3), m.tensor(1), reduce=False)
F.mse_loss(t(3), t(3)); F.kl_div(t(3), p(3), reduction="sum")
""".replace("\n", ";")


@pytest.mark.parametrize("expression", [each.strip() for each in WARNINGS.split(";") if each.strip()])
def test_warnings_are_those_of_pytorch(expression: str) -> None:
    told = [warned(lambda m=m, f=f: Leaves(m, "float32").evaluated(expression, f)) for m, f in WORLDS]
    assert told[0] == told[1]


@pytest.mark.parametrize("name", ["softmax", "softmin", "log_softmax", "gumbel_softmax"])
def test_a_warning_that_a_filter_makes_an_error_is_raised_as_it_is(name: str) -> None:
    named = {"eps": 1e-9} if name == "gumbel_softmax" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = [error(lambda m=m, f=f: getattr(f, name)(m.zeros(2, 3), **named)) for m, f in WORLDS]
    assert told[0] == told[1]
    assert not told[0].startswith("fine")


def test_dropout_drops_the_share_it_is_told_to_and_keeps_the_mean() -> None:
    autograd_lab.manual_seed(0)
    x = autograd_lab.ones(100, 1000, requires_grad=True)
    z = functional.dropout(x, 0.3)
    kept = np.asarray(z.tolist())
    assert set(np.unique(kept.round(5))) == {0, round(1 / 0.7, 5)}
    assert math.isclose((kept == 0).mean(), 0.3, abs_tol=0.01)
    z.sum().backward()
    assert x.grad is not None
    assert (x.grad == z).all()


@pytest.mark.parametrize(("name", "shape"), [("dropout1d", (50, 40, 7)), ("dropout2d", (50, 40, 3, 5))])
def test_channel_dropout_drops_whole_channels(name: str, shape: tuple[int, ...]) -> None:
    autograd_lab.manual_seed(0)
    kept = np.asarray(getattr(functional, name)(autograd_lab.ones(*shape), 0.5).tolist()).reshape(*shape[:2], -1)
    assert (kept == kept[..., :1]).all()
    assert math.isclose((kept == 0).mean(), 0.5, abs_tol=0.03)


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    autograd_lab.manual_seed(0)
    z = np.asarray(functional.alpha_dropout(autograd_lab.randn(300, 300), 0.2, training=True).tolist())
    assert abs(z.mean()) < 0.02
    assert abs(z.std() - 1) < 0.02


def test_rrelu_draws_a_slope_between_its_limits_for_each_negative_element() -> None:
    z = np.asarray(functional.rrelu(-autograd_lab.ones(1000), 0.1, 0.4, training=True).tolist())
    assert -0.4 <= z.min() < -0.38
    assert -0.12 < z.max() <= -0.1


def test_hard_gumbel_softmax_chooses_one_by_the_odds_and_lets_gradients_through() -> None:
    autograd_lab.manual_seed(0)
    logits = autograd_lab.tensor([[0.0, math.log(3.0)]] * 2000, requires_grad=True)
    chosen = functional.gumbel_softmax(logits, hard=True)
    assert set(np.unique(np.asarray(chosen.tolist()).round(5))) == {0, 1}
    assert math.isclose(chosen[:, 1].mean().item(), 0.75, abs_tol=0.03)
    chosen[:, 1].sum().backward()
    assert logits.grad is not None
    assert (logits.grad[:, 1] > 0).any()


@pytest.mark.parametrize("momentum", [0.1, 1.0])
def test_batch_norm_moves_its_running_statistics_without_counting_it_as_a_change(momentum: float) -> None:
    told = []
    for m, f in WORLDS:
        leaves = Leaves(m, "float64")
        mean, variance = m.zeros(3, dtype=m.float64), m.ones(3, dtype=m.float64)
        for _ in range(2):
            f.batch_norm(leaves.t(4, 3, 2), mean, variance, training=True, momentum=momentum)
        told.append((np.round(mean.tolist(), 10), np.round(variance.tolist(), 10), mean._version, variance._version))
    np.testing.assert_allclose(told[0][0], told[1][0])
    np.testing.assert_allclose(told[0][1], told[1][1])
    assert told[0][2:] == told[1][2:]


def test_embedding_row_of_padding_gets_no_gradient() -> None:
    table = autograd_lab.ones(4, 2, requires_grad=True)
    functional.embedding(autograd_lab.tensor([1, 2, 2]), table, padding_idx=1).sum().backward()
    assert table.grad is not None
    assert table.grad.tolist() == [[0, 0], [0, 0], [2, 2], [0, 0]]


def test_written_operand_of_a_convolution_is_noticed() -> None:
    for m, f in WORLDS:
        x, w = m.ones(1, 1, 3, 3), m.ones(1, 1, 2, 2, requires_grad=True)
        z = f.conv2d(x, w)
        x.add_(1)
        assert "modified by an inplace operation: [torch.FloatTensor [1, 1, 3, 3]]" in error(z.sum().backward)


def test_all_names_of_the_module_are_pytorchs() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [name for name in functional.__all__ if not hasattr(torch.nn.functional, name)] == []
