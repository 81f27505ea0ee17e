"""Names of PyTorch that few programs use: what they give, warn of and refuse, one expression each."""

from __future__ import annotations

import importlib
import io
import sys
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import autograd_lab
from tests.worlds import is_alike, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

RARE = """
F.fractional_max_pool2d(m.arange(36.).view(1, 1, 6, 6), 2, 3, _random_samples=m.full((1, 1, 2), .3),
return_indices=True); F.fractional_max_pool2d(m.arange(42.).view(1, 7, 6), (2, 3), output_ratio=(.5, .5),
_random_samples=m.full((1, 1, 2), .7)); F.fractional_max_pool2d(m.full((1, 4, 4), float("nan")), 2, 2, None, True,
m.full((1, 1, 2), .3)); F.fractional_max_pool2d(m.ones(1, 4, 4), 2, 4); F.fractional_max_pool2d(m.ones(1, 4, 4), 2);
F.fractional_max_pool2d(m.ones(4, 4), 2, 1); F.fractional_max_pool2d(m.ones(1, 4, 4), 2, 1, _random_samples=m.ones(1,
2, 2)); F.fractional_max_pool2d(m.ones(1, 0, 4), 2, 1); nn.FractionalMaxPool2d(2); nn.FractionalMaxPool2d(2, 2, .5);
nn.FractionalMaxPool2d(2, output_ratio=1.5); nn.FractionalMaxPool2d(2, 3); nn.FeatureAlphaDropout(.3);
nn.FeatureAlphaDropout(2); F.feature_alpha_dropout(m.ones(3), .5, True); m.feature_dropout_(m.ones(2, 3), 1., True);
F.adaptive_max_pool2d_with_indices(m.arange(12.).view(1, 3, 4), (2, 2));
F.max_pool2d_with_indices(m.arange(12.).view(1, 3, 4), 2); m.max_pool1d_with_indices(m.arange(6.).view(1, 6), 2,
ceil_mode=True); F.max_pool2d_with_indices(m.ones(1, 2, 2), 2, return_indices=True); nn.LinearCrossEntropyLoss(3, 5,
out_features=(2,), bias=True); filled(nn.LinearCrossEntropyLoss(3, 5))(m.eye(3), m.tensor([0, 4, 2]));
filled(nn.LinearCrossEntropyLoss(3, 2, out_features=(2,), bias=True))(m.eye(3), m.tensor([[0, 1], [1, 1], [0, 0]]));
F.linear_cross_entropy(m.ones(1, 2, 3), m.ones(4, 3), m.tensor([0])); F.linear_cross_entropy(m.ones(2, 3), m.ones(4,
2), m.tensor([0, 1])); F.linear_cross_entropy(m.ones(2, 3), m.ones(4, 3), m.tensor([0, 1]), linear_bias=m.ones(3));
nn.LinearCrossEntropyOptions(acc_policy="no"); nn.LinearCrossEntropyOptions(batch_chunk_size=0);
nn.LinearCrossEntropyOptions(chunking_method="half"); nn.CrossMapLRN2d(3, .1, .75, 2)(m.arange(14.).view(1, 7, 2,
1)).tolist(); nn.CrossMapLRN2d(4)(m.arange(14.).view(1, 7, 2, 1)).tolist(); nn.CrossMapLRN2d(3)(m.ones(2, 2));
nn.Container(a=nn.ReLU()); nn.NLLLoss2d()(m.zeros(1, 3, 2, 2), m.zeros(1, 2, 2).long()).item();
m.embedding_bag(m.eye(3), m.tensor([0, 2, 1]), m.tensor([0, 2])); m.embedding_bag(m.eye(3), m.tensor([0, 2, 1]),
m.tensor([0, 2]), mode=1); m.embedding_bag(m.eye(3), m.tensor([0, 2, 1]), m.tensor([0, 2]), mode=2);
m.embedding_bag(m.eye(3), m.tensor([0]), m.tensor([0]), mode=3); m.convolution(m.ones(1, 2, 3), m.ones(1, 2, 2), None,
1, [0], [1], False, [0], 1); m.native_dropout(m.ones(3), .5, False); m.convolution(m.ones(2, 3), m.ones(1, 2, 2),
None, [1], [0], [1], False, [0], 1); m.native_dropout(m.ones(3), 1.5, True); m.conv_tbc(m.ones(2, 3), m.ones(1, 3, 2),
m.ones(2)); m.conv_tbc(m.ones(2, 1, 3), m.ones(1, 3, 2), m.ones(1)); m.native_dropout(m.ones(3), 1., True);
m.lstm_cell(m.ones(2, 5), (m.ones(2, 1), m.ones(2, 1)), m.ones(4, 3), m.ones(4, 1)); m.detach_copy(m.ones(2,
requires_grad=True)); [one.tolist() for one in m.lstm(m.ones(3, 2, 3), (m.ones(2, 2, 1),) * 2, [m.ones(4, 3),
m.ones(4, 1)] * 2, False, 1, 0., False, True, False)]; [one.tolist() for one in m.gru(m.ones(2, 3, 3), m.ones(1, 2,
1), [m.ones(3, 3), m.ones(3, 1)], False, 1, 0., False, False, True)]; [one.tolist() for one in m.rnn_tanh(m.ones(5,
3), m.tensor([2, 2, 1]), m.ones(1, 2, 1), [m.ones(1, 3), m.ones(1, 1)], False, 1, 0., False, False)];
m.t_copy(m.arange(6).view(2, 3)); m.split_copy(m.arange(6), 4); m.select_copy(m.ones(2), 0, 5);
m.slice_copy(m.ones(2), 0, step=0); m.t_copy(m.ones(2, 3), out=m.zeros(3, 2)); m.view_copy(m.arange(2),
m.int32).dtype; m.slice_copy(m.tensor(1.)); m.geqrf(m.tensor([[1., 2], [3, 4]])); m.geqrf(m.ones(2));
m.linalg.householder_product(m.ones(2, 3), m.ones(2)); m.geqrf(m.ones(2, 2).long()); m.ormqr(m.ones(3, 2), m.ones(1),
m.ones(3, 2)); m.ormqr(m.ones(3, 2), m.ones(2), m.ones(2, 2)); m.linalg.ldl_factor(m.ones(2, 3));
m.linalg.ldl_factor_ex(m.tensor([[0., 1, 2], [1, 0, 3], [2, 3, 0]])); m.linalg.ldl_factor(m.tensor([[4., 1], [1, 3]],
requires_grad=True)); m.linalg.ldl_solve(*m.linalg.ldl_factor(m.tensor([[0., 1, 2], [1, 0, 3], [2, 3, 0]])), m.ones(3,
1)); m.linalg.ldl_factor_ex(m.zeros(2, 2)); [getattr(m.special, f"{s}chebyshev_polynomial_{k}")(m.tensor([-1., 0, .3,
1, 2]), n).tolist() for s in ("", "shifted_") for k in "tuvw" for n in (-1, 0, 1, 5, 9)];
[m.special.hermite_polynomial_he(m.tensor([-1., 0, 2]), n).tolist() for n in (0, 1, 5)];
m.special.hermite_polynomial_h(m.ones(1), 200); [m.special.laguerre_polynomial_l(m.tensor([-1., 0, 2]), n).tolist()
for n in (0, 1, 5)]; m.special.legendre_polynomial_p(2., m.tensor([3.])); m.special.zeta(m.tensor([1., .5, 2, 2, 3, 3,
2.5]), m.tensor([1, 1, 0, -1, -1.5, -2.5, -1.5])); m.special.zeta(2., 3.); m.special.ndtri(m.tensor([-1., 0, 1e-9, 1,
2])); m.special.ndtri(m.ones(1).half()); m.special.spherical_bessel_j0(m.tensor([0., .1, float("inf"), -2]));
m.special.modified_bessel_i0(m.ones(2, requires_grad=True)); m.binomial(m.tensor([3., 5.]), m.tensor([0., 1]));
m.binomial(m.ones(1).long(), m.ones(1)); m.histogramdd(m.tensor([[0., 0], [1, 2], [2, 1]]), [2, 3]);
m.histogramdd(m.tensor([[0., 0], [1, 2]]), 2, range=[0., 2, 0, 2], density=True); m.histogramdd(m.ones(3), 2);
m.histogramdd(m.ones(3, 2), [2]); m.nonzero_static(m.tensor([0, 1, 2]), size=4); m.ones(2).nonzero_static(size=-1);
m.ones(2, 2).nonzero_static(size=2, fill_value=7); m.tensor([-1., 0, 2]).heaviside_(m.tensor(.5));
m.ones(2).heaviside_(1.); m.is_storage(m.ones(1).untyped_storage()); m.is_storage(3); m.ones(3).resize(1, 3);
m.ones(3).resize_as(m.zeros(3, 1)); m.ones(3).resize(2, 3); m.ones(2).module_load(m.zeros(2)); setattr(m.ones(2),
"grad_dtype", 3); (m.ones(2, requires_grad=True) * 2).grad_dtype; m.ones(2).const_data_ptr() > 0;
m.linalg.solve_ex(m.eye(2)); m.linalg.inv(); m.linalg.cholesky(); m.testing.assert_close(nn.Parameter(m.ones(2)),
m.ones(2), allow_subclasses=False); m.testing.assert_allclose([1.], m.ones(1)); m.testing.make_tensor(2, 3,
dtype=m.int64, device="cpu", low=3, high=4); m.testing.make_tensor(2, dtype=m.float32, device="cpu", low=3, high=2);
m.sym_max(1, 2.5); m.sym_min(1, 2.5); m.sym_ite(True, 1, 2); m.sym_ite(True, 1, 2.); m.sym_sum([1, 2, 3]);
m.sym_not(0); m.sym_sqrt(4); m.sym_int(2.7); isinstance(3, m.SymInt); m.cond(m.tensor(True), lambda x: x + 1, lambda
x: x - 1, (m.ones(2),)); m.cond(m.ones(2) > 0, lambda: 1, lambda: 2, ()); m.func.rearrange(m.arange(6).view(2, 3), "a
b -> (b a) 1"); m.func.rearrange(m.arange(12).view(6, 2), "(a b) c -> b c a", a=2); m.func.rearrange(m.ones(2), "a ->
b a"); m.func.rearrange(m.arange(8).view(2, 2, 2), "a ... -> (... a)"); m.func.rearrange(m.ones(2, 3), "a");
m.func.rearrange(m.ones(2), "a _b -> a");
list(m.func.replace_all_batch_norm_modules_(nn.BatchNorm1d(2)).state_dict()); m.random.thread_safe_generator();
m.linalg.solve(m.eye(2)); m.linalg.matrix_power(); m.asarray(m.ones(2, requires_grad=True), requires_grad=False);
[nn.init._calculate_correct_fan(m.ones(2, 3, 4), mode) for mode in ("fan_in", "FAN_OUT")];
nn.init._calculate_correct_fan(m.ones(2, 3), "fan"); nn.init._no_grad_fill_(m.ones(2, requires_grad=True), 3.);
nn.init._no_grad_zero_(m.ones(2)); m.PyTorchFileReader.__name__; m.Stream.__name__
"""
EXPRESSIONS = " ".join(RARE.split()).split("; ")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_rare_name_gives_and_refuses_what_it_does_in_pytorch(expression: str) -> None:
    (ours, warned), (theirs, told) = said(autograd_lab, expression), said(torch, expression)
    assert is_alike(ours, theirs), (ours, theirs)
    assert warned == told


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: m.cross(m.ones(3), m.ones(3)), "without specifying the dim arg"),
        (lambda m: m.asarray(m.ones(2, requires_grad=True)), "unspecified requires_grad now defaults"),
        (lambda m: m.set_default_tensor_type(m.FloatTensor), "is deprecated as of PyTorch 2.1"),
    ],
)
def test_what_pytorch_warns_of_once_is_warned_of(call: Any, words: str) -> None:
    with pytest.warns(UserWarning, match=words):
        call(autograd_lab)
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match=words):
            call(torch)
    finally:
        torch.set_warn_always(before)


