"""The losses that `torch` has itself, normalization of half precision, and older names: as in real PyTorch."""

from __future__ import annotations

import math
from typing import Any

import pytest

import autograd_lab
from tests.programs import graph
from tests.worlds import assert_alike

torch = pytest.importorskip("torch")

LOSSES = """
m.binary_cross_entropy_with_logits(x, y); m.binary_cross_entropy_with_logits(x, y, w, w, 2)
m.binary_cross_entropy_with_logits(x, y[0]); m.binary_cross_entropy_with_logits(x, y, reduction=-1)
m.cosine_embedding_loss(x, y, t, 0.1, 2); m.hinge_embedding_loss(x, s); m.hinge_embedding_loss(x, s, 0.5, 1)
m.kl_div(x, y); m.kl_div(x, y, 1, log_target=True); m.kl_div(x, y, 7); m.kl_div(x, 2)
m.margin_ranking_loss(x, y, s, 0.1); m.margin_ranking_loss(x, y, s, reduction=2)
m.poisson_nll_loss(x, y, True, True, 1e-8, 1); m.triplet_margin_loss(x, y, s); m.triplet_margin_loss(x, y, s, swap=True)
m.ctc_loss(x.log_softmax(1)[:, None], m.tensor([[1]]), (2,), (1,))
m.ctc_loss(x.log_softmax(1)[:, None], m.tensor([[1]]), m.tensor([2]), m.tensor([1]), 0, 1)
"""


def outcome(m: Any, call: str) -> tuple[Any, Any]:
    x = m.tensor([[1.0, 2.0, 4.0], [2.0, 5.0, -1.0]], requires_grad=True)
    names = {
        "m": m,
        "x": x,
        "y": m.tensor([[0.1, 0.2, 1.0], [0.5, 0.9, 0.0]]),
        "s": m.tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]]),
        "t": m.tensor([1.0, -1.0]),
        "w": m.tensor([1.0, 2.0, 0.5]),
    }
    try:
        loss = eval(call, names)
    except Exception as error:
        return (type(error), str(error)), []
    return (graph(loss), tuple(loss.shape)), [loss.tolist(), m.autograd.grad(loss.sum(), x)[0].tolist()]


@pytest.mark.parametrize("call", [call.strip() for call in LOSSES.replace("\n", ";").split(";") if call.strip()])
def test_loss_of_torch_is_as_there(call: str) -> None:
    (exact, ours), (wanted, theirs) = outcome(autograd_lab, call), outcome(torch, call)
    assert exact == wanted
    assert_alike(ours, theirs)


NORMS = """
F.layer_norm(x, (3,), w, b); F.layer_norm(x, (3,), w); F.layer_norm(x, (3,), None, b); F.group_norm(x, 1, w, b)
F.batch_norm(x, None, None, w, b, True); F.batch_norm(x, mean, variance, w, b)
F.batch_norm(x, mean, variance, training=True); F.layer_norm(x, (3,), w.half(), b); F.layer_norm(x, (3,), w, b.half())
F.layer_norm(x.float(), (3,), w.half(), b); F.group_norm(x.double(), 1, w, b)
F.layer_norm(x.float(), (3,), w, b.double())
"""


def normalized(m: Any, call: str) -> tuple[Any, Any]:
    leaf = {"requires_grad": True}
    names: dict[str, Any] = {
        "F": m.nn.functional,
        "x": m.tensor([[1.0, 2.0, 4.0], [2.0, 5.0, -1.0]], dtype=m.float16, **leaf),
        "w": m.tensor([1.0, 2.0, 0.5], **leaf),
        "b": m.tensor([0.1, 0.2, 0.3], **leaf),
        "mean": m.zeros(3),
        "variance": m.ones(3),
    }
    try:
        z = eval(call, names)
    except RuntimeError as error:
        return str(error), []
    kept = [str(getattr(z.grad_fn, name).dtype) for name in ("_saved_result1", "_saved_result2")]
    if "None, b)" in call:
        return (str(z.dtype), kept), [z.tolist()]
    leaves = [names[name] for name in "xwb"]
    weights = m.tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25]], dtype=m.float16)
    sent = m.autograd.grad(z, leaves, weights, allow_unused=True)
    dtypes = [None if one is None else str(one.dtype) for one in sent]
    return (str(z.dtype), kept, dtypes), [z.tolist(), *(one.tolist() for one in sent if one is not None)]


@pytest.mark.parametrize("call", [call.strip() for call in NORMS.replace("\n", ";").split(";") if call.strip()])
def test_half_precision_is_normalised_with_weights_of_float32(call: str) -> None:
    (exact, ours), (wanted, theirs) = normalized(autograd_lab, call), normalized(torch, call)
    assert exact == wanted
    assert_alike(ours, theirs, 5e-3)


