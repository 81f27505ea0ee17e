"""Activation functions as modules."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn import init
from autograd_lab.nn.module import Module
from autograd_lab.nn.parameter import Parameter, fresh


class _Activation(Module):
    """What applies a function; its settings are attributes, printed in the order in which they were set."""

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        self._shown = tuple(settings)
        self.__dict__.update(settings)

    def extra_repr(self) -> str:
        shown = [(name, getattr(self, name)) for name in self._shown]
        return ", ".join(f"{name}={value!r}" for name, value in shown if name != "inplace" or value)


class ReLU(_Activation):
    """z = max(x, 0)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class ReLU6(_Activation):
    """z = min(max(x, 0), 6)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.relu6(input, self.inplace)


class SELU(_Activation):
    """z = s · (x if x > 0 else a (exp(x) - 1)), with s and a that keep mean 0 and variance 1."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class SiLU(_Activation):
    """z = x · sigmoid(x)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class Mish(_Activation):
    """z = x · tanh(log(1 + exp(x)))."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


class Sigmoid(Module):
    """z = 1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        return input.sigmoid()


class Tanh(Module):
    """z = tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        return input.tanh()


class LogSigmoid(Module):
    """z = log(1 / (1 + exp(-x)))."""

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softsign(Module):
    """z = x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """z = x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class LeakyReLU(_Activation):
    """z = x where x > 0, else a little of it."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(negative_slope=negative_slope, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class ELU(_Activation):
    """z = x where x > 0, else alpha (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Activation):
    """z = x where x > 0, else alpha (exp(x / alpha) - 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class Hardtanh(_Activation):
    """z = x, at least `min_val` and at most `max_val`."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(min_val=min_val, max_val=max_val, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class Softplus(_Activation):
    """z = log(1 + exp(beta x)) / beta; x itself where beta x is over the threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__(beta=beta, threshold=threshold)

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)


class Softmin(_Activation):
    """z = exp(-x) / sum of exp(-x)."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


class Softmax(_Activation):
    """z = exp(x) / sum of exp(x)."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels of pictures."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)


class RReLU(_Activation):
    """z = x if x > 0 else a x, with a drawn anew between two bounds while training, else their mean."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(lower=lower, upper=upper, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"


class LogSoftmax(_Activation):
    """z = x - log(sum of exp(x))."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


class GLU(_Activation):
    """One half times the sigmoid of the other half."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)


class GELU(_Activation):
    """z = x times the probability that a normally distributed number is below x."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)


class Threshold(_Activation):
    """z = x where it is over the threshold, else `value`."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(threshold=threshold, value=value, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


class _Quiet(Module):
    """What does not print whether it works in place."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class Hardsigmoid(_Quiet):
    """z = x / 6 + 1/2, at least 0 and at most 1."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class Hardswish(_Quiet):
    """z = x · hardsigmoid(x)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class _Shrink(Module):
    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(_Shrink):
    """z = x drawn towards 0 by lambd, 0 where it is nearer."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class Hardshrink(_Shrink):
    """z = x, but 0 where it is nearer to 0 than lambd."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class PReLU(Module):
    """z = x where x > 0, else a learnt slope times x."""

    weight: Parameter

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = fresh(num_parameters, dtype=dtype, device=device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slopes to what they were at first."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