class Thing:
    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


@pytest.mark.parametrize("m", [autograd_lab, torch])
def test_a_pickle_is_read_with_weights_only_if_all_that_it_names_was_called_safe(m: Any) -> None:
    file = io.BytesIO()
    m.save(Thing(m.nn.Parameter(m.ones(2))), file)

    def read() -> Any:
        file.seek(0)
        return m.load(file, weights_only=True).tensor.tolist()

    with pytest.raises(Exception, match="Weights only load failed"):
        read()
    with m.serialization.safe_globals([Thing]):
        assert read() == [1.0, 1.0]
    with pytest.raises(Exception, match="Weights only load failed"):
        read()
    m.serialization.add_safe_globals([(Thing, f"{Thing.__module__}.Thing")])
    assert read() == [1.0, 1.0]
    m.serialization.clear_safe_globals()
    assert m.serialization.get_safe_globals() == []


@pytest.mark.parametrize("m", [autograd_lab, torch])
def test_a_file_is_the_memory_of_a_tensor(m: Any, tmp_path: Any) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(bytes(range(8)))
    assert m.from_file(str(path), size=4, dtype=m.uint8).tolist() == [0, 1, 2, 3]
    m.from_file(str(path), shared=True, size=2, dtype=m.uint8).fill_(9)
    assert path.read_bytes()[:4] == bytes([9, 9, 2, 3])
    with pytest.raises(RuntimeError, match="is smaller than the required mapping size <20>"):
        m.from_file(str(path), size=20, dtype=m.uint8)


