"""Mixed precision: which op runs in which dtype, what is cast once, and how a loss is scaled; as in real PyTorch."""

from __future__ import annotations

import pickle
import warnings
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograd_lab
from tests.worlds import Stories, graph, said

torch = pytest.importorskip("torch")
pytest.importorskip("ml_dtypes")

IN_A_REGION = """
m.mm(x, x); m.matmul(x, x); x @ x; x @ v; v @ x; m.mv(x, v); m.dot(v, v); m.bmm(b, b); m.addmm(x, x, x)
m.addmv(v, x, v); m.baddbmm(b, b, b); m.addbmm(x, b, b); m.addr(x, v, v); m.outer(v, v); m.einsum('ij,jk->ik', x, x)
m.tensordot(x, x, 1); m.inner(x, x); m.vdot(v, v); m.linalg.vecdot(x, x); m.linalg.multi_dot([x, x, x]); m.kron(x, x)
m.matrix_power(x, 3); F.linear(x, x); F.linear(b, x, v); F.conv1d(b, b); F.conv2d(b[None], b[None])
F.conv_transpose2d(b[None], b[:, None]); F.prelu(x, v[:1]); F.scaled_dot_product_attention(b, b, b); m.cdist(x, x)
m.prod(x); m.prod(x, 0); x.prod(); m.trace(x); m.inverse(y); m.linalg.inv(y); m.linalg.solve(y, x)
m.linalg.cholesky(y); m.linalg.matrix_rank(y); m.norm(x); m.linalg.norm(x); m.linalg.vector_norm(x); m.dist(x, x)
F.mse_loss(x, y); F.l1_loss(x, y); F.smooth_l1_loss(x, y); F.huber_loss(x, y); F.soft_margin_loss(x, y)
F.binary_cross_entropy(x, x); F.binary_cross_entropy_with_logits(x, x); F.kl_div(x, x, reduction='sum')
F.nll_loss(x, classes); F.cross_entropy(x, classes); F.cross_entropy(x, x); F.hinge_embedding_loss(x, y)
F.cosine_embedding_loss(x, x, v); F.margin_ranking_loss(x, x, x); F.triplet_margin_loss(x, y, x)
F.poisson_nll_loss(x, x); F.gaussian_nll_loss(x, x, x); F.pad(b, (1, 1), 'reflect'); F.pad(b, (1, 1), 'replicate')
F.pad(b, (1, 1), 'circular'); F.pad(b, (1, 1)); m.cumsum(x, 0); m.cumprod(x, 0); m.softmax(x, 0); m.log_softmax(x, 0)
F.layer_norm(x, (4,)); F.group_norm(b, 2); F.batch_norm(x, None, None, training=True); F.instance_norm(b)
F.rms_norm(x, (4,)); m.exp(x); m.log(x); x**2; x + x; x * 2; m.sum(x); m.mean(x); m.std(x); m.var(x); m.logsumexp(x, 0)
m.cosine_similarity(x, x); F.pairwise_distance(x, x); F.normalize(x)
m.index_copy(x, 0, m.tensor([0]), x[:1]); m.cat([x, x]); m.stack([x, x])
F.avg_pool2d(b, 2); F.max_pool2d(b, 2); F.adaptive_avg_pool2d(b, 2); F.embedding(m.tensor([1]), x); F.gelu(x)
m.addcmul(x, x, x); m.atan2(x, x); x.mm(x); x.addmm(x, x); x.clone().addmm_(x, x); m.cross(b[:, :3, :3], b[:, :3, :3])
nn.RNN(4, 4)(f)[0]; nn.GRU(4, 4)(f)[0]; nn.RNNCell(4, 4)(g); nn.LSTMCell(4, 4)(g)[1]
nn.MultiheadAttention(4, 2)(f, f, f)[0]; nn.TransformerEncoderLayer(4, 2)(f); nn.Linear(4, 2)(x); nn.Conv1d(2, 3, 2)(b)
"""
OPS = [each.strip() for each in IN_A_REGION.replace("\n", ";").split(";") if each.strip()]


