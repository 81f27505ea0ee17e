"""Modules as functions of their parameters: `functional_call`, and many modules as one with stacked parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.ops.shape.joining import stack

Tensors = Mapping[str, Any]
MISSING: Any = object()
"""Stands for an attribute that is not there."""


def functional_call(
    module: Any, parameter_and_buffer_dicts: Tensors | Sequence[Tensors], args: Any = None,
    kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """What the module computes with these tensors in the place of its own, which it has again afterwards.

    With `tie_weights` a tensor given for one name is used for all names of the same parameter. A name that is none of
    a parameter or buffer is that of an attribute. Raises RuntimeError with `strict` for such ones, and for those that
    are left out.
    """
    given = _merged(parameter_and_buffer_dicts)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with exchanged(module, given, tie_weights, strict):
        return module(*arguments, **(kwargs or {}))


def _merged(dicts: Tensors | Sequence[Tensors]) -> dict[str, Any]:
    if isinstance(dicts, Mapping):
        return dict(dicts)
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(one, Mapping) for one in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    repeated = [name for name, count in Counter(name for one in dicts for name in one).items() if count > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: tensor for one in dicts for name, tensor in one.items()}


@contextmanager
def exchanged(module: Any, given: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    """Within the block the module has these parameters and buffers."""
    own = _owned(module)
    wanted = _tied(own, given) if tie_weights else given
    unexpected = sorted(name for name in wanted if strict and name not in own)
    missing = sorted(name for name in own if name not in wanted) if strict else []
    if unexpected or missing:
        told = [f"Unexpected key(s): {', '.join(map(repr, unexpected))}."] if unexpected else []
        told += [f"Missing key(s): {', '.join(map(repr, missing))}."] if missing else []
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(told))
    try:
        for name, tensor in wanted.items():
            if name not in own:
                own[name] = _attribute(module, name)
            place, key, _ = own[name]
            place[key] = tensor
        yield
    finally:
        for name in wanted:
            place, key, before = own.get(name, ({}, name, MISSING))
            if before is MISSING:
                place.pop(key, None)
            else:
                place[key] = before


def _attribute(module: Any, path: str) -> tuple[dict[str, Any], str, Any]:
    """The place of an attribute, its name and what it is. Raises AttributeError unless the path leads to a module."""
    *way, name = path.split(".")
    for part in way:
        if not hasattr(module, part):
            raise AttributeError(f"{type(module).__name__} has no attribute `{part}`")
        module = getattr(module, part)
        if not hasattr(module, "named_modules"):
            raise TypeError(f"submodule `{'.'.join(way)}`: {module} is not an instance of torch.nn.Module")
    before = getattr(module, name, MISSING)
    if before is not MISSING and before is not None and not is_tensor(before):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    return vars(module), name, before


def _owned(module: Any) -> dict[str, tuple[dict[str, Any], str, Any]]:
    """For the path of each parameter and buffer the dict that it is in, by which name, and what it is."""
    found = {}
    for path, part in module.named_modules(remove_duplicate=False):
        for place in (part._parameters, part._buffers):
            for name, tensor in place.items():
                if tensor is not None:
                    found[f"{path}.{name}" if path else name] = place, name, tensor
    return found


def _tied(own: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """What is given, also for the other names of the same tensors. Raises ValueError for two values of one tensor."""
    by_tensor: dict[int, list[str]] = {}
    for name, (_, _, tensor) in own.items():
        by_tensor.setdefault(id(tensor), []).append(name)
    tied = dict(given)
    for names in by_tensor.values():
        told = [name for name in names if name in given]
        if len({id(given[name]) for name in told}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(told)}, which are tied. Consider using "
                "tie_weights=False"
            )
        tied.update({name: given[told[0]] for name in names if told})
    return tied


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of modules of one kind, each stacked, for `vmap(functional_call, …)`."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not all(model.training == models[0].training for model in models):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if not all(type(model) is type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    for name, first in parameters[0].items():
        if any(one[name].requires_grad != first.requires_grad for one in parameters):
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    stacked = {name: stack([one[name].detach() for one in parameters]) for name in parameters[0]}
    for name, tensor in stacked.items():
        tensor.requires_grad_(parameters[0][name].requires_grad)
    return stacked, {name: stack([one[name] for one in buffers]) for name in buffers[0]}


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Have all batch norms in a module forget their running statistics, which `vmap` could not write; the module."""
    for part in root.modules():
        kinds = [kind.__name__ for kind in type(part).__mro__]  # by name: layers are built on what is here
        if "_BatchNorm" in kinds and part.track_running_stats:
            part.running_mean = part.running_var = part.num_batches_tracked = None
            part.track_running_stats = False
    return root
