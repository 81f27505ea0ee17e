"""Corners at which a wrong number would be easy and silent: values and gradients are those of real PyTorch."""

from __future__ import annotations

import copy
import io
import pickle
import re
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.worlds import Stories, is_alike, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

corners = Stories()


def slopes(m: Any, y: Any, *leaves: Any) -> Any:
    """The values, their weighted gradients, and the gradients of those."""
    weights = m.arange(1.0, y.numel() + 1, dtype=y.dtype).reshape(y.shape)
    first = m.autograd.grad((y * y * weights).sum(), leaves, create_graph=True, allow_unused=True)
    total = sum((one * one).sum() for one in first if one is not None)
    second = m.autograd.grad(total, leaves, allow_unused=True) if total.requires_grad else None
    return y.detach(), [None if one is None else one.detach() for one in first], second


def four(m: Any) -> Any:
    return m.arange(4.0, dtype=m.float64).requires_grad_()


@corners
def windows_by_strides_add_up_where_they_overlap(m: Any) -> Any:
    x = four(m)
    return slopes(m, x.as_strided((3, 2), (1, 1)), x), slopes(m, (x * 2).as_strided((2, 2), (1, 1)).exp(), x)


@corners
def strides_over_an_expanded_tensor_count_each_element_once(m: Any) -> Any:
    x = four(m)
    return slopes(m, x[:3].expand(3, 3).as_strided((3, 2), (0, 1)), x)


@corners
def an_offset_counts_from_the_beginning_of_the_memory(m: Any) -> Any:
    x = four(m)
    return slopes(m, x[2:].as_strided((2, 2), (1, 1), 0), x), slopes(m, x[1:].as_strided((3,), (1,)), x)


@corners
def a_number_filled_in_twice_gets_its_gradient_once(m: Any) -> Any:
    x, v = m.ones(3, requires_grad=True), m.tensor(2.0, requires_grad=True)
    return slopes(m, x.index_fill(0, m.tensor([1, 1, 0]), v), x, v)


@corners
def products_have_gradients_at_zero(m: Any) -> Any:
    told = []
    for numbers in (0.0, [0.0, 0.0, 3.0], [0.0, 2.0, 3.0], [[0.0, 1.0], [2.0, 0.0]]):
        for dim in (None, 0, -1):
            x = m.tensor(numbers, dtype=m.float64, requires_grad=True)
            told.append(slopes(m, x.prod() if dim is None else x.prod(dim), x))
    return told


@corners
def a_scattered_product_has_gradients_at_zero(m: Any) -> Any:
    index = m.tensor([0, 0, 1, 1, 2])
    told = []
    for include in (True, False):
        for first, others in (([0.0, 2, 3], [1.0, 2, 0, 4, 5]), ([1.0, 0, 0], [0.0, 0, 2, 0, 0])):
            x = m.tensor(first, dtype=m.float64, requires_grad=True)
            src = m.tensor(others, dtype=m.float64, requires_grad=True)
            y = x.scatter_reduce(0, index, src, "prod", include_self=include)
            told.append([y.detach(), m.autograd.grad((y * m.tensor([1.0, 2, 3])).sum(), (x, src))])
    return told


@corners
def a_loss_of_nothing_but_ignored_targets_is_nan_and_its_gradient_is_0(m: Any) -> Any:
    x = m.tensor([[1.0, 2, 3], [4, 0, 1]], requires_grad=True)
    told = []
    for smoothing in (0.0, 0.1):
        for reduction in ("mean", "sum", "none"):
            loss = m.nn.functional.cross_entropy(
                x, m.tensor([1, 1]), ignore_index=1, reduction=reduction, label_smoothing=smoothing
            )
            told.append([loss.detach(), m.autograd.grad(loss.sum(), x)])
    return told


@corners
def a_circular_margin_may_be_cut_off(m: Any) -> Any:
    x = m.arange(9.0).view(1, 1, 3, 3).requires_grad_()
    return [
        slopes(m, m.nn.functional.pad(x, sides, "circular"), x)
        for sides in ((-1, 1, -2, 1), (2, -1, 1, -1), (0, 0, 1, 2), (-1, 2, 0, 3))
    ]


@corners
def what_is_done_no_times_is_a_copy_with_a_history(m: Any) -> Any:
    x = m.ones(2, 2, requires_grad=True)
    power, same = m.linalg.matrix_power(x, 0), m.diff(x, n=0, prepend=m.ones(2, 1))
    return slopes(m, power, x), same, power.grad_fn.name(), same.grad_fn.name()


@corners
def windows_that_output_padding_adds_see_nothing(m: Any) -> Any:
    x, w = m.ones(1, 2, 3, 3, requires_grad=True), m.ones(2, 1, 2, 2, requires_grad=True)
    y = m.nn.functional.conv_transpose2d(x, w, stride=(3, 2), output_padding=(2, 3), dilation=4, padding=1)
    return slopes(m, y, x, w)


@corners
def a_0d_tensor_is_gathered_and_scattered_to_as_one_of_one_element(m: Any) -> Any:
    x, index = m.tensor(3.0, requires_grad=True), m.tensor([0])
    src = m.tensor([2.0], requires_grad=True)
    return (
        slopes(m, x.gather(0, index), x), slopes(m, x.scatter_add(0, index, src), x, src),
        slopes(m, x.scatter(0, index, src), x, src),
        slopes(m, x.scatter_reduce(0, index, src, "amax"), x, src), x.scatter(0, m.tensor(0), 5.0).detach(),
    )  # fmt: skip


@corners
def positions_along_a_dimension_may_count_from_the_end(m: Any) -> Any:
    x = m.arange(6.0).view(2, 3).requires_grad_()
    flat = said(m, lambda m: m.take_along_dim(x, m.tensor([-2])))
    return slopes(m, m.take_along_dim(x, m.tensor([[-1], [0]]), 1), x), flat


@corners
def a_matrix_without_elements_has_an_inverse(m: Any) -> Any:
    return m.linalg.inv(m.ones(0, 0)), m.linalg.inv(m.ones(2, 0, 0))


@corners
def targets_of_a_loss_of_logits_are_no_integers(m: Any) -> Any:
    return [
        said(m, lambda m, kind=kind: m.nn.functional.binary_cross_entropy_with_logits(m.ones(2), m.ones(2).to(kind)))
        for kind in (m.int64, m.bool, m.uint8, m.float64, m.float16)
    ]


@corners
def arrays_that_run_backwards_are_refused(m: Any) -> Any:
    array = np.arange(3.0)[::-1]
    return [said(m, lambda m, make=make: getattr(m, make)(array)) for make in ("from_numpy", "tensor", "as_tensor")]


@corners
def integers_wrap_around_in_arithmetic_and_are_refused_as_elements(m: Any) -> Any:
    wrapped = [m.tensor([3], dtype=m.int8) * 1000, m.tensor(3, dtype=m.uint8) - 4, m.tensor(3, dtype=m.int8) > 1000]
    return wrapped, [
        said(m, lambda m, number=number, kind=kind, f=f: f(m, number, kind))
        for number in (1000, -1, 300, 3 * 10**9, float("nan"), float("inf"))
        for kind in (m.int8, m.uint8, m.int32)
        for f in (
            lambda m, number, kind: m.full((1,), number, dtype=kind),
            lambda m, number, kind: m.tensor([number], dtype=kind),
            lambda m, number, kind: m.ones(1, dtype=kind).fill_(number),
            lambda m, number, kind: m.full_like(m.ones(1, dtype=kind), number),
        )
    ]