def in_a_region(m: Any, op: str, dtype: str, lower: str) -> Any:
    """The dtypes of an op's result and of the gradient of its operands, or what it raises."""
    x = m.linspace(0.1, 0.9, 16).view(4, 4).to(getattr(m, dtype))
    y = (x + x.t() + 3 * m.eye(4)).to(x.dtype)
    b = m.stack([x, x * 0.5]).requires_grad_()
    x = x.requires_grad_()
    f = b.detach().float().requires_grad_()
    classes = m.tensor([0, 1, 2, 3])
    names = {"m": m, "F": m.nn.functional, "nn": m.nn, "x": x, "y": y, "v": x[0], "b": b, "f": f, "g": f[0]}
    try:
        with warnings.catch_warnings(), m.autocast("cpu", dtype=getattr(m, lower)):
            warnings.simplefilter("ignore")
            z = eval(op, names | {"classes": classes})
    except RuntimeError as error:
        return type(error).__name__, "dtype" in str(error)
    if z.requires_grad:
        z.sum().backward()
    return [str(one.dtype) for one in (z, x.grad, b.grad, f.grad) if one is not None]


@pytest.mark.parametrize("lower", ["bfloat16", "float16"])
@pytest.mark.parametrize("op", OPS)
def test_each_op_takes_the_dtype_that_pytorch_gives_it_in_a_region(op: str, lower: str) -> None:
    for dtype in ("float32", lower):
        assert in_a_region(autograd_lab, op, dtype, lower) == in_a_region(torch, op, dtype, lower), dtype


same = Stories()


def _weight(m: Any) -> Any:
    return m.tensor([[1.0, -0.5], [0.25, 3.0]], requires_grad=True)


@same
def a_weight_is_cast_once_in_a_region(m: Any) -> Any:
    w, x = _weight(m), m.ones(2, 2)
    with m.autocast("cpu"):
        first, second = x @ w, x @ w
    with m.autocast("cpu", cache_enabled=False):
        third, fourth = x @ w, x @ w
    casts = [y.grad_fn.next_functions[1][0] for y in (first, second, third, fourth)]
    return casts[0].name(), casts[0] is casts[1], casts[1] is casts[2], casts[2] is casts[3], graph(first + second)


@same
def what_is_no_weight_is_cast_each_time(m: Any) -> Any:
    w, x = _weight(m), m.ones(2, 2)
    told = []
    with m.autocast("cpu"):
        for t in (w * 1, w.t(), w.view(2, 2)):
            first, second = x @ t, x @ t
            told.append(first.grad_fn.next_functions[1][0] is second.grad_fn.next_functions[1][0])
    return told


@same
def a_weight_cast_without_a_graph_is_cast_again_for_one(m: Any) -> Any:
    w, x = _weight(m), m.ones(2, 2)
    with m.autocast("cpu"):
        with m.no_grad():
            plain = x @ w
        recorded = x @ w
    recorded.sum().backward()
    return plain.requires_grad, recorded.requires_grad, w.grad, w.grad.dtype


@same
def a_write_to_a_weight_is_not_seen_until_the_region_ends(m: Any) -> Any:
    w, x, told = _weight(m), m.ones(2, 2), []
    with m.autocast("cpu"):
        told.append(x @ w)
        with m.no_grad():
            w.mul_(2)
        told.append(x @ w)
    with m.autocast("cpu"):
        told.append(x @ w)
    return told


@same
def regions_nest(m: Any) -> Any:
    x = m.ones(2, 2)
    told = [m.is_autocast_enabled("cpu"), m.is_autocast_enabled(), m.get_autocast_dtype("cpu")]
    with m.autocast("cpu", m.float16):
        told += [(x @ x).dtype, m.is_autocast_enabled("cpu"), m.get_autocast_dtype("cpu")]
        with m.autocast("cpu", enabled=False):
            told += [(x @ x).dtype, m.is_autocast_enabled("cpu")]
        told.append((x @ x).dtype)
    return told, m.is_autocast_enabled("cpu"), m.get_autocast_dtype("cpu"), m.is_autocast_cache_enabled()


