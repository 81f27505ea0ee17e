"""Pruning: some elements of a weight are held at zero by a mask, which is laid on before each forward."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograd_lab.engine.ops.matrix.matrix_sizes import norm
from autograd_lab.engine.ops.reduction.sorting import kthvalue, topk
from autograd_lab.engine.tensor.factories import ones_like, zeros_like
from autograd_lab.engine.tensor.randomness import rand, rand_like
from autograd_lab.nn.utils.convert_parameters import parameters_to_vector


class BasePruningMethod(ABC):
    """A way to choose: a subclass has `PRUNING_TYPE`, and a `compute_mask` that sets elements of a mask to zero."""

    PRUNING_TYPE: str
    _tensor_name: str | None = None

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, str(self._tensor_name), self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask for what matters as much as `t` says, given that some of it is masked already."""

    def apply_mask(self, module: Any) -> Any:
        """The parameter times its mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        orig = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(dtype=orig.dtype) * orig

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **named: Any) -> Any:
        """Prune a parameter: `name_orig` is what is trained then, `name_mask` a buffer, and `name` their product."""
        method, orig = _on_top(cls(*args, **named), module, name), getattr(module, name)
        scores = orig if importance_scores is None else importance_scores
        if scores.shape != orig.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {scores.shape} vs {orig.shape}"
            )
        is_first = not isinstance(method, PruningContainer)
        before = ones_like(orig) if is_first else getattr(module, f"{name}_mask").detach().clone()
        mask = method.compute_mask(scores, default_mask=before)
        if is_first:
            module.register_parameter(f"{name}_orig", orig)
            del module._parameters[name]
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A tensor with what is to go at zero; no module is touched."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        return t * self.compute_mask(scores, default_mask=ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Any) -> None:
        """Let the parameter be one of its own again: with its zeros, which are free from now on."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        delattr(module, name)
        orig = module._parameters.pop(f"{name}_orig")
        orig.data = weight.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, orig)


def _on_top(method: Any, module: Any, name: str) -> Any:
    """The method, together with the one that the parameter has been pruned by before."""
    method._tensor_name = name
    for key, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            del module._forward_pre_hooks[key]
            container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
            container.add_pruning_method(method)
            return container
    return method


class PruningContainer(BasePruningMethod):
    """Methods that follow one another: each prunes what the ones before have left."""

    def __init__(self, *methods: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if methods:
            self._tensor_name = methods[0]._tensor_name
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """One more."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, at: int) -> Any:
        return self._pruning_methods[at]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask of the last method, for what the others have left."""
        method, mask = self._pruning_methods[-1], default_mask.to(dtype=t.dtype)
        left = _left(method, mask)
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(dtype=mask.dtype)
        return mask


def _left(method: Any, mask: Any) -> Any:
    """What is not masked yet, as an index: elements, channels of which anything is left, or all of it."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    everything = [slice(None)] * mask.dim()
    if method.PRUNING_TYPE == "structured":
        _check_dim(mask, method.dim)
        dim = method.dim % mask.dim()
        everything[dim] = mask.sum(dim=[at for at in range(mask.dim()) if at != dim]) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    return tuple(everything)


class Identity(BasePruningMethod):
    """Nothing is pruned, but all else is as if it were."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask


def _validate_pruning_amount_init(amount: Any) -> None:
    """Raise unless it is a share from 0 to 1, or a number."""
    if not isinstance(amount, int | float):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (isinstance(amount, float) and amount > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount: float, tensor_size: int) -> None:
    """Raise ValueError for a number of more than there are."""
    if isinstance(amount, int) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _compute_nparams_toprune(amount: float, tensor_size: int) -> int:
    """How many of so many are to go."""
    return amount if isinstance(amount, int) else round(amount * tensor_size)


class _Share(BasePruningMethod):
    """A method for an amount: a share from 0 to 1, or a number of elements or channels."""

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def _count(self, size: int) -> int:
        """How many of so many are to go. Raises ValueError for more than there are."""
        _validate_pruning_amount(self.amount, size)
        return _compute_nparams_toprune(self.amount, size)


class RandomUnstructured(_Share):
    """Elements chosen by chance."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return _without(default_mask, lambda: rand_like(t), self._count(t.nelement()), largest=True)


class L1Unstructured(_Share):
    """The elements nearest to zero."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return _without(default_mask, lambda: t.abs(), self._count(t.nelement()), largest=False)


def _without(mask: Any, scores: Any, count: int, largest: bool) -> Any:
    """A mask without the elements whose scores are first."""
    mask = mask.clone()
    if count:
        mask.view(-1)[topk(scores().reshape(-1), count, largest=largest).indices] = 0
    return mask


class _Structured(_Share):
    """A method for whole channels along a dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims"
            )
        _check_dim(t, self.dim)
        channels = t.shape[self.dim]
        if not (count := self._count(channels)):
            return default_mask
        mask = zeros_like(t)
        index: list[Any] = [slice(None)] * t.dim()
        index[self.dim] = self._kept(t, channels, count)
        mask[tuple(index)] = 1
        return mask * default_mask.to(dtype=mask.dtype)

    def _kept(self, t: Any, channels: int, count: int) -> Any:
        raise NotImplementedError


class RandomStructured(_Structured):
    """Channels chosen by chance."""

    def _kept(self, t: Any, channels: int, count: int) -> Any:
        scores = rand(channels)
        return scores > kthvalue(scores, count).values


class LnStructured(_Structured):
    """The channels of the smallest norm."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t: Any, channels: int, count: int) -> Any:
        others = [at for at in range(t.dim()) if at != self.dim % t.dim()]
        return topk(norm(t, p=self.n, dim=others), channels - count).indices


def _check_dim(t: Any, dim: int) -> None:
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


class CustomFromMask(BasePruningMethod):
    """What a mask says."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: Any, name: str) -> Any:
    """Have a parameter look pruned, with a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Prune elements chosen by chance: a share of them, or so many."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Any = None) -> Any:
    """Prune the elements nearest to zero, or those with the lowest scores."""
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Prune channels along a dimension, chosen by chance."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None) -> Any:
    """Prune the channels along a dimension whose n-norm is smallest."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Prune by a mask of zeros and ones."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Any, str]],
    pruning_method: Any,
    importance_scores: Mapping[Any, Any] | None = None,
    **named: Any,
) -> None:
    """Prune several parameters as if they were one: so many of all their elements."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, Mapping):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = [(module, name, getattr(module, name)) for module, name in parameters]
    method = pruning_method(**named)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of '
            f"type {method.PRUNING_TYPE}"
        )
    before = parameters_to_vector([getattr(module, f"{name}_mask", ones_like(one)) for module, name, one in pairs])
    vector = parameters_to_vector([scores.get((module, name), one) for module, name, one in pairs])
    container = PruningContainer(method)
    masks = container.compute_mask(vector, before).split([one.numel() for _, _, one in pairs])
    for (module, name, one), mask in zip(pairs, masks, strict=True):
        custom_from_mask(module, name, mask.view_as(one))


def remove(module: Any, name: str) -> Any:
    """Let what is pruned stay at zero, and the parameter be one of its own again."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Whether anything in a module is pruned."""
    hooks = (hook for _, one in module.named_modules() for hook in one._forward_pre_hooks.values())
    return any(isinstance(hook, BasePruningMethod) for hook in hooks)