@corners
def a_number_that_a_dtype_does_not_hold_is_refused_and_a_negative_one_wraps_around(m: Any) -> Any:
    f, at = m.nn.functional, m.tensor([0])
    return [
        said(m, lambda m, number=number, kind=kind, op=op: op(m.ones(3, dtype=kind), number))[0]
        for number in (-1, 300, 1000, -5.5, 1e6, 1e39, float("inf"))
        for kind in (m.uint8, m.int8, m.float16, m.float32)
        for op in (
            lambda x, k: x.add(x, alpha=k), lambda x, k: x.sub(x, alpha=k), lambda x, k: x.clamp(k),
            lambda x, k: x.clamp(max=k), lambda x, k: x.masked_fill(x == 1, k), lambda x, k: m.where(x == 1, k, x),
            lambda x, k: m.where(x == 1, x, k), lambda x, k: x.index_fill(0, at, k), lambda x, k: x.scatter(0, at, k),
            lambda x, k: x.__setitem__(0, k) or x, lambda x, k: f.threshold(x, 0, k),
            lambda x, k: x.addcmul(x, x, value=k),
            lambda x, k: f.pad(x, (1, 1), value=k), lambda x, k: m.scalar_tensor(k, dtype=x.dtype),
            lambda x, k: x.index_add(0, at, x[:1], alpha=k), lambda x, k: m.searchsorted(x, k),
            lambda x, k: m.tensor([k], dtype=x.dtype), lambda x, k: x.masked_fill(x == 1, m.tensor(k)),
        )
    ] + [
        said(m, lambda m, kind=kind, op=op: op(m.ones(3, dtype=kind), 300))
        for kind in (m.uint8, m.int8)
        for op in (lambda x, k: x % k, lambda x, k: x.fmod(k), lambda x, k: x.pow(k), lambda x, k: f.hardtanh(x, 0, k))
    ]  # fmt: skip


@corners
def what_is_asked_of_bytes_is_answered_in_bytes_and_no_dimensions_are_none(m: Any) -> Any:
    x = m.tensor([[1, 0], [1, 1]])
    return [
        (kind, dim, ask(x.to(getattr(m, kind)), dim), ask(x.to(getattr(m, kind)), dim, True))
        for ask in (m.all, m.any)
        for kind in ("uint8", "int64", "float32", "bool")
        for dim in ((), [], None, (0, 1), 0, -1)
    ]


@corners
def products_of_small_integers_stay_small(m: Any) -> Any:
    x = m.arange(12).view(3, 4)
    return [
        [
            *(
                m.tensordot(one.t(), one.t(), 2),
                m.tensordot(one[:, :1], one[:, :1], 2),
                m.addbmm(one[:, :3], both, both),
            ),
            *(m.addmm(one[:, :3], one[:, :3], one[:, :3], beta=-1), m.addbmm(one[:, :3], both[:0], both[:0], beta=2)),
        ]
        for one in (x.to(m.uint8), x.to(m.int8), x)
        for both in [m.stack([one[:, :3], one[:, 1:]])]
    ]


@corners
def what_is_added_with_a_beta_of_0_is_not_looked_at(m: Any) -> Any:
    x, none = m.arange(9.0).view(3, 3).requires_grad_(), m.full((3, 3), float("nan"))
    found = [
        m.addmm(none, x, x, beta=0), m.addbmm(none, x[None], x[None], beta=0), m.addmv(none[0], x, x[0], beta=0),
        m.addr(none, x[0], x[1], beta=0), m.baddbmm(none[None], x[None], x[None], beta=0, alpha=2),
    ]  # fmt: skip
    return [slopes(m, each, x) for each in found]


KEYS = """
x[0:2:0] | x[0:2:-1] | x[[0, 1], ::0] | x[np.int64(1)] | x[np.array(1)] | x[np.array([0.5])]
x[np.array([True, False])]
x[[range(2)]] | x[[range(2), 0]] | x[[np.array([0, 1]), np.array([0, 1])]] | x[np.array([0, 1], np.int8)] | x[b"a"]
x[m.tensor(1, dtype=m.int8)] | x[m.tensor([1], dtype=m.int8)] | x[:, m.tensor([1], dtype=m.int16)] | x[np.array(True)]
x[np.array(1.0)] | x[2**63] | x[0, 2**70] | x[0 : 2**70] | x[np.array(1), 0] | x[[[0]] * 31] | x[[[1]] * 40].sum()
x[[m.tensor(0)] * 33].shape | x.__setitem__(m.tensor([1], dtype=m.int8), 1.0) | x.__setitem__(slice(0, 2, 0), 1.0)
x.index_put((), m.ones(1)) | x.index_put((), m.ones(5)) | x.index_fill(0, m.tensor([[0]]), 1)
x.put(m.tensor([0]), m.ones(1).double()) | x.put(m.tensor([0]), m.ones(2)) | x[[range(1)] * 40].shape
m.tensor([]).set_(x.untyped_storage(), 4, (2, 2), (7, 1))[[0, 1], [1, 0]]
"""


@corners
def keys_may_come_from_numpy_and_odd_ones_are_refused(m: Any) -> Any:
    x = m.arange(24.0).view(2, 3, 4)
    names = {"m": m, "x": x, "np": np}
    keys = [each.strip() for each in KEYS.replace("\n", "|").split("|") if each.strip()]
    return [(key, said(m, lambda m, key=key: eval(key, names))[0]) for key in keys]


@corners
def distances_and_losses_of_integers_are_floating(m: Any) -> Any:
    f, a, b = m.nn.functional, m.tensor([[1, 2]]), m.tensor([[1, 4]])
    return (
        f.poisson_nll_loss(a, b), f.poisson_nll_loss(a, b, log_input=False), f.poisson_nll_loss(a, b, full=True),
        f.pairwise_distance(a, b), f.margin_ranking_loss(a, b, m.tensor([[1, -1]])), f.triplet_margin_loss(a, b, a + 3),
    )  # fmt: skip


@corners
def copies_and_files_keep_that_tensors_share_memory(m: Any) -> Any:
    a = m.arange(6.0)
    copied = copy.deepcopy({"a": a, "v": a[:2], "t": a.view(2, 3).t(), "e": a[0].expand(2)})
    file = io.BytesIO()
    m.save([a[1:], a, a.view(2, 3).t(), a[0].expand(2)], file)
    file.seek(0)
    read = m.load(file)
    copied["v"][0], read[0][0] = 9.0, 7.0
    return copied, read, [(one.stride(), one.storage_offset()) for one in (*copied.values(), *read)], a


@corners
def a_view_is_pickled_and_copied_with_all_of_its_memory_and_its_place_there(m: Any) -> Any:
    a, i = m.arange(12.0).view(3, 4), m.arange(4, dtype=m.int32)
    module = m.nn.Module()
    module.w = m.nn.Parameter(m.arange(6.0).view(2, 3).t())
    module.register_buffer("b", module.w.detach()[1])
    views = {
        "a": a,
        "rows": a[1:, ::2],
        "t": a.t(),
        "e": a[0].expand(2, 4),
        "two": i.view(m.int16)[3:],
        "i": i,
        "m": module,
    }
    file = io.BytesIO()
    m.save([a[1:, ::2], a], file)
    file.seek(0)
    found = []
    for made in (copy.deepcopy(views), pickle.loads(pickle.dumps(views)), m.load(file), {"c": copy.copy(a[1])}):
        tensors = [*(made.values() if isinstance(made, dict) else made)]
        for one in [each for each in tensors if isinstance(each, m.Tensor)]:
            found.append(
                (one, one.stride(), one.storage_offset(), one.untyped_storage().nbytes(), one._version, one._base)
            )
        (made.get("rows") if isinstance(made, dict) and "rows" in made else tensors[0]).zero_()
        found.append([one.tolist() if isinstance(one, m.Tensor) else list(one.state_dict().items()) for one in tensors])
    return found, a, said(m, lambda m: m.save([i, i.view(m.int16)], io.BytesIO()))


