"""What PyTorch's own tests found: dtypes that are kept, orders, empty batches, and arguments that are refused."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest

import autograd_lab
from tests.programs import error
from tests.worlds import Stories, is_alike, said

torch = pytest.importorskip("torch")
story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    ours, theirs = said(autograd_lab, tell), said(torch, tell)
    assert is_alike(ours[0], theirs[0]), (ours, theirs)


HALVED = [
    "relu6", "hardsigmoid", "hardtanh", "hardswish", "hardshrink", "softshrink", "softplus", "leaky_relu", "elu",
    "celu", "selu", "gelu", "silu", "mish", "tanhshrink", "softsign", "logsigmoid", "threshold",
]  # fmt: skip


@story
def activations_keep_half_precision(m: Any) -> Any:
    told: list[Any] = []
    for kind in (m.bfloat16, m.float16):
        for name in HALVED:
            x = m.linspace(-4, 4, 9).to(kind).requires_grad_()
            y = getattr(m.nn.functional, name)(x, *([0.5, 2] if name == "threshold" else []))
            y.sum().backward()
            told.append([name, str(y.dtype), str(x.grad.dtype)])
    return told


@story
def softplus_and_its_kin_are_computed_in_float32_and_rounded_once(m: Any) -> Any:
    x, F = m.linspace(-4, 4, 9).to(m.bfloat16), m.nn.functional
    return [getattr(F, name)(x).tolist() for name in ("softplus", "hardsigmoid", "relu6", "softshrink")]


@story
def the_last_bag_goes_to_the_end_unless_it_is_summed(m: Any) -> Any:
    told, rows = [], m.arange(12.0).reshape(4, 3)
    for options in ({"mode": "max"}, {"mode": "sum"}, {"mode": "mean"}, {"mode": "mean", "padding_idx": 0}):
        for ends in ([0, 3, 3], [0, 3, 4]):
            options = {**options, "include_last_offset": True}
            told.append(m.nn.functional.embedding_bag(m.tensor([0, 1, 2, 3]), rows, m.tensor(ends), **options).tolist())
    return told


@story
def embeddings_that_do_not_fit_are_refused(m: Any) -> Any:
    F, bags = m.nn.functional, m.nn.EmbeddingBag(4, 3, mode="sum")
    return [
        error(lambda: F.embedding_bag(m.tensor([[0, 1]]), m.ones(4, 3), padding_idx=5)),
        error(lambda: F.embedding_bag(m.tensor([[0, 1]]), m.ones(4, 3), padding_idx=-5)),
        type(error(lambda: bags(m.tensor([1]), m.tensor([0]), m.ones(1, dtype=m.float64)))).__name__,
        error(lambda: bags(m.tensor([1]), m.tensor([0]), m.ones(2))),
        m.nn.Embedding.from_pretrained(m.ones(2, 2), max_norm=1.0, norm_type=1.0)(m.tensor([0])).tolist(),
    ]


@story
def empty_batches_have_losses_and_maxima(m: Any) -> Any:
    F, none = m.nn.functional, m.ones(0, dtype=m.int64)
    x = m.ones(0, 3, 2, requires_grad=True)
    F.nll_loss(x, m.ones(0, 2, dtype=m.int64), reduction="sum").backward()
    pooled = F.adaptive_max_pool2d(m.ones(0, 2, 4, 4, requires_grad=True), 2)
    pooled.sum().backward()
    return [
        F.nll_loss(m.ones(0, 3, 2), m.ones(0, 2, dtype=m.int64), reduction="none").shape,
        F.nll_loss(m.ones(0, 3, 2, 2), m.ones(0, 2, 2, dtype=m.int64)).item(),
        F.multi_margin_loss(m.ones(0, 3), none, reduction="none").shape,
        x.grad.shape,
        pooled.shape,
        F.adaptive_max_pool1d(m.ones(0, 2, 4), 2).shape,
        error(lambda: F.adaptive_avg_pool2d(m.ones(1, 2, 0, 4), (2, 2))),
        error(lambda: F.adaptive_max_pool2d(m.ones(1, 2, 4, 0), (2, 2))),
        error(lambda: F.adaptive_max_pool2d(m.ones(1, 0, 4, 4), (2, 2))),
        F.adaptive_avg_pool2d(m.ones(1, 0, 4, 4), (2, 2)).shape,
    ]


@story
def a_dict_of_parameters_is_in_the_order_of_names_unless_it_has_one(m: Any) -> Any:
    one, two = m.ones(1), m.ones(2)
    ordered = m.nn.ParameterDict([("b", one), ("a", two)])
    return list(m.nn.ParameterDict({"b": one, "a": two})), list(ordered), list(m.nn.ParameterDict(ordered))


@story
def pictures_are_resized_to_whole_sizes_above_zero_and_in_dtypes_that_have_parts(m: Any) -> Any:
    resize = m.nn.functional.interpolate
    modes = ("nearest", "nearest-exact", "bilinear", "bicubic")
    whole = [error(lambda mode=mode: resize(m.ones(1, 3, 3, 3).int(), scale_factor=2, mode=mode)) for mode in modes]
    lines = [
        error(lambda mode=mode: resize(m.ones(1, 3, 3).bool(), scale_factor=2, mode=mode))
        for mode in ("nearest", "linear")
    ]
    return [
        whole,
        lines,
        resize(m.ones(1, 3, 3, 3).to(m.uint8), scale_factor=2, mode="bilinear").tolist(),
        error(lambda: resize(m.ones(1, 1, 3, 3), size=(2.5, 2.5))),
        error(lambda: resize(m.ones(1, 1, 3, 3), scale_factor=0.1)),
        error(lambda: resize(m.ones(1, 1, 3), size=0)),
        error(lambda: resize(m.ones(1, 1, 0, 3), size=(2, 2), mode="bilinear")),
        error(lambda: resize(m.ones(1, 0, 3, 3), size=(2, 2))),
    ]


@story
def layers_refuse_sizes_and_targets_that_make_no_sense(m: Any) -> Any:
    F, size = m.nn.functional, m.Size([1, 1, 1, 2])
    return [
        error(lambda: F.pad(m.ones(1, 1, 3), (-3, -2), mode="circular")),
        error(lambda: m.nn.Fold((4, 5), (2, 3), stride=(0, 2))(m.ones(1, 6, 12))),
        error(lambda: F.cosine_embedding_loss(m.ones(5, 2), m.ones(5, 2), m.ones(5, 1))),
        error(lambda: F.affine_grid(m.ones(2, 2, 3), size, align_corners=False)),
        error(lambda: F.affine_grid(m.ones(1, 2, 3), m.Size([1, 1, 2, 0]), align_corners=True)),
        F.affine_grid(m.ones(1, 2, 3), size, align_corners=True).tolist(),
    ]


@story
def none_is_no_number(m: Any) -> Any:
    x = m.ones(2)
    wrong = [lambda: x.pow_(None), lambda: x.fill_(None), lambda: x.add_(None), lambda: x.mul_(None)]
    return [type(error(call)).__name__ for call in wrong], error(lambda: x.clamp_(None, None)), x.tolist()


@story
def places_and_cuts_are_whole_numbers(m: Any) -> Any:
    x = m.arange(3.0)
    return [
        error(lambda: x.narrow(0, m.tensor([1]), 1)),
        error(lambda: x.narrow(0, m.tensor(1.0), 1)),
        x.narrow(0, m.tensor(1), 1).tolist(),
        error(lambda: m.tensor_split(x, m.tensor(1.1))),
        error(lambda: m.tensor_split(x, m.tensor([[1]]))),
        error(lambda: m.Size(m.ones(3))),
        m.Size(m.tensor([2, 3])),
        m.Size([m.tensor(2), 3]),
        m.Size(),
    ]


@story
def transposes_of_vectors_are_refused(m: Any) -> Any:
    x = m.ones(3)
    return [error(lambda: x.mT), error(lambda: x.mH), error(lambda: x.adjoint()), m.tensor(1.0).mH.tolist()]


@story
def limits_are_not_below_zero_and_modes_are_truth_values(m: Any) -> Any:
    x, strict = m.ones(1), m.use_deterministic_algorithms
    return [
        error(lambda: m.allclose(x, x, rtol=-1)),
        error(lambda: m.isclose(x, x, m.tensor(1.5), m.tensor(1.0, requires_grad=True))),
        error(lambda: strict(1)),
        error(lambda: strict(True, warn_only=1)),
        error(lambda: m.gradient(m.ones(3, 3), spacing=[m.ones(3)])),
    ]


@story
def tensors_and_dtypes_say_what_they_are(m: Any) -> Any:
    kinds = m.float32, m.uint8, m.int8, m.bool, m.bfloat16
    x = m.ones(2)
    applied = error(lambda: x.apply_(lambda _: "text"))
    return [
        [kind.is_signed for kind in kinds],
        x.new(size=(3, 4)).shape,
        str(x.int().type(m.Tensor).dtype),
        m.empty(0).data_ptr(),
        x[0:0].data_ptr(),
        applied,
    ]


@story
def generators_are_pickled_with_their_states(m: Any) -> Any:
    generator = m.Generator().manual_seed(3)
    m.rand(1, generator=generator)
    again = pickle.loads(pickle.dumps(generator))
    return again.initial_seed(), m.equal(m.rand(2, generator=generator), m.rand(2, generator=again))


@story
def packed_sequences_are_converted(m: Any) -> Any:
    packed = m.nn.utils.rnn.pack_sequence([m.ones(1), m.ones(2)], enforce_sorted=False)
    kinds = ["double", "float", "half", "long", "int", "short", "char", "byte"]
    told = [str(getattr(packed, name)().data.dtype) for name in kinds]
    moved = packed.to(m.float64)
    told += [moved.sorted_indices.tolist(), packed.cpu() is packed, packed.is_pinned(), type(moved).__name__]
    refused = [error(lambda size=size: m.nn.utils.rnn.pack_padded_sequence(m.ones(0, size), [1])) for size in (0, 3)]
    return told, refused


@story
def switches_for_a_gpu_are_set_for_a_while(m: Any) -> Any:
    before = m.backends.cudnn.benchmark
    with m.backends.cudnn.flags(enabled=False, benchmark=True):
        inside = m.backends.cudnn.enabled, m.backends.cudnn.benchmark
    return inside, before, m.backends.cudnn.benchmark


def test_a_grid_of_one_place_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="unit-size grids"):
        autograd_lab.nn.functional.affine_grid(autograd_lab.ones(1, 2, 3), [1, 1, 1, 2], align_corners=True)


@story
def what_an_index_by_lists_finds_lies_in_memory_as_what_was_indexed(m: Any) -> Any:
    x = m.arange(24).reshape(2, 3, 4)
    turned, pair = x.transpose(0, 2), m.tensor([0, 1])
    found = [
        turned[pair],
        turned[:, pair],
        x.transpose(1, 2)[:, :, pair],
        x.permute(1, 2, 0)[pair],
        turned[pair, :, pair],
        turned[:, m.tensor([True, False, True])],
        x[pair],
        x[:, [[0, 1], [2, 0]]],
        x[::2][:, pair],
    ]
    return [[one.tolist(), one.stride()] for one in found]


@story
def results_go_to_tensors_of_their_own_dtype_or_of_any(m: Any) -> Any:
    x, whole = m.ones(3), m.ones(3, dtype=m.int64)
    return [
        m.bernoulli(x, out=m.zeros(3, dtype=m.int64)).tolist(),
        error(lambda: m.cummax(x, 0, out=(m.ones(3, dtype=m.int16), whole))),
        error(lambda: m.cummin(x, 0, out=(m.ones(3), m.ones(3)))),
        error(lambda: m.logcumsumexp(x, 0, out=m.zeros(3, dtype=m.float64))),
    ]


@story
def what_a_subscript_cannot_do_is_said(m: Any) -> Any:
    x = m.ones(3)
    return [
        error(lambda: x["0":"1"]),  # type: ignore[misc]
        error(lambda: x[0.5:]),
        error(lambda: x.__delitem__(0)),
        error(lambda: m.ones(2).resize_([2, 4, 2**29, 2**29])),
    ]


@story
def whole_channels_are_dropped_to_the_left(m: Any) -> Any:
    x, layer = m.ones(2, 3, 4), m.nn.FeatureAlphaDropout(0.5)
    y = layer(x)
    told = [bool((y == y[:, :, :1]).all()), layer.eval()(x).tolist(), repr(layer)]
    return told, m.nn.functional.feature_alpha_dropout(x, 1.0, True).tolist()


def test_an_array_that_cannot_be_written_to_is_warned_of_once() -> None:
    program = (
        "import warnings, numpy as np, autograd_lab as m\n"
        "array = np.ones(2); array.flags.writeable = False\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    m.from_numpy(array), m.from_numpy(array), m.from_numpy(np.ones(2))\n"
        "print([str(one.message)[:38] for one in caught])\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['The given NumPy array is not writable,']"


def test_a_long_row_is_normalized_as_precisely_as_a_short_one() -> None:
    m = autograd_lab
    x = m.rand(1, 2_000_000, generator=m.Generator().manual_seed(0))
    single, double = (m.nn.functional.layer_norm(one, (2_000_000,)) for one in (x, x.double()))
    assert (single - double).abs().max() < 2e-6


@story
def integers_are_not_put_where_gradients_are_needed(m: Any) -> Any:
    layer = m.nn.Linear(1, 1)
    state = {"weight": m.ones(1, 1, dtype=m.int64), "bias": m.ones(1)}
    return [error(lambda: layer.load_state_dict(state, assign=True)), error(lambda: layer.load_state_dict(state))]
