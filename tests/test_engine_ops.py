"""Every op, one line each: forward, gradient and second gradient as in real PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.programs import graph

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

X = [[0.5, 1.0, 2.0], [3.0, 4.0, 0.25]]
Y = [[1.5, 0.1, 2.2], [3.0, 0.7, 5.0]]

OPS = """
x + y; x + 1; 1 + x; m.add(x, y, alpha=2); x - y; x - 1.5; 1 - x; m.sub(x, y, alpha=3); x * y; x * 2.5; 3 * x; x * x
x / y; x / 3; 2 / x; -x; x**2; x**3; x**0.5; x**-1; x**0; x**1; x**2.7; x**y; x**2.0; 2**x; x % 1.5; x.square()
abs(x); x.sign(); x.sgn(); x.floor(); x.ceil(); x.round(); x.exp(); x.expm1(); x.log(); x.log2(); x.log10(); x.log1p()
x.sqrt(); x.rsqrt(); x.reciprocal(); x.sin(); x.cos(); x.tan(); x.atan(); x.sinh(); x.cosh(); x.tanh(); x.sigmoid()
(x - 1).relu(); x.softmax(-1); x.log_softmax(0); m.softmax(x, dim=0); x.clone(); x.double(); x * y[0]
x * y.sum(1, True); x.mean() * x; x.sum(); x.sum(0); x.sum(1, keepdim=True); x.sum((0, 1)); x.sum(-1); x.mean()
x.mean(0); x.mean(-1, True); x.mean((0, 1)); x.max(); x.min(); x.max(0).values; x.max(1, keepdim=True)[0]
x.min(-1)[0]; x.amax(1); x.amin(); x.amax((0, 1), keepdim=True); x.prod(); x.prod(0); x.prod(1, keepdim=True); x.var()
x.std(); x.std(0); x.var(1, unbiased=False, keepdim=True); x.var(0); x.norm(); x.norm(p=1); x.norm(3, dim=1)
x.norm(dim=1); x.norm(dim=0, keepdim=True); x.norm(1.5); x.logsumexp(1); x.cumsum(0); x.logsumexp((0, 1))
x.cumsum(-1); x @ y.t(); x.mm(y.T); x @ y.sum(0); x.sum(1) @ y; x.sum(0) @ y.sum(0); m.dot(x[0], y[1])
m.outer(x[0], y[1]); m.addmm(x.sum(1), x, y.t()); m.addmm(x[:, :2], x, y.t(), beta=2, alpha=3); (x @ y.T).trace()
x.view(1, 2, 3) @ y.view(1, 3, 2); x.view(2, 1, 3) @ y.view(1, 3, 2); x.view(1, 2, 3) @ y.t()
x.view(1, 2, 3) @ y.sum(0); m.stack([x, y]) @ m.stack([y.t(), x.t()]); m.stack([x, y]) @ y[0]
y[0] @ m.stack([x.t(), y.t()]); y @ m.stack([x.t(), y.t()]); m.bmm(m.stack([x, y]), m.stack([y.t(), x.t()]))
m.mv(x, y[0]); x.view(3, 2); x.t().reshape(6); x.flatten(); x.ravel(); x.transpose(0, -1); x.permute(1, 0); x.T; x.mT
x.t(); x.expand(4, 2, 3); x.unsqueeze(-1); x[None].squeeze(); x[None].squeeze(0); x.view_as(y); x.flatten(0, 1)
x.t().contiguous(); m.broadcast_to(x[0], (2, 3)); x[0]; x[0, 1]; x[:, 1]; x[0:1]; x[:, ::2]; x[-1]; x[:, -2:]; x[None]
x[...]; x[..., 1]; x[:]; x[:, :]; x[[0, 1, 1]]; x[:, [0, 2]]; x[[0, 1], [1, 2]]; x[x > 1]; x[0, [1, 2]]
x[m.tensor([1, 0])]; x[m.tensor([True, False])]; x.select(1, 2); x.narrow(1, 0, 2); m.where(x > 1, x, y)
m.where(x > 1, x, 0.0); m.where(x > 1, 1.0, y); x.clamp(1, 3); x.clamp(min=1.0); x.clamp(max=2.5); x.clamp_min(1.0)
x.clamp_max(2.0); m.maximum(x, y); m.minimum(x, y); m.max(x, y); x.masked_fill(x > 1, 0.0); m.cat([x, y])
m.cat([x, y, x], dim=1); m.stack([x, y]); m.stack([x, y], -1); x.unbind()[1]; x.split(2, dim=1)[1]
x.split([1, 2], dim=1)[1]; x.chunk(2)[0]; x.chunk(2)[0] * x.chunk(2)[1]; x.repeat(2, 2); x.flip(0); x.flip(0, 1)
x.tril(); x.triu(1); x.gather(1, m.tensor([[0], [2]])); sum(row for row in x); x * y.double()
x * m.tensor(2.0, dtype=m.float64); x * m.tensor([1, 2, 3]); x[0] * x[1]; x.sum() * y.sum(); (x * 1).add_(1)
(x * 1).add_(y, alpha=2); (x * 1).sub_(y); (x * 1).mul_(y); (x * 1).mul_(2); (x * 1).div_(y); (x * 1).pow_(2)
(x * 1).pow_(y); (x * 1).zero_(); (x * 1).fill_(1.0); (x * 1).fill_(y[0, 0]); (x * 1).copy_(y); (x * 1).exp_()
(x * 1).log_(); (x * 1).sqrt_(); (x * 1).sin_(); (x * 1).cos_(); (x * 1).tanh_(); (x * 1).sigmoid_(); (x - 1).relu_()
(x * 1).neg_(); (x * 1).abs_(); (x * 1).reciprocal_(); (x * 1).rsqrt_(); (x * 1).square_(); (x * 1).clamp_(1, 3)
(x * 1).masked_fill_(y > 1, 0.0); (x * 1).floor_(); (x * 1).ceil_(); (x * 1).round_(); m.zeros(2, 3).add_(x)
(x * 1)[0].mul_(y[1]); (x * 1).t().mul_(3)
"""
EXPRESSIONS = [each.strip() for each in OPS.replace("\n", ";").split(";") if each.strip()]


def numbers(tensors: Any) -> list[Any]:
    return [None if tensor is None else np.asarray((tensor.detach() + 0).tolist()) for tensor in tensors]


def results(m: Any, expression: str) -> tuple[Any, list[Any]]:
    """What is compared exactly (names, edges, dtypes, shapes), and what is compared as numbers."""
    x = m.tensor(X, dtype=m.float32, requires_grad=True)
    y = m.tensor(Y, dtype=m.float32, requires_grad=True)
    z = eval(expression, {"m": m, "x": x, "y": y})
    exact = [graph(z), repr(z.dtype), tuple(z.shape), z._version, z.is_leaf]
    first = m.autograd.grad(z.sum(), [x, y], create_graph=True, allow_unused=True)
    total = sum((g * g).sum() for g in first if g is not None and g.requires_grad)
    second = m.autograd.grad(total, [x, y], allow_unused=True) if not isinstance(total, int) else ()
    again = eval(expression, {"m": m, "x": x, "y": y})
    again.sum().backward()
    return exact, numbers([z, *first, *second, x.grad, y.grad])


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_op_computes_and_differentiates_as_in_pytorch(expression: str) -> None:
    (exact, ours), (wanted, theirs) = results(autograd_lab, expression), results(torch, expression)
    assert exact == wanted
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        if one is None or other is None:
            assert one is other
        else:
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-6)
