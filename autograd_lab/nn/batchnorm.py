"""Batch normalization: mean 0 and variance 1 over the batch, and running estimates of both for later."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.exact.elementless import filled
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn.normalization import Affine
from autograd_lab.nn.parameter import leaf_of


class _NormBase(Affine):
    """What keeps running estimates of mean and variance while training, and computes with them afterwards."""

    _version = 2
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None
    dims: tuple[int, ...] = ()

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._with((num_features,), affine, bias, device, dtype)
        tracked = track_running_stats
        kind = dtypes.default if dtype is None else dtype.numpy
        buffers: dict[str, tuple[Any, tuple[int, ...], Any]] = {
            "running_mean": (np.zeros, (num_features,), kind),
            "running_var": (np.ones, (num_features,), kind),
            "num_batches_tracked": (np.zeros, (), dtypes.I64),
        }
        for name, (fill, shape, its) in buffers.items():
            self.register_buffer(name, leaf_of(Tensor, filled(fill, shape, its, device), False) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the estimates."""
        if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        if local_metadata.get("version", 1) < 2 and self.track_running_stats:  # those before it did not count batches
            counted = self.num_batches_tracked
            zero = leaf_of(Tensor, np.array(0), False)
            state_dict.setdefault(
                f"{prefix}num_batches_tracked", zero if counted is None or counted.is_meta else counted
            )
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def reset_parameters(self) -> None:
        """Forget the estimates, and set weight and bias to ones and zeros."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self.dims:
            expected = " or ".join(f"{dim}D" for dim in self.dims)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def extra_repr(self) -> str:
        flags = f"affine={self.affine}, bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, {flags}"


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean of all batches, each of the same weight
                momentum = 1 / float(self.num_batches_tracked)
        with_batch = self.training or self.running_mean is None
        keeps = not self.training or self.track_running_stats
        running = (self.running_mean, self.running_var) if keeps else (None, None)
        return F.batch_norm(input, *running, self.weight, self.bias, with_batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """Each feature with mean 0 and variance 1 over the batch, times weight, plus bias."""

    dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of pictures with mean 0 and variance 1 over the batch, times weight, plus bias."""

    dims = (4,)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over all processes of a training run; here there is one, so over its own batch."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, process_group: Any = None, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """The module, with a `SyncBatchNorm` in the place of each batch normalization in it."""
        out = module
        if isinstance(module, _BatchNorm):
            settings = (module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats)
            out = SyncBatchNorm(*settings, process_group, bias=module.bias is not None)
            if module.affine:
                out.weight, out.bias = module.weight, module.bias
            out.running_mean, out.running_var = module.running_mean, module.running_var
            out.num_batches_tracked, out.training = module.num_batches_tracked, module.training
        for name, child in module.named_children():
            out.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return out