@pytest.mark.parametrize("m", [autograd_lab, torch])
def test_what_could_be_overridden_is_told(m: Any) -> None:
    overridable = m.overrides.get_testing_overrides()
    assert overridable[m.add](1, 2) == -1
    assert m.nn.functional.relu in overridable
    assert m.Tensor.sum in m.overrides.get_overridable_functions()[m.Tensor]
    assert m.is_tensor in m.overrides.get_ignored_functions()
    assert not m.nn.functional.has_torch_function_variadic(m.ones(1), 2)


@pytest.mark.parametrize("corner", ["causal_upper_left", "causal_lower_right"])
@pytest.mark.parametrize("sizes", [(2, 3), (3, 3), (3, 2)])
def test_a_causal_mask_is_counted_from_its_corner(corner: str, sizes: tuple[int, int]) -> None:
    def story(m: Any) -> list[Any]:
        bias = importlib.import_module(f"{m.__name__}.nn.attention.bias")
        mask, f = getattr(bias, corner)(*sizes), m.nn.functional.scaled_dot_product_attention
        q = m.arange(4.0 * sizes[0]).sin().view(1, 1, sizes[0], 4).requires_grad_()
        k = m.arange(4.0 * sizes[1]).cos().view(1, 1, sizes[1], 4)
        z = f(q, k, k * 2, mask)
        told = [repr(mask), mask.variant, mask.seq_len_q, mask.seq_len_kv, mask.shape, isinstance(mask, m.Tensor)]
        told += [z.grad_fn.name(), z.tolist(), m.autograd.grad(z.sum(), q)[0].tolist(), f(q, k, k, attn_mask=mask)]
        return [*told, said(m, lambda m: f(q, k, k, mask, is_causal=True)), said(m, lambda m: getattr(bias, corner)(3))]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), (ours, theirs)


