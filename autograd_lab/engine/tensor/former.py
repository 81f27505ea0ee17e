"""`FormerMethods`: what tensors had in early PyTorch, and still have in name."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import Variable, extra_of, wrote
from autograd_lab.engine.exact.mapping import hand_on
from autograd_lab.engine.numbers.device import memory_format
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, dtype
from autograd_lab.engine.tensor.strided import empty_strided
from autograd_lab.engine.tensor.typed import tensor_type
from autograd_lab.whose import users_level

NO_EFFECT = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


def warn(text: str) -> None:
    """Warn of it, at the user's line."""
    warnings.warn(text, UserWarning, stacklevel=users_level())


ANOTHER_DTYPE = (
    "Cannot set grad_dtype to '{}' because there is already a gradient with dtype '{}'. Please clear the gradient "
    "(.grad = None) before changing grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype."
)
GONE = "This function was deprecated since version 1.9 and is now removed. "
REINFORCE = """reinforce() was removed.
Use torch.distributions instead.
See https://pytorch.org/docs/main/distributions.html

Instead of:

probs = policy_network(state)
action = probs.multinomial()
next_state, reward = env.step(action)
action.reinforce(reward)
action.backward()

Use:

probs = policy_network(state)
# NOTE: categorical is equivalent to what used to be called multinomial
m = torch.distributions.Categorical(probs)
action = m.sample()
next_state, reward = env.step(action)
loss = -m.log_prob(action) * reward
loss.backward()
"""
REMOVED = {
    "eig": "`torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors "
    "mimicking complex tensors.",
    "symeig": "The default behavior has changed from using the upper triangular portion of the matrix by default to "
    "using the lower triangular portion.",
    "lstsq": "`torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.",
    "solve": "`torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments "
    "reversed and does not return the LU factorization.",
}
"""What is said of methods that PyTorch has in name only; the first lines of it."""


def removed(name: str) -> Any:
    """A method that raises RuntimeError."""

    def refuse(self: Any, *args: Any, **named: Any) -> Any:
        raise RuntimeError(GONE + REMOVED[name])

    refuse.__name__, refuse.__doc__ = name, "Always an error: `torch.linalg` has come in its place."
    return refuse


class FormerMethods(Variable):
    """Names that warn, or say what has come in their place."""

    __slots__ = ()

    @property
    def volatile(self) -> bool:
        """False: `torch.no_grad()` has come in its place."""
        warn("volatile was removed (Variable.volatile is always False)")
        return False

    @volatile.setter
    def volatile(self, value: Any) -> None:
        warn(NO_EFFECT)

    @volatile.deleter
    def volatile(self) -> None:
        warn(NO_EFFECT)

    eig, symeig, lstsq, solve = (removed(name) for name in REMOVED)

    def reinforce(self, reward: Any) -> Any:
        """Always an error: `torch.distributions` has come in its place."""
        raise RuntimeError(REINFORCE)

    is_ipu, is_maia, is_mkldnn, is_mtia = (property(lambda self: False) for _ in range(4))
    is_sparse_csr, is_vulkan, is_xla = (property(lambda self: False) for _ in range(3))

    def to_dense(self, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
        """The tensor itself: all tensors here are dense."""
        tensor: Any = self
        return tensor if dtype is None else tensor.to(dtype)

    def dense_dim(self) -> int:
        """How many dimensions it has: all tensors here are dense."""
        return int(self._array.ndim)

    def sparse_dim(self) -> int:
        """0: no tensor here is sparse."""
        return 0

    @property
    def grad_dtype(self) -> Any:
        """The dtype of a leaf's gradient, its own unless another was set; None if that may be any."""
        tensor: Any = self
        if not tensor.is_leaf:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        wanted = () if self._extra is None else self._extra.grad_dtype
        return tensor.dtype if wanted == () else wanted and BY_NUMPY[wanted]

    @grad_dtype.setter
    def grad_dtype(self, wanted: Any) -> None:
        tensor: Any = self
        if not tensor.is_leaf:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if wanted is not None and not isinstance(wanted, dtype):
            raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(wanted).__name__}")
        if wanted is not None and tensor._grad is not None and tensor._grad.dtype is not wanted:
            raise RuntimeError(ANOTHER_DTYPE.format(wanted.title, tensor._grad.dtype.cpp))
        extra = extra_of(self)
        extra.grad_dtype = wanted and wanted.numpy
        if (accumulator := extra.accumulator and extra.accumulator()) is not None:
            accumulator.dtype = extra.grad_dtype

    def dim_order(self, *, ambiguity_check: Any = False) -> tuple[int, ...]:
        """Its dimensions, from the one whose entries lie farthest from each other in memory."""
        told = ambiguity_check if isinstance(ambiguity_check, list) else []
        if not (isinstance(ambiguity_check, bool | list) and all(isinstance(one, memory_format) for one in told)):
            raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
        steps = [step for step, size in zip(self._array.strides, self._array.shape, strict=True) if size > 1]
        if ambiguity_check is True and (len(set(steps)) < len(steps) or len(steps) < self._array.ndim):
            raise RuntimeError(
                "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
            )
        return tuple(sorted(range(self._array.ndim), key=lambda dim: -self._array.strides[dim]))

    def storage_type(self) -> Any:
        """The class of its memory."""
        return tensor_type(f"{BY_NUMPY[self._array.dtype].title}Storage")

    def map_(self, other: Any, callable: Any) -> Any:
        """Each element becomes what a function makes of it and of another tensor's, one by one."""
        return _mapped("map_", self, (other,), callable)

    def map2_(self, x: Any, y: Any, callable: Any) -> Any:
        """The same with two other tensors."""
        return _mapped("map2_", self, (x, y), callable)

    def new_empty_strided(self, size: Any, stride: Any, dtype: Any = None, **named: Any) -> Any:
        """A tensor of that shape that lies in memory by these strides, in this one's dtype."""
        made = empty_strided(size, stride, dtype=dtype or BY_NUMPY[self._array.dtype], **named)
        return hand_on(made, self)


def _mapped(name: str, tensor: Any, others: tuple[Any, ...], function: Any) -> Any:
    if any(one._needs for one in (tensor, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    x = tensor._array
    columns = [np.broadcast_to(one._array, x.shape).reshape(-1).tolist() for one in others]
    flat = [function(*row) for row in zip(x.reshape(-1).tolist(), *columns, strict=True)]
    x[...] = np.array(flat, x.dtype).reshape(x.shape)
    wrote(tensor)
    return tensor
