"""What model files take of the insides of layers: bases, parts, names of sizes and reductions, as PyTorch has them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import autograd_lab
from tests.worlds import Stories, filled, is_alike, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)
STORIES = Stories()


def place(m: Any, path: str) -> Any:
    return importlib.import_module(f"{m.__name__}.{path}")


@STORIES
def a_convolution_is_run_with_another_weight(m: Any) -> Any:
    told = []
    x = m.arange(36.0).double().view(1, 1, 6, 6)  # in which last digits, that hang on the processor, do not show
    for settings in (
        {"padding": 1, "padding_mode": "circular"},
        {"padding": "same", "dilation": 2},
        {"stride": (1, 2)},
    ):
        layer = filled(m.nn.Conv2d(1, 2, 3, **settings)).double()
        other = layer.weight * 2
        told += [layer._conv_forward(x, other, None).sum(), layer._reversed_padding_repeated_twice]
    return told


@STORIES
def a_layer_is_made_on_the_base_of_convolutions(m: Any) -> Any:
    conv, pair = place(m, "nn.modules.conv"), place(m, "nn.modules.utils")._pair

    class Standardized(conv._ConvNd):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            window = pair(3)
            super().__init__(2, 2, window, pair(1), pair(1), pair(1), False, pair(0), 2, True, "zeros")

        def forward(self, x: Any) -> Any:
            weight = self.weight - self.weight.mean((1, 2, 3), keepdim=True)
            return m.nn.functional.conv2d(x, weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    layer = filled(Standardized())
    out = layer(m.arange(32.0).view(1, 2, 4, 4))
    out.sum().backward()
    return [repr(layer), out, layer.weight.grad, isinstance(m.nn.Conv1d(1, 1, 1), conv._ConvNd), layer.weight.shape]


@STORIES
def layers_are_told_apart_by_their_bases(m: Any) -> Any:
    bases: dict[str, tuple[str, ...]] = {
        "conv": ("_ConvNd", "_ConvTransposeNd"), "batchnorm": ("_NormBase", "_BatchNorm"),
        "loss": ("_Loss", "_WeightedLoss"), "instancenorm": ("_InstanceNorm",), "dropout": ("_DropoutNd",),
        "pooling": ("_MaxPoolNd", "_AvgPoolNd", "_LPPoolNd", "_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd"),
    }  # fmt: skip
    nn = m.nn
    layers = [
        nn.Conv1d(1, 1, 1), nn.ConvTranspose2d(1, 1, 1), nn.BatchNorm1d(2), nn.InstanceNorm2d(2), nn.Dropout2d(),
        nn.MaxPool1d(2), nn.AvgPool2d(2), nn.LPPool1d(2, 2), nn.NLLLoss(), nn.MSELoss(), nn.Linear(1, 1),
    ]  # fmt: skip
    found = [getattr(place(m, f"nn.modules.{room}"), name) for room, names in bases.items() for name in names]
    return [[isinstance(layer, base) for base in found] for layer in layers]


@STORIES
def a_norm_checks_its_input_by_a_method_of_its_own(m: Any) -> Any:
    class Any_(m.nn.modules.batchnorm._BatchNorm):  # type: ignore[misc, name-defined]
        def _check_input_dim(self, input: Any) -> None:
            if input.dim() != 2:
                raise ValueError("two, please")

    norm = Any_(2)
    return [norm(m.arange(4.0).view(2, 2)), norm(m.ones(2, 2, 2))]


@STORIES
def blocks_of_an_encoder_are_called_alone(m: Any) -> Any:
    layer = filled(m.nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True), 0.2)
    x = m.arange(24.0).view(2, 3, 4) / 10
    future = m.ones(3, 3).triu(1).bool()
    return [
        layer._sa_block(x, future, None),
        layer._ff_block(x),
        layer._sa_block(x, None, m.tensor([[0, 0, 1]] * 2).bool()),
    ]


@STORIES
def blocks_of_a_decoder_are_called_alone(m: Any) -> Any:
    layer = filled(m.nn.TransformerDecoderLayer(4, 2, 8, 0.0, batch_first=True), 0.2)
    x, memory = m.arange(24.0).view(2, 3, 4) / 10, m.arange(16.0).view(2, 2, 4) / 10
    return [layer._sa_block(x, None, None), layer._mha_block(x, memory, None, None), layer._ff_block(x)]


@STORIES
def copies_of_a_layer_have_parameters_of_their_own(m: Any) -> Any:
    copies = place(m, "nn.modules.transformer")._get_clones(m.nn.Linear(2, 2), 2)
    return [type(copies).__name__, copies[0].weight is copies[1].weight, copies[0].weight.equal(copies[1].weight)]


@STORIES
def older_names_of_reductions_have_numbers(m: Any) -> Any:
    numbers = place(m, "nn._reduction")
    asked = [numbers.get_enum(name) for name in ("none", "mean", "sum", "elementwise_mean")]
    return [asked, numbers.legacy_get_string(None, False), numbers.legacy_get_enum(False, None), numbers.get_enum("x")]


@STORIES
def the_mean_had_a_longer_name(m: Any) -> Any:
    x = m.tensor([1.0, 3.0])
    return m.nn.functional.smooth_l1_loss(x, x * 2, reduction="elementwise_mean")


@STORIES
def dropout_between_layers_wants_two_of_them(m: Any) -> Any:
    return [repr(m.nn.GRU(2, 3, dropout=0.5)), repr(m.nn.LSTM(2, 3, 2, dropout=0.5))]


@STORIES
def functions_of_matrices_have_names_of_their_own(m: Any) -> Any:
    names = ["matrix_exp", "inv", "qr", "norm", "multi_dot", "vander", "diagonal", "eigh"]
    return [[getattr(m.linalg, name).__name__ for name in names], m.matrix_exp.__name__]


@STORIES
def scripted_modules_run(m: Any) -> Any:
    class Doubled(m.jit.ScriptModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.linear = filled(m.nn.Linear(2, 1))

        @m.jit.script_method  # type: ignore[misc]
        def forward(self, x):  # type: ignore[no-untyped-def]
            return self.linear(x) * 2

    return Doubled()(m.ones(1, 2)).tolist()


@STORIES
def hints_for_the_compiler_are_taken(m: Any) -> Any:
    dynamo = place(m, "_dynamo")
    dynamo.config.suppress_errors = True
    dynamo.mark_dynamic(m.ones(2), 0)
    dynamo.reset()
    return dynamo.disable(lambda x: x + 1)(1)


@STORIES
def sizes_have_types(m: Any) -> Any:
    types = place(m, "nn.common_types")
    return [hasattr(types, f"_size_{count}_t") for count in ("any", *range(1, 7))] + [hasattr(types, "_ratio_2_t")]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_it_is_as_in_pytorch(story: Any) -> None:
    (ours, warned), (theirs, expected) = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), (ours, theirs)
    told = [one.split(" (Triggered")[0] for one in expected if "torch.jit" not in one]
    assert warned == told
