"""Half precision: float16, and bfloat16 by the package ml_dtypes, compute and differentiate as in real PyTorch."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import autograd_lab
from autograd_lab.engine.numbers import dtypes
from tests.worlds import assert_alike

torch = pytest.importorskip("torch")

OPS = """
x + y; x * y; x / y; x - y; x + 1; x * 2.5; 2 - x; 2 / x; x**2; x**0.5; x**2.7; x**y; 2**x; -x; x.exp(); x.log()
x.sqrt(); x.rsqrt(); x.reciprocal(); x.sin(); x.tanh(); x.sigmoid(); x.relu(); x.softmax(1); x.log_softmax(1)
x.sum(); x.sum(0); x.mean(); x.mean(1); x.max(); x.max(1)[0]; x.amax(1); x.prod(); x.var(); x.std(0); x.norm()
x.cumsum(0); x.logsumexp(1); x @ y.t(); x @ y[0]; m.stack([x, y]) @ y[0]; m.bmm(x[None], y.t()[None])
m.addmm(x[:, :2], x, y.t()); x[0]; x[:, 1]; x[[0, 1]]; x.t(); x.view(6); m.cat([x, y]); m.where(x > 1, x, y)
x.clamp(1, 3); x.masked_fill(x > 1, 0); x.abs(); x.floor(); x % 1.5; x // 2; (x * 1).add_(y); (x * 1).mul_(2.5)
x.float(); x + m.tensor([1.0, 2.0, 3.0]); x + m.tensor(2.5); x + m.tensor([1, 2, 3]); x.half() + x.bfloat16()
x.sort(1)[0]; x.topk(2)[0]; x > 1; x.double(); x.gather(1, m.tensor([[0], [2]])); x.erf(); m.lerp(x, y, 0.3)
m.addcmul(x, x, y); x.expm1(); x.cos(); x.atan(); x.median()
"""
EXPRESSIONS = [each.strip() for each in OPS.replace("\n", ";").split(";") if each.strip()]


def results(m: Any, expression: str, name: str) -> tuple[list[Any], list[Any]]:
    """Dtypes and shapes, which are compared exactly, and numbers."""
    dtype = getattr(m, name)
    x = m.tensor([[0.5, 1.0, 2.0], [3.0, 4.0, 0.25]], dtype=dtype, requires_grad=True)
    y = m.tensor([[1.5, 0.125, 2.25], [3.0, 0.75, 5.0]], dtype=dtype, requires_grad=True)
    z = eval(expression, {"m": m, "x": x, "y": y})
    exact, values = [str(z.dtype), tuple(z.shape)], [z]
    if z.requires_grad and "//" not in expression:
        z.sum().backward()
        exact += [str(x.grad.dtype), None if y.grad is None else str(y.grad.dtype)]
        values += [x.grad, y.grad]
    return exact, [None if value is None else np.asarray(value.detach().double().tolist()) for value in values]


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_half_precision_is_that_of_pytorch(expression: str, name: str) -> None:
    pytest.importorskip("ml_dtypes")
    (exact, ours), (wanted, theirs) = results(autograd_lab, expression, name), results(torch, expression, name)
    assert exact == wanted
    digits = 2e-2 if name == "bfloat16" else 3e-3
    assert_alike(ours, theirs, digits, digits / 2)


PRODUCTS = """
m.addmm(b, x, y); m.addmm(b[0], x, y, beta=0.5, alpha=3); m.baddbmm(b[None], x[None], y[None]); x.log_softmax(1)
m.addbmm(b, m.stack([x, -x, x]), m.stack([y, y, y])); m.addmv(b[0], x, y[0]); m.addr(b, x[0], y[0], alpha=0.3)
m.nn.functional.linear(x, y, b[0]); x.log_softmax(0)
"""


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
@pytest.mark.parametrize(
    "expression", [each.strip() for each in PRODUCTS.replace("\n", ";").split(";") if each.strip()]
)
def test_sums_of_products_are_rounded_once(expression: str, name: str) -> None:
    pytest.importorskip("ml_dtypes")
    numbers = np.random.default_rng(0).normal(size=(3, 8, 8)) * 3
    found = []
    for m in (autograd_lab, torch):
        x, y, b = m.tensor(numbers).to(getattr(m, name))
        found.append(np.asarray(eval(expression, {"m": m, "x": x, "y": y, "b": b}).double().tolist()))
    apart = np.abs(found[0] - found[1]) / np.spacing(np.maximum(np.abs(found[1]), 1e-3).astype(np.float32))
    assert apart.max() <= 2.0 ** (17 if name == "bfloat16" else 14)  # two steps of half precision
    assert (apart > 0).mean() < 0.1


TO_THE_LAST_DIGIT = """
F.bilinear(a, b, W3) | F.bilinear(a, b, W3, c) | F.avg_pool2d(im, 2) | F.avg_pool1d(im[0], 3) | F.max_pool2d(im, 2)
F.adaptive_avg_pool2d(im, 3) | F.adaptive_avg_pool2d(im, 1)
F.gelu(a) | F.gelu(a, approximate="tanh") | F.interpolate(im, scale_factor=2) | F.layer_norm(a, (8,), w8, b8)
F.interpolate(im, scale_factor=2, mode="bilinear") | F.rms_norm(a, (8,), w8) | F.group_norm(im, 3, w3, b3)
F.softmax(a, 0) | F.softmax(a, 1) | F.log_softmax(a, 0) | F.log_softmax(a, 1)
F.cross_entropy(a, t) | F.cross_entropy(a, t, reduction="sum")
F.nll_loss(a, t) | F.mse_loss(a, b) | F.l1_loss(a, b) | F.huber_loss(a, b) | F.kl_div(a, b.detach().sigmoid())
F.silu(a) | F.binary_cross_entropy_with_logits(a, b.detach().sigmoid()) | F.mish(a)
F.leaky_relu(a, 0.1) | F.logsigmoid(a) | F.binary_cross_entropy(a.sigmoid(), b.detach().sigmoid()) | F.glu(a)
F.linear(a, W2, b8) | F.conv2d(im, K)
F.conv2d(im, K, padding=1, stride=2) | F.conv_transpose2d(im, KT) | F.scaled_dot_product_attention(im, im, im)
F.scaled_dot_product_attention(im, im, im, is_causal=True) | a.var(1) | a.std() | a.logsumexp(1) | a.cumsum(1)
a.cumprod(1) | a.logcumsumexp(1) | a.prod(1) | a.erf() | a.pow(3) | m.lerp(a, b, b) | m.add(a, b, alpha=0.3)
a.abs().rsqrt() | a.mean(0) | a.sum() | F.unfold(im, 2) | F.multi_margin_loss(a, t) | F.local_response_norm(im, 2)
F.ctc_loss(a[:, None].log_softmax(-1), m.tensor([[1, 2]]), (8,), (2,))
"""
LOSSES = """
F.mse_loss(x, t) | F.l1_loss(x, t) | F.smooth_l1_loss(x, t) | F.huber_loss(x, t)
F.binary_cross_entropy_with_logits(x, c) | F.binary_cross_entropy(x.sigmoid(), c) | F.mse_loss(x, t, reduction="sum")
F.cross_entropy(x, y) | F.nll_loss(x, y, w) | F.nll_loss(x, y, ignore_index=2) | F.cross_entropy(x, y, reduction="sum")
F.nll_loss(x[:9], y[:9], w, ignore_index=0) | F.cross_entropy(x.view(10, 7, 10, 10), y.view(10, 10, 10))
F.kl_div(x, c) | F.nll_loss(x[:300], y[:300]) | F.nll_loss(x[:17], y[:17]) | F.nll_loss(x[:1], y[:1])
F.nll_loss(x[0], y[0])
"""


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
@pytest.mark.parametrize(
    "expression", [each.strip() for each in TO_THE_LAST_DIGIT.replace("\n", "|").split("|") if each.strip()]
)
def test_kernels_round_where_those_of_pytorch_do(expression: str, name: str) -> None:
    pytest.importorskip("ml_dtypes")
    torch.set_num_threads(1)  # each of several would round a sum of its own
    rng = np.random.default_rng(0)
    shapes = {
        "a": (8, 8), "b": (8, 8), "W3": (5, 8, 8), "c": (5,), "im": (2, 3, 6, 6), "w3": (3,), "b3": (3,), "w8": (8,),
        "b8": (8,), "W2": (8, 8), "K": (4, 3, 2, 2), "KT": (3, 4, 2, 2),
    }  # fmt: skip
    numbers = {each: rng.normal(size=shape) for each, shape in shapes.items()}
    targets = rng.integers(0, 8, 8)
    found: list[Any] = []
    for m in (autograd_lab, torch):
        leaves = {each: m.tensor(value).to(getattr(m, name)).requires_grad_() for each, value in numbers.items()}
        try:
            z = eval(expression, {"m": m, "F": m.nn.functional, "t": m.tensor(targets), **leaves})
            sent = m.tensor(np.random.default_rng(1).normal(size=tuple(z.shape))).to(z.dtype)
            grads = m.autograd.grad(z, [*leaves.values()], sent, allow_unused=True)
            found.append([None if one is None else (str(one.dtype), one.double().tolist()) for one in (z, *grads)])
        except NotImplementedError as error:
            found.append([str(error)])
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
@pytest.mark.parametrize("expression", [one.strip() for one in LOSSES.replace("\n", "|").split("|") if one.strip()])
@pytest.mark.filterwarnings("ignore:reduction. .mean. divides")
def test_a_loss_of_many_in_half_precision_is_that_of_pytorch(expression: str, name: str) -> None:
    """Most are added up in float32 and rounded once; the likelihood of classes is added up in half precision."""
    pytest.importorskip("ml_dtypes")

    def loss(m: Any) -> float:
        x = (m.arange(7000.0).view(1000, 7) * 0.7).sin().mul(5).to(getattr(m, name))
        names = {"F": m.nn.functional, "x": x, "t": x * 1.1, "c": (x > 0).to(x.dtype), "y": m.arange(1000) ** 3 % 7}
        found: float = eval(expression, {**names, "w": x[:7, 0].abs()}).item()
        return found

    assert loss(autograd_lab) == loss(torch)


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_what_asks_for_the_limits_of_half_precision_is_answered(name: str) -> None:
    pytest.importorskip("ml_dtypes")

    def found(m: Any) -> list[Any]:
        dtype = getattr(m, name)
        x, p = m.arange(6.0).to(dtype).requires_grad_(), m.nn.Parameter(m.arange(6.0).view(2, 3).to(dtype))
        x.logcumsumexp(0).sum().backward()
        optimizer = m.optim.Adafactor([p])
        for step in (1, 2):
            p.grad = m.arange(6.0).view(2, 3).mul(step).to(dtype)
            optimizer.step()
        with pytest.raises(RuntimeError) as error:
            m.nn.functional.softshrink(x, -1)
        return [x.grad.tolist(), p.tolist(), str(error.value).splitlines()[0]]

    assert_alike(found(autograd_lab)[:2], found(torch)[:2], 1e-2, 1e-2)
    assert found(autograd_lab)[2] == found(torch)[2]


def test_the_likelihood_of_classes_is_added_up_in_pytorchs_order() -> None:
    numbers = np.random.default_rng(0).normal(size=(1000, 7)).astype(np.float32)

    def losses(m: Any) -> list[str]:
        x, F, y = m.from_numpy(numbers), m.nn.functional, m.arange(1000) ** 3 % 7
        w, sizes = x[0].abs(), (1, 2, 16, 17, 18, 300, 1000)
        found = [F.nll_loss(x[:n], y[:n], reduction=how) for n in sizes for how in ("mean", "sum")]
        found += [F.nll_loss(x[:n], y[:n], w, ignore_index=2) for n in (17, 40, 1000)]
        return [one.item().hex() for one in found]

    assert losses(autograd_lab) == losses(torch)


def test_bfloat16_prints_as_in_pytorch() -> None:
    pytest.importorskip("ml_dtypes")
    for m in (autograd_lab, torch):
        x = m.tensor([1.0, 2.5, 1 / 3], dtype=m.bfloat16)
        assert repr(x) == "tensor([1.0000, 2.5000, 0.3340], dtype=torch.bfloat16)"
        assert repr(x.dtype) == "torch.bfloat16"
        assert x.is_floating_point()
        assert x[2].item() == 0.333984375


def test_bfloat16_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    dtypes.bfloat16.cache_clear()
    with pytest.raises(ImportError, match="pip install ml_dtypes"):
        _ = autograd_lab.bfloat16


def test_many_small_numbers_add_up_without_loss() -> None:
    for m in (autograd_lab, torch):
        assert m.full((4096,), 0.5, dtype=m.float16).sum().item() == 2048.0


FLOATING = "float16 bfloat16 float32 float64 complex32 complex64 complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz"


@pytest.mark.parametrize("name", [*FLOATING.split(), "float8_e8m0fnu"])
def test_each_floating_dtype_tells_its_limits(name: str) -> None:
    def tell(m: Any) -> Any:
        found = m.finfo(getattr(m, name))
        return [repr(found), *(getattr(found, each) for each in ("bits", "dtype", "eps", "max", "min", "resolution"))]

    assert tell(autograd_lab) == tell(torch)


ROUNDED_ONCE = """
x.sigmoid(); x.tanh(); F.silu(x); F.mish(x); F.softplus(x); F.elu(x); F.hardswish(x); F.log_softmax(x, 1)
F.log_softmax(x, 0); F.layer_norm(x, (8,)); F.group_norm(x, 2)
"""


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
@pytest.mark.parametrize(
    "expression", [one.strip() for one in ROUNDED_ONCE.replace("\n", ";").split(";") if one.strip()]
)
def test_half_precision_is_rounded_where_pytorch_rounds_it(expression: str, name: str) -> None:
    pytest.importorskip("ml_dtypes")
    told = []
    for m in (autograd_lab, torch):
        x = (m.arange(32.0).reshape(4, 8) / 4 - 3.7).to(getattr(m, name)).requires_grad_()
        z = eval(expression, {"m": m, "F": m.nn.functional, "x": x})
        (z * (m.arange(32.0).reshape(4, 8) / 7).to(z.dtype)).sum().backward()
        sums = "norm" in expression or ", 1" in expression  # whose order in gradients is each library's
        told.append((z.tolist(), None if sums else x.grad.tolist()))
    assert told[0] == told[1]


@pytest.mark.parametrize("asked", ["finfo", "iinfo"])
@pytest.mark.parametrize("name", ["uint8", "uint16", "uint32", "uint64", "int64", "bool", "complex64"])
def test_limits_of_other_dtypes_are_told_or_refused_as_in_pytorch(asked: str, name: str) -> None:
    def tell(m: Any) -> Any:
        try:
            found = getattr(m, asked)(getattr(m, name))
        except Exception as error:
            return type(error).__name__, str(error)
        return [getattr(found, each) for each in ("bits", "dtype", "max", "min")]

    assert tell(autograd_lab) == tell(torch)