@corners
def a_hook_is_not_pickled_which_is_said_once_for_each(m: Any) -> Any:
    x = m.tensor(2.0, requires_grad=True)
    x.register_hook(m.utils.hooks.unserializable_hook(lambda g: g))
    quiet = said(m, lambda m: pickle.dumps(x) and None)
    x.register_hook(len)
    return quiet, said(m, lambda m: (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)))


@corners
def a_hook_of_several_gradients_is_called_as_often_as_in_pytorch(m: Any) -> Any:
    calls: list[Any] = []
    for pick in (lambda leaf, mid, root: [leaf, root], lambda *all: list(all), lambda leaf, mid, root: [leaf, mid]):
        leaf = m.tensor(2.0, requires_grad=True)
        mid = leaf * 3
        root = mid * leaf
        m.autograd.graph.register_multi_grad_hook(pick(leaf, mid, root), calls.append)
        root.backward(retain_graph=True)
        m.autograd.backward([root, mid])
    return calls


@corners
def what_a_saved_tensor_hook_gives_back_in_another_shape_is_a_runtime_error(m: Any) -> Any:
    x = m.tensor(2.0, requires_grad=True)
    with m.autograd.graph.saved_tensors_hooks(lambda saved: saved, lambda kept: m.ones(5)):
        y = (x.expand(3) * 1).exp().sum()
    return said(m, lambda m: y.backward())


MAKERS = {
    "pictures": "m.arange(120.0).reshape(2, 3, 4, 5)",
    "one channel": "m.arange(40.0).reshape(2, 1, 4, 5)",
    "one pixel": "m.arange(6.0).reshape(2, 3, 1, 1)",
    "one picture": "m.arange(60.0).reshape(1, 3, 4, 5)",
    "turned": "m.arange(120.0).reshape(2, 4, 5, 3).permute(0, 3, 1, 2)",
    "part": "m.arange(240.0).reshape(2, 6, 4, 5)[:, ::2]",
    "matrix": "m.ones(2, 3)",
}
BY_PIXELS = """
x | x.to(memory_format=CL) | x.contiguous(memory_format=CL) | x.clone(memory_format=CL) | x.to(memory_format=CF)
x.to(m.float64, memory_format=CL) | x.to(memory_format=CL).to(memory_format=CF) | x.to(memory_format=CL).clone()
x.to(memory_format=CL).contiguous() | x.to(memory_format=CL).double() | x.to(memory_format=CL) * 2 + 1
m.zeros_like(x.to(memory_format=CL)) | m.ones_like(x, memory_format=CL) | m.empty(x.shape, memory_format=CL).zero_()
m.zeros_like(x.to(memory_format=CL), memory_format=CF) | x.to(memory_format=m.preserve_format)
x.to(memory_format=CL).relu() | x.to(memory_format=CL).clone(memory_format=CF) | x.to(memory_format=CL).sigmoid()
x.to(memory_format=CL)[:, :2] | x.to(memory_format=CL) + x.to(memory_format=CL)
"""


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("line", re.split(r"[|\n]", BY_PIXELS.strip()))
def test_pictures_are_kept_by_pixels_where_that_is_asked(maker: str, line: str) -> None:
    found = []
    for world in (autograd_lab, torch):
        names = {"m": world, "CL": world.channels_last, "CF": world.contiguous_format}
        try:
            x = eval(MAKERS[maker], names)
            z = eval(line, {**names, "x": x})
            orders = [z.is_contiguous(memory_format=order) for order in (world.channels_last, world.contiguous_format)]
            steps = [step for step, size in zip(z.stride(), z.shape, strict=True) if size > 1]
            found.append([steps, z.tolist(), z.is_contiguous(), *orders, z is x])
        except RuntimeError as error:
            found.append([str(error).splitlines()[0]])
    assert found[0] == found[1]


def test_pictures_of_one_channel_may_be_kept_by_pixels_too() -> None:
    def story(m: Any) -> Any:
        x, y = m.empty(4, 1, 4, 4), m.empty(4, 3, 1, 1)
        order = {"memory_format": m.channels_last}
        made = x.to(**order), x.contiguous(**order), y.to(**order), y.contiguous(**order), m.empty(2, 1, 3, 3, **order)
        return [(z.stride(), z.is_contiguous(), z.is_contiguous(**order)) for z in made]

    assert story(autograd_lab) == story(torch)


def test_a_model_has_its_kernels_by_pixels_and_no_other_weights() -> None:
    def story(m: Any) -> Any:
        model = m.nn.Sequential(m.nn.Conv2d(2, 3, 2), m.nn.BatchNorm2d(3), m.nn.Flatten(), m.nn.Linear(12, 2))
        moved = model.to(memory_format=m.channels_last)
        x = m.ones(1, 2, 3, 3, requires_grad=True)
        x.to(memory_format=m.channels_last).sum().backward()
        node = x.to(memory_format=m.channels_last).grad_fn
        return moved is model, [p.stride() for p in model.parameters()], x.grad.tolist(), type(node).__name__

    assert story(autograd_lab) == story(torch)


@corners
def outputs_may_be_viewed_where_they_may_in_pytorch(m: Any) -> Any:
    """Reductions, softmax and running totals lie in order, of whatever layout what they are of is."""
    f = m.nn.functional
    ops: list[Any] = [
        lambda x: x.sum(1), lambda x: x.mean((0, 3)), lambda x: x.prod(1), lambda x: x.amax(1), lambda x: x.var(1),
        lambda x: x.std(-1), lambda x: x.norm(dim=1), lambda x: x.logsumexp(1), lambda x: x.softmax(1),
        lambda x: f.log_softmax(x, -1), lambda x: f.softmin(x, 1), lambda x: x.cumsum(-1), lambda x: x.cumprod(1),
        lambda x: x.cummax(1)[0], lambda x: x.logcumsumexp(1), lambda x: x.roll(1, 2), lambda x: x.tril(),
        lambda x: x.masked_fill(x > 0, 0), lambda x: x.relu(), lambda x: x.exp(),
        lambda x: x.any(1), lambda x: x.all((0, 1)), lambda x: x.any(()), lambda x: x.count_nonzero(-1),
    ]  # fmt: skip
    x = m.arange(2 * 4 * 6 * 8.0).cos()
    layouts = [x.view(2, 4, 6, 8).transpose(2, 3), x.view(4, 2, 8, 6).transpose(0, 1)]
    told = [op(layout).stride() for op in ops for layout in layouts]
    wide = x[:48].view(2, 4, 1, 6).expand(2, 4, 8, 6)
    copies = [wide.clone(), wide.double(), m.zeros_like(wide), layouts[0].clone(memory_format=m.contiguous_format)]
    whole = m.arange(1, 5).expand(3, 4)
    copies += [whole.log(), whole / 2, whole + 0.5, whole * wide[0, 0, :3, :4], whole**0.5, m.atan2(whole, whole)]
    return told, [copy.stride() for copy in copies], layouts[0].clone().stride()


