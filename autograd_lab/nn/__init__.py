"""Modules, their layers, containers and losses, as `torch.nn` has them."""

from __future__ import annotations

from importlib import import_module

from autograd_lab.elsewhere import also, kinds_in
from autograd_lab.elsewhere.absent import missing
from autograd_lab.elsewhere.asked_for import PARALLEL, PER_SAMPLE
from autograd_lab.nn import functional, init, utils
from autograd_lab.nn.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)
from autograd_lab.nn.adaptive import AdaptiveLogSoftmaxWithLoss
from autograd_lab.nn.attention import MultiheadAttention
from autograd_lab.nn.batchnorm import BatchNorm1d, BatchNorm2d, SyncBatchNorm
from autograd_lab.nn.container import Container, ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from autograd_lab.nn.conv import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from autograd_lab.nn.distance import PairwiseDistance
from autograd_lab.nn.dropout import AlphaDropout, Dropout, Dropout1d, Dropout2d, FeatureAlphaDropout
from autograd_lab.nn.flatten import Flatten, Unflatten
from autograd_lab.nn.fold import Fold, Unfold
from autograd_lab.nn.instancenorm import InstanceNorm1d, InstanceNorm2d
from autograd_lab.nn.lazy import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyConv1d,
    LazyConv2d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyLinear,
)
from autograd_lab.nn.linear import Bilinear, Identity, Linear
from autograd_lab.nn.linear_cross_entropy import LinearCrossEntropyLoss, LinearCrossEntropyOptions
from autograd_lab.nn.loading import IncompatibleKeys, consume_prefix_in_state_dict_if_present
from autograd_lab.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CosineSimilarity,
    CrossEntropyLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MarginRankingLoss,
    MSELoss,
    NLLLoss,
    NLLLoss2d,
    PoissonNLLLoss,
    SmoothL1Loss,
    SoftMarginLoss,
    TripletMarginLoss,
)
from autograd_lab.nn.margins import (
    CTCLoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    TripletMarginWithDistanceLoss,
)
from autograd_lab.nn.module import Module
from autograd_lab.nn.normalization import CrossMapLRN2d, GroupNorm, LayerNorm, LocalResponseNorm, RMSNorm
from autograd_lab.nn.padding import (
    CircularPad1d,
    CircularPad2d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReplicationPad1d,
    ReplicationPad2d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from autograd_lab.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from autograd_lab.nn.pixelshuffle import ChannelShuffle, PixelShuffle, PixelUnshuffle
from autograd_lab.nn.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    FractionalMaxPool2d,
    LPPool1d,
    LPPool2d,
    MaxPool1d,
    MaxPool2d,
    MaxUnpool1d,
    MaxUnpool2d,
)
from autograd_lab.nn.replicas import DataParallel, each_repeated, repeated
from autograd_lab.nn.rnn import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNBase, RNNCell, RNNCellBase
from autograd_lab.nn.sparse import Embedding, EmbeddingBag
from autograd_lab.nn.three_dimensions import functions, layers
from autograd_lab.nn.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from autograd_lab.nn.upsampling import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AlphaDropout",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Bilinear",
    "Buffer",
    "CTCLoss",
    "ChannelShuffle",
    "CircularPad1d",
    "CircularPad2d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Container",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "CrossMapLRN2d",
    "DataParallel",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Embedding",
    "EmbeddingBag",
    "FeatureAlphaDropout",
    "Flatten",
    "Fold",
    "FractionalMaxPool2d",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "KLDivLoss",
    "L1Loss",
    "LPPool1d",
    "LPPool2d",
    "LSTMCell",
    "LayerNorm",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyLinear",
    "LeakyReLU",
    "Linear",
    "LinearCrossEntropyLoss",
    "LinearCrossEntropyOptions",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultiheadAttention",
    "NLLLoss",
    "NLLLoss2d",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RMSNorm",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
    "RReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "Unfold",
    "UninitializedBuffer",
    "UninitializedParameter",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "functional",
    "init",
    "utils",
]

globals().update(layers())
functional.__dict__.update(functions())
MODULES = """
activation adaptive batchnorm container conv distance dropout flatten fold instancenorm lazy linear loss
normalization padding pixelshuffle pooling rnn sparse transformer upsampling
"""
ELSEWHERE_HERE = {
    "activation": "MultiheadAttention",
    "batchnorm": "LazyBatchNorm1d LazyBatchNorm2d",
    "conv": "LazyConv1d LazyConv2d LazyConvTranspose1d LazyConvTranspose2d",
    "distance": "CosineSimilarity",
    "instancenorm": "LazyInstanceNorm1d LazyInstanceNorm2d",
    "linear": "LazyLinear",
    "loss": "CTCLoss LinearCrossEntropyLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss "
    "TripletMarginWithDistanceLoss",
}
"""Layers that are in another file here than in PyTorch."""
SIZES = {f"_{name}": repeated(times) for times, name in enumerate(("single", "pair", "triple", "quadruple"), 1)}
modules = also("autograd_lab.nn.modules", "autograd_lab.nn", **kinds_in(globals(), Module))
for _name in MODULES.split():
    _own = kinds_in(vars(import_module(f"autograd_lab.nn.{_name}")), Module)
    _own |= {each: globals()[each] for each in ELSEWHERE_HERE.get(_name, "").split()}
    also(f"autograd_lab.nn.modules.{_name}", "autograd_lab.nn", f"autograd_lab.nn.{_name}", **SIZES, **_own)
also("autograd_lab.nn.modules.channelshuffle", "autograd_lab.nn")
also(
    "autograd_lab.nn.modules.module",
    "autograd_lab.nn",
    "autograd_lab.nn.module",
    "autograd_lab.nn.everywhere",
    _IncompatibleKeys=IncompatibleKeys,
)
also(
    "autograd_lab.nn.modules.utils",
    "autograd_lab.nn",
    **SIZES,
    _ntuple=repeated,
    _reverse_repeat_tuple=each_repeated,
    consume_prefix_in_state_dict_if_present=consume_prefix_in_state_dict_if_present,
)
parallel = also("autograd_lab.nn.parallel", "autograd_lab.nn", **PARALLEL)
for _name in ("distributed", "scatter_gather"):
    also(f"autograd_lab.nn.parallel.{_name}", "autograd_lab.elsewhere", **PARALLEL)
also("autograd_lab.nn.utils.stateless", "autograd_lab.func")
also("autograd_lab.nn.utils._per_sample_grad", "autograd_lab.elsewhere", **PER_SAMPLE)
__getattr__ = missing(__name__)