@same
def a_region_ends_with_an_error(m: Any) -> Any:
    try:
        with m.autocast("cpu"):
            raise ValueError
    except ValueError:
        return (m.ones(1, 1) @ m.ones(1, 1)).dtype


@same
def as_a_decorator(m: Any) -> Any:
    @m.autocast("cpu")
    def product(x: Any) -> Any:
        return x @ x

    return product(m.ones(2, 2)).dtype, product.__name__, (m.ones(1, 1) @ m.ones(1, 1)).dtype


@same
def what_a_region_made_does_not_fit_outside(m: Any) -> Any:
    with m.autocast("cpu"):
        y = m.ones(2, 2) @ m.ones(2, 2)
    return y @ m.ones(2, 2)


@same
def doubles_are_left_alone(m: Any) -> Any:
    x = m.ones(2, 2, dtype=m.float64)
    with m.autocast("cpu"):
        return (x @ x).dtype, m.nn.functional.mse_loss(x, x).dtype, m.cat([x, x.float()]).dtype, x @ x.float()


@same
def joins_take_the_widest(m: Any) -> Any:
    h, x = m.ones(2, dtype=m.bfloat16, requires_grad=True), m.ones(2)
    with m.autocast("cpu"):
        mixed, alike = m.cat([h, x]), m.stack([h, h])
        return graph(mixed), mixed.dtype, graph(alike), alike.dtype, m.cat([x.long(), h]).dtype


@same
def joins_know_one_kind_of_half(m: Any) -> Any:
    with m.autocast("cpu"):
        return m.cat([m.ones(2, dtype=m.float16), m.ones(2)])


@same
def a_loss_is_float32_and_its_gradient_goes_back_in_halves(m: Any) -> Any:
    w, x, seen = _weight(m), m.ones(2, 2), []
    with m.autocast("cpu"):
        y = x @ w
        y.register_hook(lambda g: seen.append(g.dtype))
        loss = m.nn.functional.mse_loss(y, x)
    loss.backward()
    return graph(loss), loss.dtype, seen, w.grad, w.grad.dtype


@same
def cross_entropy_in_a_region(m: Any) -> Any:
    w = _weight(m)
    with m.autocast("cpu"):
        loss = m.nn.functional.cross_entropy(m.ones(2, 2) @ w, m.tensor([0, 1]))
    return graph(loss), loss.dtype


@same
def switches_by_hand(m: Any) -> Any:
    m.set_autocast_enabled("cpu", True)
    m.set_autocast_dtype("cpu", m.float16)
    try:
        m.set_autocast_cache_enabled(False)
        told = (m.ones(1, 1) @ m.ones(1, 1)).dtype, m.is_autocast_cache_enabled()
    finally:
        m.set_autocast_enabled("cpu", False)
        m.set_autocast_dtype("cpu", m.bfloat16)
        m.set_autocast_cache_enabled(True)
        m.clear_autocast_cache()
    return told, (m.ones(1, 1) @ m.ones(1, 1)).dtype


@same
def a_gpu_is_not_there(m: Any) -> Any:
    with m.autocast("cuda"):
        return (m.ones(1, 1) @ m.ones(1, 1)).dtype, m.is_autocast_enabled("cpu"), m.is_autocast_enabled("cuda")


@same
def a_gpu_inside_a_region_changes_nothing(m: Any) -> Any:
    with m.autocast("cpu"), m.autocast("cuda"):
        return (m.ones(1, 1) @ m.ones(1, 1)).dtype