@corners
def tensors_like_another_have_its_steps_also_where_these_lead_nowhere(m: Any) -> Any:
    layouts = [
        ((1, 3), (7, 1)), ((3, 1), (1, 9)), ((2, 1, 3), (3, 50, 1)), ((2, 1, 3), (1, 9, 2)), ((1,), (5,)),
        ((3, 1), (2, 2)), ((2, 3, 1), (1, 2, 1)), ((1, 3, 1, 2), (1, 2, 1, 1)), ((2, 3), (1, 2)), ((2, 3), (9, 2)),
        ((2, 1, 3), (0, 5, 1)),
    ]  # fmt: skip
    makers: list[Any] = [
        m.zeros_like, m.ones_like, m.empty_like, m.rand_like, m.randn_like, m.clone, lambda x: m.full_like(x, 2),
        lambda x: m.randint_like(x, 3), lambda x: m.zeros_like(x, dtype=m.int64), lambda x: x.double(),
        lambda x: m.full_like(x, 2, memory_format=m.contiguous_format),
    ]  # fmt: skip
    return [[make(m.zeros(200).as_strided(*layout)).stride() for make in makers] for layout in layouts]


@corners
def products_are_added_before_they_are_rounded(m: Any) -> Any:
    x, y, z = m.from_numpy(np.random.default_rng(0).normal(size=(3, 16, 16)).astype(np.float32))
    found = [
        m.add(x, y, alpha=0.1),
        m.sub(x, y.t(), alpha=0.3),
        m.rsub(x, y, alpha=0.7),
        x.clone().add_(y, alpha=-0.01),
    ]
    found += [m.lerp(x, y, 0.1), m.lerp(x, y, 0.9), m.lerp(x, y, z), x.clone().lerp_(y, 0.01), m.addcmul(x, y, z)]
    found += [m.addcmul(x, y, z, value=0.3), x.clone().addcmul_(y, z, value=-0.7), m.addcdiv(x, y, z, value=0.3)]
    found += m._foreach_add([x], [y], alpha=0.3) + m._foreach_lerp([x], [y], 0.3) + m._foreach_addcmul([x], [y], [z])
    return [number.hex() for one in found for number in one.double().view(-1).tolist()]


@corners
def variances_are_rounded_once(m: Any) -> Any:
    """They are computed in double precision: equal elements have none, however many they are."""
    x = m.arange(3000.0).cos().view(1000, 3) + 7.3
    same, means = (
        m.full((5000, 4), 7.3),
        [x.std_mean(0)[0], m.var_mean(x, 1)[0][:5], x.half().std(0), x.bfloat16().var()],
    )
    found = [x.std(), x.var(), x[:, 0].std(), x.var(0), x.std(0), x.T.std(1), same.std(0), same.var((0,)), *means]
    return [number.hex() for one in found for number in one.double().view(-1).tolist()]


@corners
def gradients_that_convolutions_send_may_be_viewed(m: Any) -> Any:
    f, w = m.nn.functional, m.ones(4, 3, 3, 3)
    x = m.arange(2 * 3 * 8 * 8.0).view(2, 3, 8, 8).cos().requires_grad_()
    y = m.arange(2 * 4 * 4 * 4.0).view(2, 4, 4, 4).requires_grad_()
    found = [f.conv2d(x, w, padding=1), f.conv2d(x, w, stride=2, padding=2, dilation=2)]
    sent = [m.autograd.grad(z.sum(), x)[0] for z in found]
    sent += m.autograd.grad(f.conv_transpose2d(y, w, stride=2, padding=1, output_padding=1).sum(), y)
    sent += m.autograd.grad(f.conv1d(x[0, 0], m.ones(2, 8, 3), padding=2).sum(), x)
    return [g.view(g.shape[0], -1).norm(dim=1) for g in sent], [g.stride() for g in sent]


@corners
def a_size_may_be_told_in_tensors(m: Any) -> Any:
    x, new = m.arange(16.0).view(1, 1, 4, 4), m.tensor([6])
    resize = m.nn.functional.interpolate
    return (
        resize(x, size=[new, new], mode="bilinear", align_corners=False),
        resize(x, size=(new[0], 3)),
        resize(x, new[0]),
    )


@pytest.mark.parametrize("corner", corners, ids=lambda corner: corner.__name__)
def test_in_a_corner_numbers_are_those_of_pytorch(corner: Any) -> None:
    (ours, _), (theirs, _) = said(autograd_lab, corner), said(torch, corner)
    assert is_alike(ours, theirs), f"{ours}\n{theirs}"


OUTS = """
m.add(hi, 1, out=lo) | m.add(lo, 1, out=lo) | m.exp(o, out=e) | m.amax(o[None], 0, out=e) | m.mean(o[None], 0, out=e)
m.cat([lo], out=lo) | m.gather(lo, 0, four, out=lo) | m.index_select(hi, 0, four, out=lo) | m.tril(o, out=e)
m.stack([b[:4].flip(0)], out=lo) | m.max(hi[None], 0, out=(lo, m.empty(4, dtype=m.int64))) | m.zeros(2, 3, out=e)
m.add(o, 1, out=b.unfold(0, 3, 2)[:2]) is None | m.median(lo[None], 0, out=(lo, m.empty(4, dtype=m.int64)))
lo.put_(four, lo) | lo.put_(four, hi) | lo.put_(four, o) | lo.index_fill_(0, four[:2], lo[1])
lo.masked_fill_(lo > 2, hi[0]) | lo.masked_scatter_(lo > 0, b[4:8]) | e.index_add_(0, four[:2], o)
e.scatter_(1, m.zeros(2, 3, dtype=m.int64), 3.0) | lo.copy_(hi) | lo.add_(hi) | e.add_(1) | e.fill_(2.0)
lo.index_copy_(0, four, hi) | lo.scatter_add_(0, four, hi) | four.index_add_(0, four, four.clone())
four.index_copy_(0, four, four.clone()) | four.index_fill_(0, four, 0) | four.scatter_(0, four, four.clone())
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", [one.strip() for one in OUTS.replace("\n", "|").split("|") if one.strip()])
def test_memory_that_is_written_to_may_lie_where_pytorch_lets_it(line: str) -> None:
    told: list[Any] = []
    for m in (autograd_lab, torch):
        b, e, o = m.arange(1.0, 13.0), m.ones(1, 3).expand(2, 3), m.ones(2, 3)
        known = {"m": m, "b": b, "e": e, "o": o, "lo": b[:4], "hi": b[1:5], "four": m.arange(4)}
        try:
            eval(line, known)
            told.append((b.tolist(), known["lo"].tolist(), e.tolist()))
        except (RuntimeError, IndexError) as error:
            told.append((type(error).__name__, str(error)))
    assert told[0] == told[1]


OF_NUMPY = """
m.add(np.float64(2), i) | m.mul(np.float32(2), b) | m.sub(2.0, i) | m.div(np.float16(2), x.half())
i * np.bool_(True) | np.array(2.0) / x | np.array([2.0, 3.0, 4.0]) / x | x == np.array([1.0, 5.0, 3.0])
np.array(2.0) == x | x != np.array(2.0) | m.full((2,), np.bool_(True)) | m.full((2,), np.array(2.0))
m.full_like(x, None) | x.chunk(np.int64(2)) | x.size(np.int64(0)) | x.pow_(np.float32(2)) | i.pow_(np.float32(2))
m.add(i, 1, alpha=np.float32(2)) | x.fill_([1]) | x.fill_(None) | x.pow_(None) | x.lerp_(x, None)
x.index_fill_(0, i, None) | x.scatter_(0, i, None) | x.put(i, i) | x[np.int64(1)] | x[: np.int32(2)]
x.sum(dim=np.int64(0)) | x << np.bool_(True) | x.__setitem__(0, np.array(2.0)) | x += np.array(2.0)
x *= np.array([1, 2, 3]) | x += None | i -= 'a' | x **= [1] | i &= 'a' | i += np.float32(2) | i <<= None
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", [one.strip() for one in OF_NUMPY.replace("\n", "|").split("|") if one.strip()])
def test_numbers_and_arrays_of_numpy_are_taken_as_pytorch_takes_them(line: str) -> None:
    told = []
    for m in (autograd_lab, torch):
        known = {"m": m, "np": np, "x": m.tensor([1.0, 2.0, 3.0]), "i": m.tensor([0, 1, 2]), "b": m.ones(3) > 0}
        try:
            exec(line if "= " in line and "==" not in line and "!=" not in line else f"made = {line}", known)
            made = known.get("made", known.get(line[0]))
            told.append([str(one) for one in (made, getattr(made, "dtype", None), known["x"], known["i"])])
        except (RuntimeError, IndexError, TypeError) as error:
            told.append([type(error).__name__, str(error)])
    assert told[0] == told[1]