WAYS = ["MATH"], ["FLASH_ATTENTION"], ["EFFICIENT_ATTENTION", "CUDNN_ATTENTION"], [], ["ERROR"]
ATTENDED = {
    "plain": lambda m, q: (q, q, q),
    "two dimensions": lambda m, q: (q[0, 0], q[0, 0], q[0, 0]),
    "other widths": lambda m, q: (q, q, q[..., :2].contiguous()),
    "another batch": lambda m, q: (q, q[:, :1].mT.mT.transpose(0, 1), q.transpose(0, 1)),
    "fewer heads": lambda m, q: (q, q[:, :1], q[:, :1]),
    "steps": lambda m, q: (q.mT, q.mT, q.mT),
    "mask": lambda m, q: (q, q, q, m.zeros(4, 4)),
    "mask that learns": lambda m, q: (q, q, q, m.zeros(4, 4, requires_grad=True)),
    "dropout": lambda m, q: (q, q, q, None, 1.0),
    "nothing": lambda m, q: (q[..., :0], q[..., :0], q[..., :0]),
}


def test_the_older_way_to_choose_attention_says_that_it_is_left() -> None:
    def story(m: Any) -> list[Any]:
        told = []
        for flags in ((), (False,), (True, False, False, False)):
            with m.backends.cuda.sdp_kernel(*flags) as context:
                told += [context, m.backends.cuda.flash_sdp_enabled(), m.backends.cuda.math_sdp_enabled()]
        return told

    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize("names", WAYS, ids="-".join)