@same
def a_dtype_that_is_not_half(m: Any) -> Any:
    with m.autocast("cpu", dtype=m.float64):
        return (m.ones(1, 1) @ m.ones(1, 1)).dtype


@same
def a_device_that_is_no_text(m: Any) -> Any:
    return m.autocast(3)


@same
def a_region_is_not_called_with_a_number(m: Any) -> Any:
    return m.autocast("cpu")(3)


@same
def a_layer_of_recurrence_is_one_op_in_pytorch(m: Any) -> Any:
    with m.autocast("cpu"):
        out, (h, c) = m.nn.LSTM(4, 3)(m.ones(2, 1, 4))
    return out.dtype, h.dtype, c.dtype


@same
def what_is_available(m: Any) -> Any:
    return m.amp.is_autocast_available("cpu"), m.amp.is_autocast_available("cuda"), m.autocast is m.amp.autocast


def _custom(m: Any, **options: Any) -> Any:
    class Product(m.autograd.Function):  # type: ignore[misc]
        @staticmethod
        @m.amp.custom_fwd(device_type="cpu", **options)
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.save_for_backward(x, w)
            return x @ w

        @staticmethod
        @m.amp.custom_bwd(device_type="cpu")
        def backward(ctx: Any, g: Any) -> Any:
            x, w = ctx.saved_tensors
            return g @ w.t(), x.t() @ g

    return Product


@same
def a_custom_function_is_cast_to_what_it_asks_for(m: Any) -> Any:
    w, x, told = _weight(m), m.ones(2, 2, requires_grad=True), []
    for options in ({}, {"cast_inputs": m.float32}):
        with m.autocast("cpu"):
            y = _custom(m, **options).apply(x * 1, w)
        y.sum().backward()
        told += [y.dtype, x.grad, w.grad]
    return told, _custom(m, cast_inputs=m.float16).apply(x, w).dtype


@same
def a_checkpoint_is_run_again_in_halves(m: Any) -> Any:
    w, x = _weight(m), m.ones(2, 2)
    with m.autocast("cpu"):
        y = m.utils.checkpoint.checkpoint(lambda x: (x @ w).relu(), x, use_reentrant=True)
        loss = m.utils.checkpoint.checkpoint(lambda x: (x @ w).relu(), x, use_reentrant=False).sum()
    loss.backward()
    return y.dtype, loss.dtype, w.grad


@same
def the_older_names_say_so_and_do_nothing_without_a_gpu(m: Any) -> Any:
    @m.cuda.amp.autocast()
    def doubled(x: Any) -> Any:
        return x @ x

    scaler = m.cuda.amp.GradScaler()
    return type(scaler), scaler.scale(m.ones(1)), doubled(m.ones(2, 2)), m.cuda.amp.custom_fwd(max)(1, 2)


@same
def the_older_names_for_the_processor_say_so_too(m: Any) -> Any:
    @m.cpu.amp.autocast()
    def doubled(x: Any) -> Any:
        return x @ x

    with m.cpu.amp.autocast(False):
        plain = m.ones(2, 2) @ m.ones(2, 2)
    with m.cpu.amp.autocast(True, m.float16):
        half = m.ones(2, 2) @ m.ones(2, 2)
    scaler = m.cpu.amp.GradScaler()
    told = [repr(m.cpu.amp.autocast), type(scaler), isinstance(m.cpu.amp.autocast(), m.autocast)]
    return [*told, scaler.scale(m.ones(1)), doubled(m.ones(2, 2)).dtype, plain.dtype, half.dtype]