@pytest.mark.parametrize("line", [
    "s.t().unsqueeze(-1)", "s.t()[None]", "s.t()[..., None]", "c.transpose(0, 2).unsqueeze(1)",
    "s[:, 1:2].unsqueeze(0)", "s.t().tile(1)", "s.t().repeat(1, 1)", "m.ones(1, 1).expand(3, 1).unsqueeze(2)",
])  # fmt: skip
def test_a_dimension_of_one_element_steps_over_all_that_is_behind_it(line: str) -> None:
    strides = []
    for m in (autograd_lab, torch):
        known = {"m": m, "s": m.arange(6.0).reshape(2, 3), "c": m.arange(24.0).reshape(2, 1, 3, 4)}
        made = eval(line, known)
        strides.append((tuple(made.shape), made.stride(), made.tolist()))
    assert strides[0] == strides[1]


CHOICES = {
    "topk": lambda x: x.topk(min(3, x.shape[-1]))[1], "the first": lambda x: x.topk(1)[1],
    "half": lambda x: x.topk((x.shape[-1] + 1) // 2)[1], "all": lambda x: x.topk(x.shape[-1])[1],
    "least": lambda x: x.topk(min(2, x.shape[-1]), largest=False)[1], "down": lambda x: x.topk(2, 0)[1],
    "in no order": lambda x: x.topk(x.shape[-1] // 2, sorted=False)[1], "mode": lambda x: x.mode(-1)[1],
    "kthvalue": lambda x: x.kthvalue((x.shape[-1] + 1) // 2)[1], "kthvalue down": lambda x: x.kthvalue(2, 0)[1],
    "median": lambda x: x.median(-1)[1], "argmax": lambda x: x.argmax(-1), "max": lambda x: x.max(0)[1],
    "sort": lambda x: x[:, :16].sort(-1)[1], "stable sort": lambda x: x.sort(dim=-1, stable=True)[1],
}  # fmt: skip


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("kind", ["float32", "int64", "nan"])
@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 16, 17, 40, 200, 700])
def test_of_equal_elements_those_are_chosen_that_pytorch_chooses(choice: str, kind: str, size: int) -> None:
    rng = np.random.default_rng(size)
    numbers = rng.integers(0, max(2, size // 3), (4, size)).astype("int64" if kind == "int64" else "float32")
    if kind == "nan":
        numbers[rng.random(numbers.shape) < 0.2] = np.nan
    ours, theirs = (CHOICES[choice](m.tensor(numbers)).tolist() for m in (autograd_lab, torch))
    assert ours == theirs


LAST_DIGITS = {
    "m.exp(x)": 0.97, "m.log(x.abs())": 0.99, "m.log1p(x.abs())": 0.97, "m.expm1(x)": 0.98, "m.tanh(x)": 0.97,
    "m.sigmoid(x)": 0.93, "m.sin(x)": 0.9, "m.cos(x)": 0.9, "m.tan(x)": 0.98, "m.atan(x)": 0.99,
    "m.log10(x.abs())": 0.99,
    "m.nn.functional.silu(x)": 0.93, "m.nn.functional.elu(x)": 0.93, "m.log_softmax(x, -1)": 0.99,
    "m.log_softmax(x, 0)": 0.99, "m.softmax(x, -1)": 0.999, "m.softmax(x, 0)": 0.999, "m.logsumexp(x, -1)": 0.96,
    "x.cumsum(1)": 0.999, "x.cumsum(0)": 0.999, "x.abs() ** 0.5": 0.98,
    "x ** -1": 0.9999,
    "m.softmax(x[:, :40].mT.contiguous().mT, 0)": 0.999,
    "x.abs() ** 1.5": 0.97, "x ** 4": 0.97, "x.abs() ** -2": 0.97, "1.7 ** x": 0.97, "x.abs() ** x.sin()": 0.9,
    "m.atan2(x, x.cos())": 0.94, "x.sigmoid().logit()": 0.93, "m.special.entr(x.abs())": 0.97,
    "m.logaddexp(x, x.sin())": 0.95, "x.logcumsumexp(-1)": 0.96,
    "m.nn.functional.softplus(x)": 0.92, "m.nn.functional.mish(x)": 0.92, "m.nn.functional.selu(x)": 0.94,
    "m.nn.functional.elu(x, 0.7)": 0.94, "m.nn.functional.celu(x, 0.7)": 0.94, "m.nn.functional.glu(x[:, 1:])": 0.94,
    "m.nn.functional.logsigmoid(x)": 0.93, "m.nn.functional.gelu(x, approximate='tanh')": 0.99,
    "m.nn.functional.soft_margin_loss(x, (x * 9).sin().sign().detach(), reduction='none')": 0.97,
    "m.nn.functional.binary_cross_entropy_with_logits(x, x.sigmoid().round().detach(), reduction='none')": 0.94,
    "m.nn.functional.adaptive_avg_pool2d(x[None, None], 5)[0, 0]": 0.999,
}  # fmt: skip
"""Of functions which share of numbers, and of gradients, has PyTorch's last digit; numpy's own have two of three."""


@pytest.mark.skipif(torch.backends.cpu.get_cpu_capability() != "AVX512", reason="sums go by vectors of 512 bits")
@pytest.mark.parametrize("expression", LAST_DIGITS)
def test_most_last_digits_are_those_of_pytorch(expression: str) -> None:
    torch.manual_seed(0)
    drawn, sent = (torch.randn(64, 129).mul(2).numpy() for _ in range(2))

    def told(m: Any) -> list[Any]:
        x = m.tensor(drawn).requires_grad_()
        y = eval(expression, {"m": m, "x": x})
        y.backward(m.tensor(sent)[tuple(slice(size) for size in y.shape)] if y.dim() == 2 else m.tensor(sent)[:, 0])
        return [y.detach().numpy(), x.grad.numpy()]

    for ours, theirs in zip(told(autograd_lab), told(torch), strict=True):
        assert (ours == theirs).mean() > LAST_DIGITS[expression]


SAME_DIGITS = {
    "losses of differences": [
        "F.mse_loss(x, y)", "F.mse_loss(x, y, reduction='sum')", "F.l1_loss(x, y)", "F.smooth_l1_loss(x, y)",
        "F.smooth_l1_loss(x, y, reduction='none')", "F.huber_loss(x, y)", "F.huber_loss(x, y, reduction='none')",
    ],
    "losses by margins": [
        "F.multi_margin_loss(x.reshape(-1, x.shape[-1]), m.zeros(x.numel() // x.shape[-1], dtype=m.int64))",
        "F.hinge_embedding_loss(x, y.sign().detach())", "F.margin_ranking_loss(x, y, m.ones_like(x))",
        "F.triplet_margin_loss(x, y, x * y)",
    ],
    "lengths": [
        "x.norm()", "x.norm(dim=-1)", "x.norm(dim=0)", "x.mT.norm(dim=0) if x.dim() > 1 else x.norm(1)",
        "m.linalg.vector_norm(x)", "x.norm(1, dim=-1)", "x.norm(3, dim=-1)", "m.dist(x, y)", "F.normalize(x, dim=-1)",
        "x[..., ::2].norm()", "x[..., 1:].norm(dim=-1)", "x.unsqueeze(0).mT.norm(dim=(0, -1))", "x[..., 1:].prod(-1)",
        "F.normalize(x, dim=0)", "F.cosine_similarity(x, y, dim=-1)", "F.cosine_similarity(x, y, dim=0)",
        "F.pairwise_distance(x, y)", "m.cdist(m.atleast_2d(x)[..., :25, :], m.atleast_2d(y)[..., :5, :])",
        "m.cdist(m.atleast_2d(x)[..., :25, :], m.atleast_2d(y)[..., :5, :], 1)",
        "m.pdist(x.reshape(-1, x.shape[-1])[:30])", "m.pdist(x.reshape(-1, x.shape[-1])[:30], 1)",
    ],
    "products and means": [
        "(x * 0.5).prod()", "(x * 0.5).prod(-1)", "(x * 0.5).prod(0)", "m.var_mean(x, -1)[1]",
    ],
    "activations": [
        "F.hardswish(x) + F.hardsigmoid(y)", "F.leaky_relu(x) + F.relu6(y)", "F.softsign(x)",
        "F.prelu(x, y.reshape(-1)[:1])",
    ],
}  # fmt: skip
"""What has PyTorch's last digits in all numbers, and in all numbers of its gradients."""


@pytest.mark.skipif(torch.backends.cpu.get_cpu_capability() != "AVX512", reason="loops go by vectors of 512 bits")
@pytest.mark.parametrize("shape", [(5,), (16,), (33,), (1000,), (7, 13), (3, 4, 40), (64, 128)])
@pytest.mark.parametrize("kind", SAME_DIGITS)
def test_all_last_digits_are_those_of_pytorch(kind: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    drawn = [2 * rng.standard_normal(shape).astype(np.float32) for _ in range(3)]

    def told(m: Any, expression: str, compiled: bool = False) -> list[Any]:
        x, y = (m.tensor(each).requires_grad_() for each in drawn[:2])
        function = eval(f"lambda x, y: {expression}", {"m": m, "F": m.nn.functional})
        z = (m.compile(function) if compiled else function)(x, y)
        z.backward(m.tensor(drawn[2].reshape(-1)[: z.numel()].reshape(z.shape)))
        return [each.detach().numpy() for each in (z, x.grad, y.grad) if each is not None]

    for expression in SAME_DIGITS[kind]:
        expected = told(torch, expression)
        for compiled in (False, True):
            for ours, theirs in zip(told(autograd_lab, expression, compiled), expected, strict=True):
                np.testing.assert_array_equal(ours, theirs, expression)


@pytest.mark.parametrize("exponent", [0.3, 1 / 3, 2.7, 1.5, -1.3, 4])
@pytest.mark.parametrize("shape", [(), (1,), (31,), (5, 6)])
def test_powers_of_few_numbers_have_the_last_digits_of_pytorch(shape: tuple[int, ...], exponent: float) -> None:
    drawn = np.asarray(3 * np.random.default_rng(0).random(shape), np.float32)

    def told(m: Any, compiled: bool = False) -> list[Any]:
        x = m.tensor(drawn).requires_grad_()
        z = (m.compile(lambda x: x**exponent) if compiled else lambda x: x**exponent)(x)
        z.sum().backward()
        return [each.detach().numpy() for each in (z, x.grad)]

    for ours, compiled, theirs in zip(told(autograd_lab), told(autograd_lab, True), told(torch), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(compiled, theirs)


@pytest.mark.parametrize("shape", [(), (3,), (40,)])
def test_a_power_of_float64_by_an_exponent_of_float32_is_not_rounded_to_float32(shape: tuple[int, ...]) -> None:
    def told(m: Any) -> list[Any]:
        x = m.full(shape, 0.9, dtype=m.float64, requires_grad=True)
        z = x ** m.tensor(3.0)
        z.sum().backward()
        return [z.detach().numpy(), x.grad.numpy()]

    for ours, theirs in zip(told(autograd_lab), told(torch), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-15)


@pytest.mark.skipif(torch.backends.cpu.get_cpu_capability() != "AVX512", reason="oneDNN has other steps elsewhere")
@pytest.mark.parametrize("size", [2, 5, 33, 1000, 16_384])
def test_gradients_of_gelu_have_the_last_digits_of_pytorch(size: int) -> None:
    drawn, sent = (3 * np.random.default_rng(seed).standard_normal(size).astype(np.float32) for seed in range(2))

    def told(m: Any, compiled: bool = False) -> Any:
        x = m.tensor(drawn).requires_grad_()
        gelu = m.nn.functional.gelu
        (m.compile(lambda x: gelu(x)) if compiled else gelu)(x).backward(m.tensor(sent))
        return x.grad.numpy()

    for ours in (told(autograd_lab), told(autograd_lab, True)):
        np.testing.assert_array_equal(ours, told(torch))


MATRICES = [
    (32, 64, 64), (32, 64, 10), (64, 784, 128), (16, 1025, 33), (20, 100, 20), (2, 2, 8), (4, 2, 3), (8, 70, 2),
    (3, 100, 12), (2, 784, 10), (15, 400, 5), (32, 64, 1), (150, 4, 1), (7, 200, 1), (1, 64, 33), (1, 500, 10),
    (1, 9, 1), (100, 1, 1), (6, 1, 9),
]  # fmt: skip
"""Sizes of a batch, of what goes in and of what comes out, of which each goes another way in PyTorch's library."""


@pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() != "AVX512", reason="orders of addition hang on the processor"
)
@pytest.mark.parametrize("rows, inner, columns", MATRICES)
def test_products_of_matrices_have_the_last_digits_of_pytorch(rows: int, inner: int, columns: int) -> None:
    """A linear layer, with and without a bias, and a matrix that lies otherwise; forward, backward, compiled."""
    torch.manual_seed(0)
    sizes = (rows, inner), (columns, inner), (columns,), (rows, columns), (inner, columns)
    drawn = [torch.randn(size).numpy() for size in sizes]

    def told(m: Any, compiled: bool = False) -> list[Any]:
        x, w, b, sent, y = (m.tensor(each) for each in drawn)
        for each in (x, w, b, y):
            each.requires_grad_()
        step = m.compile(_products) if compiled else _products
        step(m, x, w, b, y).backward(m.cat([sent] * 3))
        return [each.detach().numpy() for each in (_products(m, x, w, b, y), x.grad, w.grad, b.grad, y.grad)]

    theirs = told(torch)
    for compiled in (False, True):
        for found, expected in zip(told(autograd_lab, compiled), theirs, strict=True):
            np.testing.assert_array_equal(found, expected)


def _products(m: Any, x: Any, w: Any, b: Any, y: Any) -> Any:
    return m.cat([m.nn.functional.linear(x, w, b), x @ w.t(), x @ y])


HANGS = pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() != "AVX512", reason="orders of addition hang on the processor"
)


@HANGS
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "sizes",
    [(4, 10, 64, 10), (16, 32, 64, 32), (8, 32, 32, 64), (2, 5, 300, 7), (3, 8, 500, 8), (8, 1, 64, 64), (1, 9, 64, 4)],
)
def test_batches_of_matrices_have_the_last_digits_of_pytorch(sizes: tuple[int, int, int, int], turned: bool) -> None:
    torch.manual_seed(0)
    many, rows, inner, columns = sizes
    drawn = [torch.randn(size).numpy() for size in ((many, rows, inner), (many, columns, inner), (many, rows, columns))]

    def told(m: Any) -> list[Any]:
        x, y, sent = (m.tensor(each) for each in drawn)
        y = (y if turned else y.transpose(1, 2).contiguous()).requires_grad_()
        z = x.requires_grad_() @ (y.transpose(1, 2) if turned else y)
        z.backward(sent)
        return [each.detach().numpy() for each in (z, x.grad, y.grad)]

    for found, expected in zip(told(autograd_lab), told(torch), strict=True):
        np.testing.assert_array_equal(found, expected)


CONVOLUTIONS = [
    ((4, 1, 14, 14), (8, 3, 3), 1, 1), ((3, 3, 12, 12), (6, 5, 5), 1, 0), ((2, 32, 7, 7), (20, 3, 3), 1, 1),
    ((2, 20, 9, 9), (40, 3, 3), 1, 2), ((1, 4, 20, 20), (3, 4, 4), 1, 0), ((16, 24, 4, 4), (8, 1, 1), 1, 0),
    ((2, 3, 30, 30), (4, 7, 7), 1, 3), ((2, 16, 4, 4), (1, 4, 4), 1, 0), ((4, 18, 21), (5, 3), 1, 1),
    ((2, 3, 9), (1, 2), 1, 0), ((2, 20, 8, 8), (24, 3, 3), 2, 1), ((4, 3, 16, 16), (8, 4, 4), 2, 1),
    ((2, 3, 17), (4, 3), 2, 0), ((2, 5, 9, 9), (6, 5, 5), 2, 2), ((1, 3, 8, 8), (4, 3, 3), 1, 1),
    ((1, 1, 5, 5), (2, 3, 3), 1, 0),
]  # fmt: skip
"""The input, the window with what comes out of it, stride and padding."""


@HANGS
@pytest.mark.parametrize("sizes, kernel, stride, padding", CONVOLUTIONS)
def test_convolutions_have_the_last_digits_of_pytorch(sizes: Any, kernel: Any, stride: int, padding: int) -> None:
    """Forward, all gradients, and compiled."""
    torch.manual_seed(0)
    weights = kernel[0], sizes[1], *kernel[1:]
    drawn = [torch.randn(size).numpy() for size in (sizes, weights, kernel[:1])]
    places = [(size + 2 * padding - k) // stride + 1 for size, k in zip(sizes[2:], kernel[1:], strict=True)]
    given = torch.randn(sizes[0], kernel[0], *places).numpy()

    def told(m: Any, compiled: bool = False) -> list[Any]:
        x, w, b = (m.tensor(each).requires_grad_() for each in drawn)
        convolve = m.nn.functional.conv1d if len(sizes) == 3 else m.nn.functional.conv2d
        step = m.compile(lambda x, w, b: convolve(x, w, b, stride, padding)) if compiled else convolve
        z = step(x, w, b) if compiled else step(x, w, b, stride, padding)
        z.backward(m.tensor(given))
        return [each.detach().numpy() for each in (z, x.grad, w.grad, b.grad)]

    theirs = told(torch)
    for compiled in (False, True):
        for found, expected in zip(told(autograd_lab, compiled), theirs, strict=True):
            np.testing.assert_array_equal(found, expected)


@HANGS
@pytest.mark.parametrize(
    "sizes, out, groups, stride", [(16, 16, 16, 1), (32, 32, 32, 2), (16, 32, 2, 1), (32, 16, 2, 2), (64, 32, 2, 1)]
)
def test_grouped_convolutions_have_the_last_digits_of_pytorch(sizes: int, out: int, groups: int, stride: int) -> None:
    torch.manual_seed(0)
    drawn = [torch.randn(size).numpy() for size in ((4, sizes, 8, 8), (out, sizes // groups, 3, 3), (out,))]

    def told(m: Any, compiled: bool = False) -> list[Any]:
        x, w, b = (m.tensor(each).requires_grad_() for each in drawn)
        step = partial(m.nn.functional.conv2d, stride=stride, padding=1, groups=groups)
        z = (m.compile(lambda *each: step(*each)) if compiled else step)(x, w, b)
        z.backward(z.detach())
        return [each.detach().numpy() for each in (z, x.grad, w.grad, b.grad)]

    for compiled in (False, True):
        for found, expected in zip(told(autograd_lab, compiled), told(torch), strict=True):
            np.testing.assert_array_equal(found, expected)


TRANSPOSED = [((4, 16, 5, 5), (8, 4, 4), 2, 1), ((2, 40, 1, 1), (20, 4, 4), 1, 0), ((3, 8, 7), (16, 2), 2, 0)]


@HANGS
@pytest.mark.parametrize("sizes, kernel, stride, padding", TRANSPOSED)
def test_transposed_convolutions_have_the_last_digits_of_pytorch(
    sizes: Any, kernel: Any, stride: int, padding: int
) -> None:
    torch.manual_seed(0)
    weights = sizes[1], kernel[0], *kernel[1:]
    drawn = [torch.randn(size).numpy() for size in (sizes, weights, kernel[:1])]

    def told(m: Any) -> list[Any]:
        x, w, b = (m.tensor(each).requires_grad_() for each in drawn)
        convolve = m.nn.functional.conv_transpose1d if len(sizes) == 3 else m.nn.functional.conv_transpose2d
        z = convolve(x, w, b, stride, padding)
        (z * z).sum().backward()
        return [each.detach().numpy() for each in (z, x.grad, w.grad, b.grad)]

    for found, expected in zip(told(autograd_lab), told(torch), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() != "AVX512", reason="orders of addition hang on the processor"
)
@pytest.mark.parametrize("rows, columns", [(1, 5), (3, 64), (16, 9), (33, 20), (64, 100), (9, 1000), (4, 33), (5, 66)])
def test_vectors_are_multiplied_to_the_last_digit_as_in_pytorch(rows: int, columns: int) -> None:
    torch.manual_seed(0)
    drawn = [torch.randn(size).numpy() for size in ((rows, columns), (columns,), (rows,))]

    def told(m: Any) -> list[Any]:
        x, v, u = (m.tensor(each).requires_grad_() for each in drawn)
        ((x @ v) @ u + (u @ x) @ v).backward()
        return [each.detach().numpy() for each in (x @ v, u @ x, v @ v, x.grad, v.grad, u.grad)]

    for found, expected in zip(told(autograd_lab), told(torch), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(32, 10), (64, 1), (8, 6, 9, 9), (7, 5, 5), (1, 400, 5, 5), (2, 300, 9)])
def test_batch_norm_has_the_last_digits_of_pytorch(shape: tuple[int, ...], training: bool) -> None:
    torch.manual_seed(0)
    drawn = [torch.randn(size) for size in (shape, shape, *[shape[1]] * 4)]

    def told(m: Any) -> list[Any]:
        x, sent, w, b, mean, variance = (m.tensor(each.numpy().copy()) for each in drawn)
        variance = variance.abs() + 0.2
        for each in (x, w, b):
            each.requires_grad_()
        y = m.nn.functional.batch_norm(x, mean, variance, w, b, training)
        y.backward(sent)
        return [each.detach().numpy() for each in (y, x.grad, w.grad, b.grad, mean, variance)]

    *found, variance = zip(told(autograd_lab), told(torch), strict=True)
    for ours, theirs in found:
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(*variance, rtol=2e-7)  # the running one has its last digit nearly always


@pytest.mark.parametrize("given", ["weight and bias", "weight", "bias", ""])
@pytest.mark.parametrize("shape", [(4, 5, 64), (3, 2, 13), (7, 1), (2, 5), (5, 263), (3, 1000), (64, 2, 32)])
def test_layer_norm_has_the_last_digits_of_pytorch(shape: tuple[int, ...], given: str) -> None:
    same_digits_of_normalized(
        shape, shape[-1:], given, lambda m, x, **weights: m.layer_norm(x, shape[-1:], **weights), True
    )


@pytest.mark.parametrize("given", ["weight and bias", "weight", ""])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("shape", [(4, 8, 5, 5), (3, 6, 3), (2, 30, 8, 8), (5, 12), (2, 62, 7)])
def test_group_norm_has_the_last_digits_of_pytorch(shape: tuple[int, ...], groups: int, given: str) -> None:
    same_digits_of_normalized(
        shape, shape[1:2], given, lambda m, x, **weights: m.group_norm(x, groups, **weights), False
    )


def same_digits_of_normalized(
    shape: tuple[int, ...], sizes: tuple[int, ...], given: str, norm: Any, layers: bool
) -> None:
    """Forward, all gradients, and both compiled; PyTorch has other steps where the gradients of groups are recorded."""
    torch.manual_seed(0)
    drawn = [torch.randn(size) for size in (shape, shape, sizes, sizes)]

    def told(m: Any, compiled: bool = False) -> list[Any]:
        x, sent, w, b = (m.tensor(each.numpy().copy()) for each in drawn)
        weights = {name: each for name, each in (("weight", w), ("bias", b)) if name in given}
        wanted = [x, *weights.values()]
        for each in wanted:
            each.requires_grad_()
        recorded = layers and not compiled
        normalize = lambda x: norm(m.nn.functional, x, **weights)  # noqa: E731
        y = (m.compile(normalize) if compiled else normalize)(x)
        return [each.detach().numpy() for each in (y, *m.autograd.grad(y, wanted, sent, create_graph=recorded))]

    for ours, compiled, theirs in zip(told(autograd_lab), told(autograd_lab, True), told(torch), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(compiled, theirs)


@pytest.mark.parametrize("shapes", [((6, 5, 7), (6, 7, 8)), ((8, 1, 16), (8, 16, 10)), ((2, 3, 5, 7), (3, 7, 5))])
def test_products_of_small_matrices_of_a_batch_have_the_last_digits_of_pytorch(shapes: Any) -> None:
    torch.manual_seed(0)
    drawn = [torch.randn(shape).numpy() for shape in shapes]

    def told(m: Any) -> list[Any]:
        x, y = (m.tensor(each).requires_grad_() for each in drawn)
        z = x @ y
        (z * z.detach()).sum().backward()
        return [each.detach().numpy() for each in (z, x.grad, y.grad)]

    for ours, theirs in zip(told(autograd_lab), told(torch), strict=True):
        np.testing.assert_array_equal(ours, theirs)


SUMS = {
    "of all": lambda m, x: x.sum(), "along the last": lambda m, x: x.sum(-1), "along the first": lambda m, x: x.sum(0),
    "along two": lambda m, x: x.sum((0, -1)), "kept": lambda m, x: x.sum(-2, keepdim=True),
    "transposed": lambda m, x: x.mT.sum(-1), "every other": lambda m, x: x[..., ::2].sum((-1, -2)),
    "repeated": lambda m, x: x[:1].expand(19, *x.shape[1:]).sum(0), "means": lambda m, x: x.mean((0, -1)),
    "the mean": lambda m, x: x.mean(), "wide": lambda m, x: x.sum(0, dtype=m.float64),
    "squares": lambda m, x: m.nn.functional.mse_loss(x, x * 0.3), "nan": lambda m, x: x.nansum(-1),
    "bias": lambda m, x: sent_to(m, x.shape[-1:], lambda b: x + b),
    "scale": lambda m, x: sent_to(m, (), lambda b: x * b),
    "column": lambda m, x: sent_to(m, (x.shape[-2], 1), lambda b: x * b),
    "pixels": lambda m, x: x.permute(2, 0, 1).sum((0, 2)), "turned": lambda m, x: x.permute(1, 2, 0).sum(1),
}  # fmt: skip


def sent_to(m: Any, shape: tuple[int, ...], function: Any) -> Any:
    """The gradient of what is stretched to the shape of the others."""
    b = m.ones(tuple(shape), requires_grad=True)
    y = function(b)
    y.backward(m.arange(float(y.numel())).reshape(y.shape) % 13 * 0.3)
    return b.grad


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("summed", SUMS)
def test_sums_have_the_last_digit_of_pytorch(summed: str, kind: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        shape = (
            rng.integers(1, 5),
            rng.choice([1, 2, 5, 9, 17, 64, 300]),
            rng.choice([1, 3, 4, 7, 10, 32, 47, 129, 700]),
        )
        numbers = rng.standard_normal(shape).astype(kind)
        ours, theirs = (SUMS[summed](m, m.tensor(numbers)).detach().numpy() for m in (autograd_lab, torch))
        assert (ours.shape, ours.tobytes()) == (theirs.shape, theirs.tobytes()), shape


@pytest.mark.parametrize("size", [0, 1, 4, 5, 7, 8, 15, 511, 512, 8191, 70_000, 600_000])
def test_long_sums_have_the_last_digit_of_pytorch(size: int) -> None:
    numbers = np.random.default_rng(size).standard_normal((size, 2)).astype("float32")
    ours, theirs = ([m.tensor(numbers)[:, 0].clone().sum().item(), *m.tensor(numbers).sum(0).tolist()]
                    for m in (autograd_lab, torch))  # fmt: skip
    assert ours == theirs


def test_a_sum_of_no_numbers_and_of_negative_zeros_is_zero() -> None:
    for x in (torch.full((3,), -0.0), torch.full((40,), -0.0), torch.zeros(0)):
        ours = autograd_lab.tensor(x.numpy())
        assert ours.sum().numpy().tobytes() == x.sum().numpy().tobytes()


@pytest.mark.parametrize("m", [autograd_lab, torch])
def test_a_gradient_without_dimensions_stays_so_where_its_leaf_has_been_given_longer_data(m: Any) -> None:
    leaf = m.tensor(-0.4, requires_grad=True)
    y = leaf + m.zeros(2)
    leaf.data = y
    y.sum().backward()
    assert (leaf.shape, leaf.grad.shape, leaf.grad.item()) == ((2,), (), 2.0)


@pytest.mark.parametrize("step", [(1, 0), (1, 1), (1, 5), (2, 0)])
@pytest.mark.parametrize("shape", [(6, 1), (1, 6), (1, 1)])
def test_copies_keep_the_steps_along_dimensions_of_one_element(shape: Any, step: Any) -> None:
    def strides(m: Any) -> list[Any]:
        x = m.as_strided(m.arange(40.0), shape, step)
        copies = [x.clone(), x.double(), x.half(), x.to(m.bool), x.contiguous(), x.long(), x.to(m.float32, copy=True)]
        return [(one.stride(), one.tolist()) for one in copies]

    assert strides(autograd_lab) == strides(torch)


@pytest.mark.parametrize("rows, inner, columns", [(5, 0, 10), (0, 3, 4), (3, 4, 0), (1, 0, 1), (0, 0, 0), (20, 0, 1)])
def test_products_of_nothing_have_the_gradients_of_pytorch(rows: int, inner: int, columns: int) -> None:
    def told(m: Any) -> list[Any]:
        x, y = m.ones(rows, inner, requires_grad=True), m.ones(inner, columns, requires_grad=True)
        b = m.ones(columns, requires_grad=True)
        made = [x @ y, m.addmm(b, x, y), m.nn.functional.linear(x, y.t(), b)]
        sum(z.sum() for z in made).backward()
        return [(tuple(each.shape), each.tolist()) for each in (*made, x.grad, y.grad, b.grad)]

    assert told(autograd_lab) == told(torch)