@pytest.mark.parametrize("operands", ATTENDED)
def test_a_program_says_which_ways_to_compute_attention_there_are(names: list[str], operands: str) -> None:
    def story(m: Any) -> list[Any]:
        module = importlib.import_module(f"{m.__name__}.nn.attention")
        q = m.arange(32.0).sin().view(1, 2, 4, 4).requires_grad_()
        with (
            module.sdpa_kernel([getattr(module.SDPBackend, name) for name in names]),
            warnings.catch_warnings(record=True) as w,
        ):
            warnings.simplefilter("always")
            told = [m.backends.cuda.flash_sdp_enabled(), m.backends.cuda.mem_efficient_sdp_enabled()]
            told += [outcome(lambda: m.nn.functional.scaled_dot_product_attention(*ATTENDED[operands](m, q)))]
        flags = [m.backends.cuda.flash_sdp_enabled(), m.backends.cuda.math_sdp_enabled()]
        return told + flags + [str(one.message).partition(" (Triggered")[0] for one in w]

    ours, theirs = story(autograd_lab), story(torch)
    assert is_alike(ours, theirs), (ours, theirs)


def outcome(action: Callable[[], Any]) -> Any:
    try:
        return repr(action())
    except RuntimeError as error:
        return str(error).splitlines()[0]


@pytest.mark.parametrize("m", [autograd_lab, torch])
def test_what_is_no_way_to_compute_attention_is_refused(m: Any) -> None:
    sdpa_kernel = importlib.import_module(f"{m.__name__}.nn.attention").sdpa_kernel
    with pytest.raises(AssertionError, match="a list of SDPBackend instances, got str"), sdpa_kernel("math"):
        pass


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_attention_lies_in_memory_as_its_query_does(dtype: str) -> None:
    """Programs write `y.transpose(1, 2).view(...)`, without `contiguous`, where the query was turned round before."""
    for m in (autograd_lab, torch):
        q = m.arange(24.0).sin().to(getattr(m, dtype)).view(1, 3, 2, 4).transpose(1, 2)
        assert m.nn.functional.scaled_dot_product_attention(q, q, q).transpose(1, 2).view(1, 3, 8).is_contiguous()


