"""Layers: how they print, what they are initialized with, what they compute, and the graph that they record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.worlds import filled, graph, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

SAYINGS = """
nn.BatchNorm1d(2).get_buffer("running_mean")
nn.BatchNorm1d(2).get_buffer("weight")
nn.BatchNorm1d(1).double().num_batches_tracked
nn.Conv2d(1, 2, 3)
nn.Conv2d(2, 4, (3, 5), stride=2, padding=(1, 2), dilation=2, groups=2, bias=False, padding_mode="reflect")
nn.Conv2d(1, 2, 3, padding="same")
nn.Conv1d(1, 2, 3, padding="same", stride=2)
nn.Conv1d(1, 2, 3, groups=2)
nn.Conv1d(2, 3, 3, groups=2)
nn.Conv1d(2, 3, 3, groups=0)
nn.Conv1d(2, 2, 3)
nn.ConvTranspose2d(4, 2, 3, output_padding=1, stride=2)
nn.ConvTranspose1d(4, 2, 3, padding_mode="reflect")
[nn.ConvTranspose2d(1, 1, 3, 2, 1)(m.ones(1, 6, 6), output_size=size).shape for size in ([11, 12], (1, 12, 11))]
nn.ConvTranspose2d(1, 1, 3, 2, 1)(m.ones(1, 1, 6, 6), output_size=[13, 12])
nn.ConvTranspose1d(1, 1, 3, 2)(m.ones(1, 1, 6), output_size=(1, 2))
nn.EmbeddingBag(10, 3, max_norm=1.0, mode="sum", padding_idx=-9)
nn.Embedding(3, 2, _weight=m.ones(2, 2))
nn.MaxUnpool2d(2)(m.ones(1, 1, 4, 4), m.full((1, 1, 4, 4), 99))
nn.EmbeddingBag(5, 3)(m.tensor([1, 2]))
nn.EmbeddingBag(5, 3)(m.zeros(1, 2, 2).long())
nn.EmbeddingBag(5, 3)(m.tensor([1, 2]), m.tensor([1]))
nn.EmbeddingBag(5, 3)(m.tensor([1, 2]), m.tensor([0, 3]))
nn.EmbeddingBag(5, 3)(m.tensor([1, 2]), m.tensor([[0]]))
nn.EmbeddingBag(5, 3)(m.tensor([1.0]), m.tensor([0]))
nn.EmbeddingBag(5, 3, mode="x")(m.tensor([1]), m.tensor([0]))
nn.EmbeddingBag(5, 3)(m.tensor([1]), m.tensor([0]), m.ones(1))
nn.EmbeddingBag.from_pretrained(m.ones(2, 2)).weight.requires_grad
[p.shape for p in nn.ConvTranspose2d(4, 2, 3, groups=2).parameters()]
[p.shape for p in nn.Conv2d(4, 2, (3, 2), groups=2).parameters()]
[p._version for p in nn.Conv2d(4, 2, (3, 2), groups=2).parameters()]
nn.BatchNorm1d(3)
nn.BatchNorm2d(3, affine=False, track_running_stats=False)
nn.BatchNorm1d(3).state_dict()
[p._version for p in nn.BatchNorm1d(3).state_dict().values()]
nn.BatchNorm1d(3)(m.zeros(3))
nn.BatchNorm2d(3)(m.zeros(3, 3))
nn.LayerNorm(3)
nn.LayerNorm([2, 3], bias=False)
nn.LayerNorm((2, 3), elementwise_affine=False, eps=1e-3)
nn.Bilinear(2, 3, 4)
nn.LocalResponseNorm(2)
nn.LPPool2d(2, 3, ceil_mode=True)
nn.MaxUnpool2d(2, padding=(1, 0))
nn.MaxUnpool1d(3)
nn.CTCLoss(1), nn.MultiMarginLoss(2), nn.MultiMarginLoss(3)
nn.RMSNorm(3)
nn.RMSNorm((2, 3), eps=1e-3)
nn.GroupNorm(2, 4)
nn.GroupNorm(2, 3)
nn.GroupNorm(2, 4, affine=False)
nn.Dropout()
nn.Dropout(2)
nn.Dropout2d(0.1, inplace=True)
nn.Embedding(4, 3)
nn.Embedding(4, 3, padding_idx=-1)
nn.Embedding(4, 3, padding_idx=-1).weight[3]
nn.Embedding(4, 3, padding_idx=9)
nn.Embedding(4, 3, padding_idx=1, max_norm=2.0, norm_type=3.0, scale_grad_by_freq=True)
nn.Embedding.from_pretrained(m.ones(2, 3)).weight
nn.MaxPool2d(2)
nn.MaxPool1d(2, stride=1, padding=1, ceil_mode=True)
nn.AvgPool1d(2)
nn.AvgPool2d(2, stride=1)
nn.AdaptiveAvgPool2d((1, 2))
nn.AdaptiveAvgPool1d(1)
nn.ReLU()
nn.ReLU(inplace=True)
nn.ReLU6()
nn.LeakyReLU()
nn.LeakyReLU(0.2, inplace=True)
nn.PReLU()
nn.ELU()
nn.SELU()
nn.CELU()
nn.GELU()
nn.GELU(approximate="tanh")
nn.SiLU()
nn.SiLU(True)
nn.Mish()
nn.Softplus()
nn.Hardtanh()
nn.Hardsigmoid()
nn.Hardswish(True)
nn.Softsign()
nn.Tanhshrink()
nn.Softshrink()
nn.Hardshrink()
nn.LogSigmoid()
nn.Softmax(dim=1)
nn.Softmax()
nn.Softmin()
nn.LogSoftmax(dim=1)
nn.GLU()
nn.Threshold(0.1, 20)
nn.Sigmoid()
nn.Tanh()
nn.MSELoss()
nn.L1Loss()
nn.SmoothL1Loss()
nn.HuberLoss()
nn.CrossEntropyLoss()
nn.NLLLoss()
nn.BCELoss()
nn.BCEWithLogitsLoss()
nn.KLDivLoss()
nn.CosineSimilarity()
list(nn.CrossEntropyLoss(weight=m.ones(2)).state_dict())
nn.MSELoss(reduction="sum").reduction
nn.RNN(4, 6)
nn.RNN(4, 6, nonlinearity="relu")
nn.RNN(4, 6, nonlinearity="x")
nn.LSTM(4, 6, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1)
list(nn.GRU(4, 6, 2, bidirectional=True).state_dict())
list(nn.LSTM(4, 6, 2, bias=False).state_dict())
nn.GRU(4, 6, batch_first=2)
nn.GRU(4, 6, dropout=2)
nn.GRU(4, 0)
nn.GRU(4, 6, 0)
nn.RNN(4, 6)(m.ones(5, 3, 9))
nn.RNN(4, 6)(m.ones(4))
nn.LSTM(4, 6)(m.ones(4))
nn.RNN(4, 6)(m.ones(5, 3, 4), m.ones(3, 3))
nn.LSTM(4, 6)(m.ones(5, 3, 4), (m.ones(3, 3), m.ones(3, 3)))
nn.GRU(4, 6)(m.ones(5, 3, 4), m.ones(1, 2, 6))
nn.LSTM(4, 6)(m.ones(5, 3, 4), (m.ones(1, 2, 6), m.ones(1, 3, 6)))
nn.LSTM(4, 6)(m.ones(5, 3, 4), (m.ones(1, 3, 6), m.ones(1, 2, 6)))
nn.GRU(4, 6)(m.ones(5, 4), m.ones(1, 2, 6))
nn.GRU(4, 6)(m.ones(5, 4), m.ones(2, 6))
nn.RNNCell(4, 6, nonlinearity="relu", bias=False)
nn.LSTMCell(4, 6)
nn.GRUCell(4, 6, bias=False)
nn.RNNCell(4, 6)(m.ones(3, 9))
nn.RNNCell(4, 6)(m.ones(3, 3, 4))
nn.GRUCell(4, 6)(m.ones(3, 4), m.ones(3, 9))
nn.MultiheadAttention(8, 2)
nn.MultiheadAttention(7, 2)
nn.MultiheadAttention(0, 2)
list(nn.MultiheadAttention(8, 2).state_dict())
list(nn.MultiheadAttention(8, 2, kdim=4, vdim=4, bias=False).state_dict())
list(nn.MultiheadAttention(8, 2, add_bias_kv=True).state_dict())
[p._version for p in nn.MultiheadAttention(8, 2).parameters()]
nn.TransformerEncoderLayer(8, 2, 16)
nn.TransformerEncoderLayer(8, 2, 16, activation="x")
list(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).state_dict())
nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)
nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, norm_first=True), 2, norm=nn.LayerNorm(8))
nn.TransformerDecoderLayer(8, 2, 16)
nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2)
nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
list(nn.Transformer(8, 2, 1, 1, 16, batch_first=True).state_dict())
nn.Transformer(8, 2, 1, 1, 16, batch_first=True)(m.ones(2, 3, 8), m.ones(3, 3, 8))
nn.Transformer(8, 2, 1, 1, 16, batch_first=True)(m.ones(2, 3, 4), m.ones(2, 3, 4))
nn.Transformer.generate_square_subsequent_mask(3)
nn.ZeroPad2d(1)
nn.ConstantPad1d((1, 2), 3.5)
nn.ReflectionPad2d((1, 0, 2, 1))
nn.CircularPad1d(2)
nn.Upsample(scale_factor=2)
nn.Upsample(size=(3, 4), mode="bilinear", align_corners=True)
nn.UpsamplingBilinear2d(scale_factor=2)
nn.UpsamplingNearest2d(4)
nn.InstanceNorm1d(3)
nn.InstanceNorm2d(3, affine=True, track_running_stats=True)
nn.InstanceNorm2d(3, affine=True)(m.ones(1, 2, 2, 2))
nn.InstanceNorm1d(3)(m.ones(3))
nn.ChannelShuffle(2)
nn.PixelShuffle(2)
nn.PixelUnshuffle(2)
nn.PixelShuffle(2)(m.ones(1, 3, 2, 2))
nn.PixelUnshuffle(2)(m.ones(1, 3, 3, 2))
nn.Fold((4, 4), 2)
nn.Unfold(2, stride=2)
nn.PairwiseDistance()
nn.AdaptiveMaxPool2d((1, None))
nn.Softmax2d()
nn.Softmax2d()(m.ones(2))
nn.RReLU()
nn.RReLU(0.1, 0.3, True)
nn.AlphaDropout(0.2)
nn.FeatureAlphaDropout(0.2), nn.FeatureAlphaDropout(1.0)(m.ones(2, 3))
nn.FeatureAlphaDropout(1.2)
F.native_channel_shuffle(m.arange(8.0).reshape(1, 4, 2), 2)
nn.FractionalMaxPool2d(3, 2), nn.FractionalMaxPool2d(3, output_ratio=0.5).output_ratio
nn.FractionalMaxPool2d(3)
nn.FractionalMaxPool2d(3, 2, 0.5)
nn.FractionalMaxPool2d(3, output_ratio=1.5)
F.fractional_max_pool2d(m.ones(2, 3), 2, 2)
F.fractional_max_pool2d(m.ones(1, 4, 4), 3, 3)
F.fractional_max_pool2d(m.ones(1, 9, 4), 3, (3, 3))
F.fractional_max_pool2d(m.ones(1, 9, 4), 3)
F.fractional_max_pool2d(m.ones(1, 9, 9), 3, output_ratio=(0.5, 0.5, 0.5))
F.fractional_max_pool2d(m.ones(1, 9, 9), (3, 2, 1), 2)
F.fractional_max_pool2d(m.ones(1, 0, 9), 3, 2)
F.fractional_max_pool2d(m.ones(1, 9, 9), 3, 2, _random_samples=m.ones(1))
nn.TripletMarginLoss(margin=-1)
nn.CosineEmbeddingLoss(margin=0.5).margin
nn.LazyLinear(3)
nn.LazyLinear(3).weight
nn.LazyLinear(3).weight.shape
nn.LazyConv2d(3, 2, padding=1)
nn.LazyConv1d(4, 3, groups=2)(m.ones(1, 3, 5))
nn.LazyBatchNorm2d()
nn.LazyLinear(3, bias=False).bias
m.nn.parameter.UninitializedParameter()
nn.init.calculate_gain("relu")
nn.init.calculate_gain("tanh")
nn.init.calculate_gain("leaky_relu", 0.2)
nn.init.calculate_gain("leaky_relu", "a")
nn.init.calculate_gain("x")
nn.init.constant_(m.zeros(2), 3.0)
nn.init.ones_(nn.Parameter(m.zeros(2)))
nn.init.zeros_(m.ones(2))
nn.init.eye_(m.zeros(2, 3))
nn.init.eye_(m.zeros(2))
nn.init.xavier_uniform_(m.zeros(2))
nn.init.kaiming_normal_(m.zeros(2, 2), mode="x")
nn.init.kaiming_uniform_(m.zeros(0, 2))
nn.init.orthogonal_(m.zeros(2))
nn.init.trunc_normal_(m.zeros(2), 9.0).shape
nn.init.uniform_(nn.Parameter(m.zeros(2)))._version
nn.utils.clip_grad_norm_([m.ones(1)], 1.0)
nn.utils.clip_grad_norm([m.ones(1)], 1.0)
nn.utils.clip_grad_norm_((p for p in []), 1.0)
nn.utils.parameters_to_vector(filled(nn.Linear(2, 1)).parameters())
nn.utils.vector_to_parameters([1], [])
"""


@pytest.mark.parametrize("saying", SAYINGS.strip().splitlines())
def test_an_expression_says_the_same(saying: str) -> None:
    assert said(autograd_lab, saying) == said(torch, saying)


LAYERS: list[tuple[str, tuple[int, ...]]] = [
    ("nn.Linear(4, 3)", (2, 4)),
    ("nn.Linear(4, 3, bias=False)", (2, 4)),
    ("nn.Linear(4, 3)", (4,)),
    ("nn.Linear(4, 3)", (5, 2, 4)),
    ("nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1))", (2, 4)),
    ("nn.Conv2d(2, 4, 3, padding=1)", (1, 2, 5, 5)),
    ("nn.Conv2d(2, 4, 3, stride=2, groups=2, bias=False)", (1, 2, 5, 5)),
    ("nn.Conv1d(2, 3, 3, padding='same')", (1, 2, 6)),
    ("nn.Conv2d(2, 2, 3, padding=1, padding_mode='reflect')", (1, 2, 5, 5)),
    ("nn.Conv1d(2, 2, 3, padding=1, padding_mode='circular')", (1, 2, 5)),
    ("nn.ConvTranspose2d(2, 3, 2, stride=2)", (1, 2, 3, 3)),
    ("nn.BatchNorm1d(3)", (4, 3)),
    ("nn.BatchNorm2d(2)", (2, 2, 3, 3)),
    ("nn.BatchNorm1d(3).eval()", (4, 3)),
    ("nn.BatchNorm1d(3, momentum=None)", (4, 3)),
    ("nn.BatchNorm1d(3, track_running_stats=False).eval()", (4, 3)),
    ("nn.LayerNorm(4)", (2, 4)),
    ("nn.GroupNorm(2, 4)", (2, 4, 3)),
    ("nn.RMSNorm(4)", (2, 4)),
    ("nn.LocalResponseNorm(3)", (1, 4, 2, 3)),
    ("nn.LPPool1d(2, 2)", (1, 2, 4)),
    ("nn.Dropout(0.5).eval()", (2, 4)),
    ("nn.Dropout2d(0.5).eval()", (2, 4, 2, 2)),
    ("nn.Flatten()", (2, 2, 2)),
    ("nn.Unflatten(1, (2, 2))", (2, 4)),
    ("nn.MaxPool2d(2)", (1, 1, 4, 4)),
    ("nn.MaxPool1d(2)", (1, 1, 4)),
    ("nn.AvgPool2d(2)", (1, 1, 4, 4)),
    ("nn.AvgPool1d(2)", (1, 1, 4)),
    ("nn.AdaptiveAvgPool2d(2)", (1, 1, 4, 4)),
    ("nn.AdaptiveAvgPool1d(2)", (1, 1, 4)),
    ("nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)", (2, 3, 4)),
    ("nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, norm_first=True)", (2, 3, 4)),
    ("nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True), 2)", (2, 3, 4)),
    *[
        (f"nn.{kind}", shape)
        for kinds, shape in (
            ("ZeroPad1d(1) ConstantPad1d(1,2.5) ReflectionPad1d(2) ReplicationPad1d(2) CircularPad1d(2)", (1, 2, 4)),
            ("ZeroPad2d((1,0,2,-1)) ConstantPad2d(1,2.5) ReflectionPad2d(1) ReplicationPad2d(2)", (1, 2, 4, 3)),
            ("CircularPad2d(1) UpsamplingBilinear2d(None,2) UpsamplingNearest2d(5)", (1, 2, 4, 3)),
            ("Upsample(None,2,'bicubic') Upsample((3,5),None,'bilinear') Upsample(None,0.5,'area')", (1, 2, 4, 4)),
            ("Upsample(None,2,'nearest-exact') InstanceNorm2d(2,affine=True) Unfold(2)", (1, 2, 4, 3)),
            ("Upsample(7,None,'linear') InstanceNorm1d(2) AdaptiveMaxPool1d(2)", (1, 2, 5)),
            ("InstanceNorm1d(2,track_running_stats=True) InstanceNorm1d(2).eval()", (2, 2, 5)),
            ("AdaptiveMaxPool2d((2,1)) PixelUnshuffle(2) Softmax2d()", (1, 2, 4, 2)),
            ("ChannelShuffle(2)", (1, 4, 2)),
            ("PixelShuffle(2)", (1, 4, 2, 3)),
            ("Fold((3,3),2)", (1, 8, 4)),
            ("LazyLinear(3) LazyConv1d(4,2,bias=False) RReLU().eval()", (2, 3, 4)),
            ("LazyConv2d(4,2) LazyConvTranspose2d(2,2) LazyBatchNorm2d() LazyInstanceNorm2d()", (2, 2, 3, 4)),
        )
        for kind in kinds.split()
    ],
    *[(f"nn.{kind}Cell(4, 3)", (2, 4)) for kind in ("RNN", "LSTM", "GRU")],
    *[(f"nn.{kind}Cell(4, 3, bias=False)", (4,)) for kind in ("RNN", "LSTM", "GRU")],
]
SEQUENCES: list[tuple[str, tuple[int, ...]]] = [
    (f"nn.{kind}{arguments}", shape)
    for kind in ("RNN", "GRU", "LSTM")
    for arguments, shape in [
        ("(4, 3)", (5, 2, 4)),
        ("(4, 3, 2, batch_first=True)", (2, 5, 4)),
        ("(4, 3, bidirectional=True)", (5, 2, 4)),
        ("(4, 3, bias=False)", (5, 4)),
    ]
]
ACTIVATIONS = (
    "ReLU() ReLU6() LeakyReLU() PReLU() ELU() SELU() CELU() GELU() GELU('tanh') SiLU() Mish() Softplus() Hardtanh() "
    "Hardsigmoid() Hardswish() Softsign() Tanhshrink() Softshrink() Hardshrink() LogSigmoid() Softmax(1) Softmin(1) "
    "LogSoftmax(1) GLU() Threshold(0.1,2.0) Sigmoid() Tanh()"
)
LAYERS += [(f"nn.{activation}", (2, 4)) for activation in ACTIVATIONS.split()]


def passed(m: Any, layer: str, shape: tuple[int, ...]) -> tuple[Any, list[Any], list[int]]:
    """Graphs, numbers and versions after a layer has run forward and backward."""
    module = eval(layer, {"nn": m.nn})
    if "Lazy" in layer:
        module(m.ones(shape))
    filled(module)
    x = (m.arange(int(np.prod(shape))).float().reshape(*shape) * 0.37).sin().requires_grad_()
    outputs = flat(module(x))
    graphs = [graph(output) for output in outputs]
    sum((output * output).sum() for output in outputs).backward()
    tensors = [*outputs, x.grad, *(parameter.grad for parameter in module.parameters()), *module.buffers()]
    versions = [tensor._version for tensor in module.state_dict().values()]
    return graphs, [None if tensor is None else tensor.tolist() for tensor in tensors], versions


def flat(outputs: Any) -> list[Any]:
    return [one for part in outputs for one in flat(part)] if isinstance(outputs, tuple) else [outputs]


def assert_close(ours: list[Any], theirs: list[Any]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        assert (one is None) is (other is None)
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("layer", "shape"), LAYERS)
def test_a_layer_computes_and_records_the_same(layer: str, shape: tuple[int, ...]) -> None:
    ours, theirs = passed(autograd_lab, layer, shape), passed(torch, layer, shape)
    assert_close(ours[1], theirs[1])
    assert ours[0] == theirs[0]
    assert ours[2] == theirs[2]


@pytest.mark.parametrize(("layer", "shape"), SEQUENCES)
def test_a_recurrent_layer_computes_the_same_and_all_but_lstm_record_the_same(layer: str, shape: Any) -> None:
    ours, theirs = passed(autograd_lab, layer, shape), passed(torch, layer, shape)
    assert_close(ours[1], theirs[1])
    if "LSTM" in layer:
        assert "MkldnnRnnLayerBackward0" in str(theirs[0])  # one fused node, in place of which here stands each step
    else:
        assert ours[0] == theirs[0]


@pytest.mark.parametrize("how", ["batch_first=True", "norm_first=True, activation='gelu'"])
@pytest.mark.parametrize("masked", [True, False])
def test_a_transformer_computes_and_records_the_same(how: str, masked: bool) -> None:
    def passed_on(m: Any) -> tuple[Any, list[Any]]:
        model = filled(eval(f"m.nn.Transformer(4, 2, 1, 2, 8, dropout=0.0, {how})", {"m": m}))
        x, y = ((m.arange(24).float().reshape(2, 3, 4) * step).sin().requires_grad_() for step in (0.37, 0.73))
        size = 3 if "batch_first" in how else 2
        masks = {"tgt_mask": model.generate_square_subsequent_mask(size)} if masked else {}
        found = model(x, y, **masks)
        (found * found).sum().backward()
        return graph(found), [one.tolist() for one in (found, x.grad, y.grad, *(p.grad for p in model.parameters()))]

    ours, theirs = passed_on(autograd_lab), passed_on(torch)
    assert_close(ours[1], theirs[1])
    assert ours[0] == theirs[0]


def test_a_lazy_layer_keeps_its_parameters_and_becomes_the_layer_that_it_is_for() -> None:
    def story(m: Any) -> list[Any]:
        model = m.nn.Sequential(m.nn.LazyConv2d(2, 2), m.nn.LazyBatchNorm2d(), m.nn.Flatten(), m.nn.LazyLinear(1))
        optimizer = m.optim.SGD(model.parameters(), lr=0.1)
        told = [model, said(m, lambda m: model.load_state_dict({}))[0][:40], model[3].has_uninitialized_params()]
        parameters = list(model.parameters())
        model(m.ones(2, 1, 3, 3)).sum().backward()
        optimizer.step()
        told += [model, [type(one) for one in model], [p.shape for p in model.parameters()], model.state_dict().keys()]
        return [*told, all(p is q for p, q in zip(parameters, model.parameters(), strict=True)), type(parameters[0])]

    assert said(autograd_lab, story) == said(torch, story)


LOSSES = """
nn.MSELoss()(x, y); nn.MSELoss(reduction="none")(x, y); nn.L1Loss()(x, y); nn.SmoothL1Loss(beta=0.5)(x, y)
nn.HuberLoss(delta=0.5)(x, y); nn.KLDivLoss(reduction="batchmean")(x.log_softmax(1), y.softmax(1))
nn.CrossEntropyLoss()(x, c); nn.CrossEntropyLoss(label_smoothing=0.1, weight=m.tensor([1.0, 2.0, 3.0]))(x, c)
nn.NLLLoss()(x.log_softmax(1), c); nn.BCELoss()(x.sigmoid(), y.sigmoid()); nn.BCEWithLogitsLoss()(x, y.sigmoid())
nn.BCEWithLogitsLoss(pos_weight=m.tensor([1.0, 2.0, 3.0]))(x, y.sigmoid()); nn.CosineSimilarity()(x, y)
nn.Embedding.from_pretrained(x.detach(), freeze=False)(c); nn.MSELoss(size_average=False)(x, y)
nn.L1Loss(reduce=False)(x, y); nn.PoissonNLLLoss()(x, y); nn.PoissonNLLLoss(False, True)(x.exp(), y + 3)
nn.GaussianNLLLoss()(x, y, y + 1); nn.SoftMarginLoss()(x, y.sign() * 2 - 1)
nn.HingeEmbeddingLoss()(x, y.sign() * 2 - 1)
nn.CosineEmbeddingLoss(0.1)(x, y, m.tensor([1, -1])); nn.MarginRankingLoss(0.1)(x, y, m.ones(2, 3))
nn.MultiMarginLoss()(x, c); nn.MultiMarginLoss(2, 0.5, y[0])(x, c)
nn.MultiLabelMarginLoss()(x[0], m.tensor([2, 0, -1]))
nn.MultiLabelMarginLoss(reduction="none")(x, m.tensor([[1, -1, 0], [2, 0, 1]]))
nn.MultiLabelSoftMarginLoss()(x, y.round())
nn.CTCLoss()(x.log_softmax(1)[:, None], m.tensor([[1]]), m.tensor([2]), m.tensor([1]))
nn.CTCLoss(reduction="sum", zero_infinity=True)(x.log_softmax(1), m.tensor([1, 1]), [2], [2])
nn.TripletMarginLoss(swap=True)(x, y, y.flip(0)); nn.TripletMarginWithDistanceLoss(swap=True)(x, y, y.flip(0))
nn.PairwiseDistance(keepdim=True)(x, y)
"""


@pytest.mark.parametrize("loss", [one.strip() for one in LOSSES.replace("\n", ";").split(";") if one.strip()])
def test_a_loss_computes_and_records_the_same(loss: str) -> None:
    def judged(m: Any) -> list[Any]:
        x = m.tensor([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]], requires_grad=True)
        y, c = m.tensor([[1.0, 0.0, 0.5], [0.2, 0.9, 0.1]]), m.tensor([2, 0])
        found = eval(loss, {"m": m, "nn": m.nn, "x": x, "y": y, "c": c})
        found.sum().backward()
        return [found, graph(found), x.grad]

    assert said(autograd_lab, judged) == said(torch, judged)


def bounds(weight: Any) -> tuple[float, float, float]:
    return weight.min().item(), weight.max().item(), weight.std().item()


@pytest.mark.parametrize(
    "fresh",
    [
        "nn.Linear(50, 400).weight", "nn.Linear(400, 9000).bias", "nn.Conv2d(8, 300, 5).weight",
        "nn.LSTM(30, 100).weight_hh_l0", "nn.MultiheadAttention(100, 2).in_proj_weight",
        "nn.init.xavier_uniform_(m.zeros(200, 100))", "nn.init.kaiming_uniform_(m.zeros(200, 100))",
        "nn.init.uniform_(m.zeros(200, 100), -2, 3)",
    ],
)  # fmt: skip
def test_uniform_initial_values_keep_to_pytorchs_bounds(fresh: str) -> None:
    ours, theirs = (bounds(eval(fresh, {"m": m, "nn": m.nn})) for m in (autograd_lab, torch))
    np.testing.assert_allclose(ours, theirs, rtol=0.05)


@pytest.mark.parametrize(
    "fresh",
    [
        "nn.Embedding(200, 100).weight", "nn.init.normal_(m.zeros(200, 100), 1.0, 2.0)",
        "nn.init.xavier_normal_(m.zeros(200, 100))", "nn.init.kaiming_normal_(m.zeros(200, 100), mode='fan_out')",
        "nn.init.trunc_normal_(m.zeros(200, 100), 0.5, 1.0, -1.0, 1.0)", "nn.init.orthogonal_(m.zeros(200, 100))",
    ],
)  # fmt: skip
def test_normal_initial_values_have_pytorchs_spread(fresh: str) -> None:
    for m in (autograd_lab, torch):
        m.manual_seed(0)
    ours, theirs = (eval(fresh, {"m": m, "nn": m.nn}) for m in (autograd_lab, torch))
    assert ours.std().item() == pytest.approx(theirs.std().item(), rel=0.05)
    assert ours.mean().item() == pytest.approx(theirs.mean().item(), abs=0.05)


@pytest.mark.parametrize(
    "name", ["uniform_", "normal_", "trunc_normal_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_",
             "kaiming_normal_", "orthogonal_"],
)  # fmt: skip
def test_initial_values_come_from_the_generator_that_is_given(name: str) -> None:
    def fresh() -> Any:
        generator = autograd_lab.Generator().manual_seed(3)
        return getattr(autograd_lab.nn.init, name)(autograd_lab.zeros(3, 4), generator=generator).tolist()

    assert fresh() == fresh()


def test_orthogonal_rows_are_orthonormal() -> None:
    q = autograd_lab.nn.init.orthogonal_(autograd_lab.zeros(3, 5), gain=2)
    np.testing.assert_allclose((q @ q.t()).tolist(), 4 * np.eye(3), atol=1e-5)


def test_dropout_drops_a_share_and_scales_the_rest() -> None:
    kept = autograd_lab.nn.Dropout(0.25)(autograd_lab.ones(100, 100))
    assert kept.unique().tolist() == pytest.approx([0, 1 / 0.75])
    assert kept.mean().item() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_a_bag_of_embeddings_is_one_row_with_two_gradients(mode: str) -> None:
    def story(m: Any) -> Any:
        told = []
        uses, starts = m.tensor([1, 2, 4, 5, 4, 3, 2, 9]), m.tensor([0, 4, 4, 8])
        for named in ({}, {"padding_idx": 4}, {"include_last_offset": True}):
            bag = filled(m.nn.EmbeddingBag(10, 3, mode=mode, **named))
            out = bag(uses, starts)
            (out**2).sum().backward()
            told += [out, bag.weight.grad, bag(uses.view(2, 4)), out.grad_fn.name()]
        if mode == "sum":
            weights = m.arange(8.0, requires_grad=True)
            bag(uses, starts, weights).pow(2).sum().backward()
            told += [weights.grad, bag.weight.grad]
        return told

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert ours == theirs
