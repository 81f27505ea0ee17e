"""Layers that learn from their first input how large they have to be."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn.batchnorm import BatchNorm1d, BatchNorm2d
from autograd_lab.nn.conv import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from autograd_lab.nn.instancenorm import InstanceNorm1d, InstanceNorm2d
from autograd_lab.nn.linear import Linear
from autograd_lab.nn.module import Module
from autograd_lab.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy, leaf_of


class LazyModuleMixin:
    """What makes a module's parameters before its first `forward`, and then turns it into `cls_to_become`."""

    cls_to_become: ClassVar[type[Module] | None] = None

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        own: Any = self
        return any(map(is_lazy, (*own._parameters.values(), *own._buffers.values())))

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Make the parameters for this input."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        own: Any = self
        with_shapes = own._parameters, own._buffers
        lazy = {name: one for kind in with_shapes for name, one in kind.items() if is_lazy(one)}
        super()._save_to_state_dict(destination, prefix, keep_vars)  # type: ignore[misc]
        destination.update({prefix + name: one for name, one in lazy.items() if prefix + name in destination})

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *others: Any) -> None:
        own: Any = self
        for name, one in (*own._parameters.items(), *own._buffers.items()):
            new = state_dict.get(prefix + name)
            if is_lazy(one) and is_tensor(new) and not is_lazy(new):
                with no_grad():
                    one.materialize(new.shape)
        super()._load_from_state_dict(state_dict, prefix, *others)  # type: ignore[misc]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own: Any = self
        own.initialize_parameters(*args, **kwargs)
        if own.has_uninitialized_params():
            raise RuntimeError(f"module {own._get_name()} has not been fully initialized")
        if self.cls_to_become is not None:
            self.__class__ = self.cls_to_become  # type: ignore[assignment]
        return Module.__call__(own, *args, **kwargs)


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` whose `in_features` is the size of its first input's last dimension."""

    cls_to_become = Linear
    in_features: int

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_features:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:  # as where a state was loaded
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


class _LazyConvolution(LazyModuleMixin):
    """What makes weights for as many channels as the first input has."""

    ndim: int

    def __init__(
        self, out_channels: int, kernel_size: Any, *args: Any, bias: bool = True, device: Any = None, dtype: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, *args, bias=False, **kwargs)  # type: ignore[call-arg]
        own: Any = self
        own.out_channels = out_channels
        own.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            own.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        own: Any = self
        if not self.has_uninitialized_params() and own.in_channels:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        if not self.has_uninitialized_params():
            return
        own: Any = self
        if input.dim() not in (self.ndim + 1, self.ndim + 2):
            raise RuntimeError(
                f"Expected {self.ndim + 1}D (unbatched) or {self.ndim + 2}D (batched) input to {type(self).__name__}, "
                f"but got input of size: {input.shape}"
            )
        channels = input.shape[-self.ndim - 1]
        own._check(channels, own.out_channels, own.groups, own.padding, own.stride, own.padding_mode)
        first, second = (channels, own.out_channels) if own.transposed else (own.out_channels, channels)
        with no_grad():
            own.in_channels = channels
            own.weight.materialize((first, second // own.groups, *own.kernel_size))
            if own.bias is not None:
                own.bias.materialize((own.out_channels,))
            self.reset_parameters()


class LazyConv1d(_LazyConvolution, Conv1d):
    """A `Conv1d` whose `in_channels` are those of its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConvolution, Conv2d):
    """A `Conv2d` whose `in_channels` are those of its first input."""

    cls_to_become = Conv2d


class LazyConvTranspose1d(_LazyConvolution, ConvTranspose1d):
    """A `ConvTranspose1d` whose `in_channels` are those of its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvolution, ConvTranspose2d):
    """A `ConvTranspose2d` whose `in_channels` are those of its first input."""

    cls_to_become = ConvTranspose2d


class _LazyNorm(LazyModuleMixin):
    """What makes weights, biases and estimates for as many channels as the first input has."""

    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False)  # type: ignore[call-arg]
        own: Any = self
        own.affine, own.track_running_stats = affine, track_running_stats
        if affine:
            own.weight = UninitializedParameter(device=device, dtype=dtype)
            own.bias = UninitializedParameter(device=device, dtype=dtype) if bias else None
        if track_running_stats:
            own.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            own.running_var = UninitializedBuffer(device=device, dtype=dtype)
            own.num_batches_tracked = leaf_of(Tensor, np.array(0), False)

    def reset_parameters(self) -> None:
        own: Any = self
        if not self.has_uninitialized_params() and own.num_features:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:
        if not self.has_uninitialized_params():
            return
        own: Any = self
        own.num_features = input.shape[1]
        for one in (own.weight, own.bias, own.running_mean, own.running_var):
            if one is not None:
                one.materialize((own.num_features,))
        with no_grad():
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """A `BatchNorm1d` whose `num_features` are those of its first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """A `BatchNorm2d` whose `num_features` are those of its first input."""

    cls_to_become = BatchNorm2d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """An `InstanceNorm1d` whose `num_features` are those of its first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """An `InstanceNorm2d` whose `num_features` are those of its first input."""

    cls_to_become = InstanceNorm2d