def test_a_view_by_strides_does_not_reach_outside_of_the_memory() -> None:
    said = []
    for m in (autograd_lab, torch):
        with pytest.raises(RuntimeError) as error:
            m.ones(3).as_strided((2, 2), (2, 1), 1)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("size", [0.5, 8.0, 90.0, 3000.0])
def test_the_shares_of_the_gamma_function_are_exact(size: float) -> None:
    n = max(1, round(size))
    x = autograd_lab.tensor([0.7 * n, 1.0 * n, 1.2 * n], dtype=autograd_lab.float64)
    terms = [[k * math.log(at) - at - math.lgamma(k + 1) for k in range(n)] for at in x.tolist()]
    wanted = [math.fsum(math.exp(term) for term in row) for row in terms]
    a = autograd_lab.tensor(float(n), dtype=autograd_lab.float64)
    above, below = autograd_lab.igammac(a, x), autograd_lab.igamma(a, x)
    assert above.tolist() == pytest.approx(wanted, rel=1e-9)
    assert (above + below).tolist() == pytest.approx([1.0] * 3, abs=1e-12)


def fused(m: Any, layer: Any, bn: Any, x: Any, transpose: bool) -> Any:
    for number, part in enumerate((layer, bn)):
        for parameter in part.parameters():
            count = m.arange(1.0, parameter.numel() + 1) / (parameter.numel() + number)
            parameter.data.copy_(count.reshape(parameter.shape))
    bn.running_mean.copy_(m.arange(3.0))
    bn.eval(), layer.eval()
    utils = m.nn.utils
    linear = isinstance(layer, m.nn.Linear)
    one = utils.fuse_linear_bn_eval(layer, bn) if linear else utils.fuse_conv_bn_eval(layer, bn, transpose)
    return [one.weight.tolist(), one.bias.tolist(), one(x).tolist()], bn(layer(x)).tolist()


@pytest.mark.parametrize("kind", ["Conv2d", "ConvTranspose2d", "Linear"])
def test_a_layer_and_its_batch_normalization_become_one_layer(kind: str) -> None:
    found = []
    for m in (autograd_lab, torch):
        layer = m.nn.Linear(2, 3) if kind == "Linear" else getattr(m.nn, kind)(2, 3, 2, bias=False)
        bn = m.nn.BatchNorm1d(3) if kind == "Linear" else m.nn.BatchNorm2d(3)
        x = m.arange(4.0).reshape(2, 2) if kind == "Linear" else m.arange(18.0).reshape(1, 2, 3, 3)
        one, both = fused(m, layer, bn, x, kind == "ConvTranspose2d")
        assert_alike([one[-1]], [both])
        found.append(one)
    assert_alike(*found)


def test_sync_batch_normalization_takes_the_place_of_each_other_one() -> None:
    told = []
    for m in (autograd_lab, torch):
        model = m.nn.Sequential(m.nn.Linear(2, 3), m.nn.Sequential(m.nn.BatchNorm1d(3, momentum=None)))
        weight = model[1][0].weight
        model = m.nn.SyncBatchNorm.convert_sync_batchnorm(model)
        assert model[1][0].weight is weight
        model[1][0](m.tensor([[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]]))
        told.append((str(model), list(model.state_dict()), model[1][0].running_mean.tolist()))
    assert told[0] == told[1]


NAMES = """
m.set_deterministic_debug_mode("warn"), m.get_deterministic_debug_mode(), m.set_deterministic_debug_mode(0)
m.set_deterministic_debug_mode("x") | m.FloatStorage([1, 2]) | m.ones(2).storage_type()
m.empty_strided((2, 3), (1, 2)).stride() | m.ones(2, 3).t().dim_order()
m.ones(3).map_(m.ones(1), lambda a, b: a + b + 1) | m.ones(2).solve(m.ones(2))
m.ones(2).to_dense() | m.get_autocast_cpu_dtype() | m.is_autocast_cpu_enabled()
m.empty_permuted((2, 3), (1, 0)).stride()
m.ones(2, requires_grad=True).map_(m.ones(2), lambda a, b: a) | m.real(m.ones(2)) | m.imag(m.ones(2))
m.ones(2).grad_dtype
"""


@pytest.mark.parametrize("call", [call.strip() for call in NAMES.replace("\n", "|").split("|") if call.strip()])
@pytest.mark.filterwarnings("ignore")
def test_what_programs_ask_of_older_names_is_answered_as_there(call: str) -> None:
    answers = []
    for m in (autograd_lab, torch):
        try:
            answers.append(repr(eval(call, {"m": m})))
        except RuntimeError as error:
            answers.append(str(error).splitlines()[0])
    assert answers[0] == answers[1]