@pytest.mark.parametrize("tell", same, ids=lambda tell: tell.__name__)
def test_regions_are_as_in_pytorch(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


# --- the scaling of losses -------------------------------------------------------------------------------------------

scaled = Stories()


def _scaler(m: Any, **options: Any) -> tuple[Any, Any, Any]:
    w = m.nn.Parameter(m.tensor([1.0, 2.0]))
    return w, m.optim.SGD([w], lr=0.1), m.amp.GradScaler("cpu", **{"init_scale": 4.0, **options})


@scaled
def a_loss_is_multiplied_and_its_gradient_divided(m: Any) -> Any:
    w, optimizer, scaler = _scaler(m)
    loss = scaler.scale((w * w).sum())
    loss.backward()
    told = [loss, graph(loss), w.grad.clone()]
    scaler.unscale_(optimizer)
    return told, w.grad, scaler.step(optimizer), w, scaler.update(), scaler.state_dict()


@scaled
def what_overflowed_is_skipped(m: Any) -> Any:
    w, optimizer, scaler = _scaler(m)
    told = []
    for bad in (float("inf"), float("nan"), 1.0):
        optimizer.zero_grad()
        scaler.scale((w * bad).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        told += [w.clone(), scaler.get_scale()]
    return told


@scaled
def outputs_in_containers(m: Any) -> Any:
    _, _, scaler = _scaler(m)
    one = m.tensor(1.0)
    return scaler.scale([one, (one,)]), scaler.scale((one,)), list(scaler.scale(x for x in [one])), scaler.scale(3)


@scaled
def half_precision_outputs(m: Any) -> Any:
    _, _, scaler = _scaler(m)
    return scaler.scale(m.ones(2).half()), scaler.scale(m.tensor(1.0).half()), scaler.scale(m.tensor(2))


@scaled
def steps_and_divisions_come_once(m: Any) -> Any:
    w, optimizer, scaler = _scaler(m)
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    told = said(m, lambda _: scaler.unscale_(optimizer))
    scaler.step(optimizer)
    return told, said(m, lambda _: scaler.step(optimizer)), said(m, lambda _: scaler.unscale_(optimizer))


@scaled
def nothing_was_scaled(m: Any) -> Any:
    _, optimizer, scaler = _scaler(m)
    return [said(m, lambda _, do=do: do()) for do in (scaler.update, lambda: scaler.step(optimizer))]


@scaled
def nothing_has_a_gradient(m: Any) -> Any:
    _, optimizer, scaler = _scaler(m)
    scaler.scale(m.tensor(1.0))
    return said(m, lambda _: scaler.step(optimizer)), said(m, lambda _: scaler.update())


@scaled
def parameters_in_float16_are_refused(m: Any) -> Any:
    w = m.nn.Parameter(m.ones(2, dtype=m.float16))
    scaler, optimizer = m.amp.GradScaler("cpu", init_scale=4.0), m.optim.SGD([w], lr=0.1)
    scaler.scale(w.float().sum()).backward()
    return scaler.step(optimizer)


@scaled
def a_closure_is_refused(m: Any) -> Any:
    _, optimizer, scaler = _scaler(m)
    return scaler.step(optimizer, closure=lambda: None)


@scaled
def the_scale_can_be_set(m: Any) -> Any:
    w, optimizer, scaler = _scaler(m)
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    scaler.update(8.0)
    told = [scaler.get_scale()]
    scaler.update(m.tensor(16.0))
    told.append(scaler.get_scale())
    return told, said(m, lambda _: scaler.update(m.ones(2))), scaler.get_scale()


@scaled
def factors_that_go_the_wrong_way(m: Any) -> Any:
    wrong = ({"growth_factor": 1.0}, {"backoff_factor": 1.0})
    return [said(m, lambda m, options=options: _scaler(m, **options)) for options in wrong]


@scaled
def no_scaling_at_all(m: Any) -> Any:
    w, optimizer, scaler = _scaler(m, enabled=False)
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    return w, scaler.get_scale(), scaler.is_enabled(), scaler.state_dict(), scaler.load_state_dict({})


@scaled
def a_gpu_scaler_does_nothing(m: Any) -> Any:
    return m.amp.GradScaler().is_enabled()


@scaled
def a_scaler_goes_on_from_its_state(m: Any) -> Any:
    w, optimizer, scaler = _scaler(m, growth_interval=2)
    other = _scaler(m)[2]
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    other.scale(m.tensor(1.0))
    other.load_state_dict(scaler.state_dict())
    other.set_growth_factor(3.0)
    other.set_backoff_factor(0.25)
    other.set_growth_interval(5)
    settings = other.get_growth_factor(), other.get_backoff_factor(), other.get_growth_interval()
    return other.state_dict(), settings, said(m, lambda _: other.load_state_dict({}))


@scaled
def an_optimizer_may_unscale_for_itself(m: Any) -> Any:
    told: list[Any] = []
    scaler: Any = None

    class Taking(m.optim.Optimizer):  # type: ignore[misc, name-defined]
        _step_supports_amp_scaling = True

        def step(self, closure: Any = None) -> None:
            told.extend([self.grad_scale, self.found_inf])

    class Passed(Taking):
        def step(self, closure: Any = None, *, grad_scaler: Any = None) -> None:
            told.append(grad_scaler is scaler)

    for scale, early in ((1.0, False), (float("inf"), False), (1.0, True)):
        w, _, scaler = _scaler(m)
        for kind in (Taking, Passed):
            optimizer = kind([w], {})
            w.grad = None
            scaler.scale((w * scale).sum()).backward()
            if early:
                scaler.unscale_(optimizer)
            scaler.step(optimizer)
            told += [w.grad, hasattr(optimizer, "grad_scale"), said(m, partial(_step, scaler, optimizer))]
    return told


def _step(scaler: Any, optimizer: Any, m: Any) -> Any:
    return scaler.step(optimizer)


@pytest.mark.parametrize("tell", scaled, ids=lambda tell: tell.__name__)
def test_scaling_is_as_in_pytorch(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


def scales(m: Any, gradients: list[float], interval: int, growth: float, backoff: float) -> list[Any]:
    w, optimizer, scaler = _scaler(m, growth_interval=interval, growth_factor=growth, backoff_factor=backoff)
    told = []
    for size in gradients:
        optimizer.zero_grad()
        scaler.scale((w * size).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        told += [scaler.get_scale(), scaler.state_dict()["_growth_tracker"], w.tolist()]
    return told


@given(
    st.lists(st.sampled_from([0.5, 1e30, 1e38, float("inf"), float("nan")]), max_size=12),
    st.integers(1, 3),
    st.sampled_from([1.5, 2.0, 1e20]),
    st.sampled_from([0.5, 0.1]),
)
def test_the_scale_grows_and_shrinks_as_in_pytorch(
    gradients: list[float], interval: int, growth: float, backoff: float
) -> None:
    ours, theirs = (scales(m, gradients, interval, growth, backoff) for m in (autograd_lab, torch))
    for one, other in zip(ours, theirs, strict=True):
        assert one == pytest.approx(other, rel=1e-5, nan_ok=True)


def test_a_scaler_is_pickled_between_steps_only() -> None:
    w, optimizer, scaler = _scaler(autograd_lab)
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    with pytest.raises(AssertionError, match="may only be pickled at the beginning"):
        pickle.dumps(scaler)
    scaler.update()
    assert pickle.loads(pickle.dumps(scaler)).state_dict() == scaler.state_dict()


def without_and_with_scaling(m: Any) -> tuple[int, int]:
    """How many gradients of a weight vanish in float16: each is 1e-8, which is less than half its smallest number."""
    w, x = m.ones(4, 4, requires_grad=True), m.ones(4, 4)
    found = []
    for scale in (1.0, 2.0**16):
        w.grad = None
        with m.autocast("cpu", dtype=m.float16):
            y = x @ w
        (y.float().sum() * 1e-9 * scale).backward()
        found.append(int((w.grad == 0).sum()))
    return found[0], found[1]


def test_small_gradients_vanish_in_float16_unless_the_loss_is_scaled() -> None:
    assert without_and_with_scaling(autograd_lab) == without_and_with_scaling(torch) == (16, 0)
