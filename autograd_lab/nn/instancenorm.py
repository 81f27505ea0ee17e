"""Instance normalization: mean 0 and variance 1 over each channel of each example."""

from __future__ import annotations

import warnings
from typing import Any

from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn.batchnorm import _NormBase
from autograd_lab.whose import users_level


class _InstanceNorm(_NormBase):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self) -> int:
        return min(self.dims)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        alone = input.dim() == min(self.dims)
        channels = input.shape[0 if alone else 1]
        if channels != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={0 if alone else 1} to match num_features ({self.num_features}), "
                    f"but got: {channels}."
                )
            warnings.warn(
                f"input's size at dim={0 if alone else 1} does not match num_features. You can silence this warning by "
                "not passing in num_features, which is not used because affine=False",
                UserWarning,
                stacklevel=users_level(),
            )
        found = self._normalized(input.unsqueeze(0) if alone else input)
        return found.squeeze(0) if alone else found

    def _normalized(self, input: Tensor) -> Tensor:
        with_own = self.training or not self.track_running_stats
        momentum = 0.0 if self.momentum is None else self.momentum
        parameters = self.running_mean, self.running_var, self.weight, self.bias
        return F.instance_norm(input, *parameters, with_own, momentum, self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each sequence with mean 0 and variance 1, times weight, plus bias, if there are any."""

    dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each picture with mean 0 and variance 1, times weight, plus bias, if there are any."""

    dims = (3, 4)