COUNTED = {
    "linear": lambda m, x: m.nn.Linear(8, 5)(x),
    "linear of data": lambda m, x: m.nn.Linear(8, 5)(x.detach()),
    "linear of a batch": lambda m, x: m.nn.Linear(8, 5, bias=False)(x.view(2, 2, 8)),
    "linear of one": lambda m, x: m.nn.Linear(8, 5)(x[0].detach()),
    "nothing recorded": lambda m, x: m.nn.Linear(8, 5).requires_grad_(False)(x.detach()),
    "products": lambda m, x: x @ x.t() + (x @ m.ones(8)).sum() + x[0] @ x[1],
    "product of batches": lambda m, x: x.view(2, 2, 8) @ x.view(2, 8, 2) + m.einsum("ij,kj->ik", x, x)[:2, :2],
    "added": lambda m, x: m.addmm(m.ones(4, 4), x, x.t()) + m.baddbmm(m.ones(1, 4, 4), x[None], x.t()[None]),
    "convolution": lambda m, x: m.nn.Conv2d(2, 6, 3, padding=1, stride=2)(x.view(1, 2, 4, 4)),
    "convolution in groups": lambda m, x: m.nn.Conv1d(4, 8, 3, groups=2, bias=False)(x[None].detach()),
    "convolution turned round": lambda m, x: m.nn.ConvTranspose2d(2, 6, 3)(x.view(1, 2, 4, 4)),
    "layers": lambda m, x: _layers(m)(x),
    "attention": lambda m, x: m.nn.MultiheadAttention(8, 2)(x, x, x)[0],
    "attention at once": lambda m, x: m.nn.functional.scaled_dot_product_attention(*[x.view(1, 2, 2, 8)] * 3),
    "gru": lambda m, x: m.nn.GRU(8, 4)(x.view(2, 2, 8))[0],
    "gradient of a gradient": lambda m, x: m.autograd.grad((x @ x.t()).tanh().sum(), x, create_graph=True)[0] ** 2,
}


def _layers(m: Any) -> Any:
    nn = m.nn
    return nn.Sequential(nn.Linear(8, 6), nn.Sequential(nn.ReLU(), nn.Linear(6, 2)))


@pytest.mark.parametrize("named", COUNTED)
def test_products_and_convolutions_are_counted_by_layer_as_in_pytorch(named: str) -> None:
    def story(m: Any) -> Any:
        counter = importlib.import_module(f"{m.__name__}.utils.flop_counter").FlopCounterMode(display=False)
        x = m.ones(4, 8, requires_grad=True)
        with counter:
            y = COUNTED[named](m, x)
            if y.requires_grad:
                y.sum().backward()
        assert counter.get_flop_counts().get("Global", {}).get(m.ops.aten.mm, 0) <= counter.get_total_flops()
        by_layer = {
            name: sorted((str(op), cost) for op, cost in of.items()) for name, of in counter.flop_counts.items()
        }
        return sorted(by_layer.items()), counter.get_total_flops()

    assert said(autograd_lab, story)[0] == said(torch, story)[0]


def test_what_counts_may_be_made_in_case_it_is_wanted_and_takes_other_costs() -> None:
    def story(m: Any) -> Any:
        module = importlib.import_module(f"{m.__name__}.utils.flop_counter")
        idle = module.FlopCounterMode(m.nn.Linear(2, 2), display=False)
        costs = {m.ops.aten.mm: lambda x, y, out_shape=None, **_: x[0] + out_shape[1]}
        with module.FlopCounterMode(display=False, custom_mapping=costs) as counter:
            m.ones(3, 4) @ m.ones(4, 5)
        m.ones(3, 4) @ m.ones(4, 5)
        with pytest.raises(RuntimeError, match=r"duplicate registrations for aten\.mm"):
            module.register_flop_formula(m.ops.aten.mm)(len)
        return idle.get_flop_counts(), idle.get_total_flops(), counter.get_total_flops()

    assert said(autograd_lab, story) == said(torch, story)


def test_counts_are_drawn_as_the_table_of_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    """What draws it is a package of its own, which need not be there: what it is given is compared."""
    monkeypatch.setitem(sys.modules, "tabulate", SimpleNamespace(tabulate=lambda rows, *_, **__: repr(rows)))

    def story(m: Any) -> Any:
        counters = []
        for extra in (0, 1):
            counter = importlib.import_module(f"{m.__name__}.utils.flop_counter").FlopCounterMode(display=False)
            x, layers = m.ones(400, 8), _layers(m)
            with counter:
                layers(x)
                x.t() @ x if extra else None
            counters.append(counter)
        with type(counter)(display=False) as none:
            x + 1
        return [each.get_table(depth) for each in (*counters, none) for depth in (None, 1, 5)]

    assert said(autograd_lab, story) == said(torch, story)
