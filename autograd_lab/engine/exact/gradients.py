"""What a user calls to have gradients: `backward`, into the leaves' `.grad`, and `grad`, which returns them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core import backward as engine
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.apply import view_of
from autograd_lab.engine.core.edges import edge_of
from autograd_lab.engine.core.variable import NO_EDGE, Edge, Variable, wrap, wrap_any
from autograd_lab.engine.errors import noted, reasons
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.errors.operands import not_broadcast
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.exact import mapping, saving
from autograd_lab.engine.exact.aliasing import is_shared
from autograd_lab.engine.exact.callbacks import finish, waiting
from autograd_lab.engine.exact.elementless import beside_root
from autograd_lab.engine.modes import repeated
from autograd_lab.engine.modes.grad_mode import no_grad_quietly
from autograd_lab.engine.modes.inference import is_inference_mode_enabled
from autograd_lab.engine.modes.transforming import BACKWARD, inside_a_transform
from autograd_lab.engine.numbers.dtypes import F32, Size
from autograd_lab.engine.numbers.quiet import QUIET, quieten
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
    "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid "
    "this. If you have to use this function, make sure to reset the .grad fields of your parameters to None "
    "after use to break the cycle and avoid the leak."
)
ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
    "of the graph, please use torch.autograd.backward."
)


ONE = np.float32(1)


class GradientEdge(NamedTuple):
    """A place that gradients come to, an output of a node: `backward` and `grad` take it in place of a tensor."""

    node: Any
    output_nr: int
    ownership_token: Any = None


ONLY_NUMBERS = "grad can be implicitly created only for scalar outputs"
NOT_IMPLICIT = (
    "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 "
    "so expected in_dim to satisfy 0 <= in_dim < 0."
)
NO_BATCH = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
    "tensor to a number"
)
NOT_A_BATCH = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
    "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
    "detected: grad_output[{0}] has a shape of {1} and output[{0}] has a shape of {2}. If you only want some tensors "
    "in `grad_output` to be considered batched, consider using vmap."
)


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves that they were computed from, or of `inputs`."""
    if inside_a_transform():
        raise RuntimeError(BACKWARD)
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=users_level()
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please "
                "only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    wanted = None
    if inputs is not None:
        wanted = _inputs(inputs, "backward")
        if not wanted:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    outputs = _sequence(tensors)
    _run(outputs, _gradients_given(grad_tensors, outputs), retain_graph, create_graph, wanted, None)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor] | dict[str, Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`, which no `.grad` sees; a dict of inputs gives a dict.

    With `create_graph` they have a graph of their own. An input that was not used raises RuntimeError, or gives None
    if `allow_unused`, zeros if `materialize_grads`. With `is_grads_batched` each of `grad_outputs` is many, along its
    first dimension, and so is each gradient.
    """
    if is_grads_batched:
        settings = create_graph, only_inputs, materialize_grads or allow_unused
        return _one_by_one(outputs, inputs, grad_outputs, retain_graph, settings, materialize_grads)
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    wanted = _inputs(inputs, "grad")
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if not only_inputs:
        warnings.warn(ONLY_INPUTS, FutureWarning, stacklevel=users_level())
    captured: dict[Edge, Any] = {}
    roots = _sequence(outputs)
    _check_kinds(roots, wanted)
    carries, create_graph = bool(forward.level) and not create_graph, create_graph or bool(forward.level)
    retain_graph = False if carries and retain_graph is None else retain_graph
    given = _gradients_given(grad_outputs, roots)
    seeds = _run(roots, given, retain_graph, create_graph, wanted, captured)
    tensors = {id(seed): tensor for seed, tensor in zip(seeds, given, strict=False) if tensor is not None}
    tensors |= {id(one): _as_tensor(one) for one in captured.values() if id(one) not in tensors}
    found = [tensors[id(captured[_edge(one)])] for one in wanted]
    for position, (one, gradient) in enumerate(zip(wanted, found, strict=True)):
        if gradient is None and materialize_grads:
            if isinstance(one, GradientEdge):
                raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
            found[position] = wrap(np.zeros_like(one._array), requires_grad=create_graph)
        elif gradient is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {position} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
    if carries:  # formulas ran on tensors, for their tangents
        found = [None if one is None else forward.without_history(one) for one in found]
    if mapping.running:
        found = [one if one is None else mapping.hand_on(one, *roots, *given) for one in found]
    return dict(zip(inputs, found, strict=True)) if type(inputs) is dict else tuple(found)


def _one_by_one(
    outputs: Any, inputs: Any, many: Any, retain_graph: bool | None, settings: tuple[Any, ...], zeros: bool
) -> Any:
    """What `grad` gives for each gradient of a batch, side by side; zeros of the shape of an input stand for all."""
    roots, wanted = _sequence(outputs), _inputs(inputs, "grad")
    many = _gradients_given(many, roots)
    count = _counted(many, roots)
    found = []
    for number in range(count):
        given = tuple([each[number] for each in many])
        found.append(grad(roots, wanted, given, True if number < count - 1 else retain_graph, *settings))
    together = [None if rows[0] is None else rows[0]._stacked(rows) for rows in zip(*found, strict=True)]
    if zeros:
        pairs = zip(together, wanted, strict=True)
        together = [wrap(np.zeros_like(x._array)) if one is None else one for one, x in pairs]
    return dict(zip(inputs, together, strict=True)) if type(inputs) is dict else tuple(together)


def _counted(many: tuple[Any, ...], roots: tuple[Any, ...]) -> int:
    """How many gradients there are in each batch. Raises as PyTorch does unless all have as many, and their shapes."""
    for number, (each, root) in enumerate(zip(many, roots, strict=False)):
        if each is None:
            raise RuntimeError(ONLY_NUMBERS) if root._array.size != 1 else ValueError(NOT_IMPLICIT)
        if not each._array.ndim:
            raise IndexError(NO_BATCH)
        if each._array.shape[1:] != root._array.shape:
            raise RuntimeError(NOT_A_BATCH.format(number, each.shape[2:], root.shape))  # PyTorch skips two dimensions
    sizes = [len(each._array) for each in many]
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    if sizes == [0]:
        raise IndexError("index 0 is out of bounds for dimension 0 with size 0")
    return sizes[0]


def _as_tensor(gradient: Any) -> Any:
    """A gradient as a tensor; one that is repeated in memory is a view, made under no_grad, as it is in PyTorch."""
    if isinstance(gradient, np.ndarray) and is_shared(gradient):
        with no_grad_quietly():
            return view_of(wrap(gradient), gradient)
    return wrap_any(gradient)  # elements of its own, where nothing is repeated


def _inputs(inputs: Any, function: str) -> tuple[Any, ...]:
    if isinstance(inputs, Mapping):
        if type(inputs) is not dict:
            raise TypeError(
                f"`inputs` argument to `{function}()` must be a dict, not {type(inputs).__name__}. Other Mapping types "
                "are not supported."
            )
        return tuple(inputs.values())
    return _sequence(inputs)


ONE_OUTPUT = (Variable, GradientEdge)  # a tuple, as `Variable | GradientEdge` would be built anew at each look


def _sequence(tensors: Any) -> tuple[Any, ...]:
    return (tensors,) if isinstance(tensors, ONE_OUTPUT) else tuple(tensors)


def _check_kinds(roots: tuple[Any, ...], wanted: tuple[Any, ...]) -> None:
    """Raise an error unless all are tensors, or edges."""
    for one in roots:
        if not isinstance(one, ONE_OUTPUT):
            raise AssertionError("Expected output to be a torch.Tensor")
    for one in wanted:
        if not isinstance(one, ONE_OUTPUT):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(one).__name__}")


def _edge(one: Any) -> Edge:
    """Where the gradient of a tensor, or of what is known by its edge only, comes to."""
    return one[:2] if isinstance(one, GradientEdge) else edge_of(one)


def _gradients_given(gradients: Any, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    if gradients is None:
        return (None,) * len(tensors)
    return _sequence(gradients)


def _run(
    tensors: tuple[Any, ...], gradients: tuple[Any, ...], retain_graph: bool | None, create_graph: bool, inputs: Any,
    captured: dict[Edge, Any] | None,
) -> Sequence[Any]:  # fmt: skip
    """Send gradients back; what they began with, as formulas take it."""
    wanted = None
    recorded = create_graph and not is_inference_mode_enabled()
    if (warnings.filters or (None,))[0] is not QUIET:
        quieten()
    try:
        if len(tensors) == len(gradients) == 1:  # most often
            seeds = [_seed(0, tensors[0], gradients[0], recorded)]
            roots = [_root(0, tensors[0])]
        else:
            seeds, roots = _several(tensors, gradients, recorded)
        if inputs is not None:
            wanted = [_wanted(each, captured) for each in inputs]
    except RuntimeError as error:
        if listening.active is not None:
            listening.active.error_raised(error, None, None, tensors[0] if tensors else None)
        raise
    if seams.carry is not None:
        seeds = [beside_root(seed, tensor) for seed, tensor in zip(seeds, tensors, strict=True)]
    if captured is None and create_graph:
        warn_once(CYCLE)
    if captured is not None and wanted is not None:
        captured.update(dict.fromkeys(wanted))
    retain_graph = repeated.again or (create_graph if retain_graph is None else bool(retain_graph))
    if listening.active is not None:
        known = tuple(each for each in tensors if isinstance(each, Variable))
        listening.active.backward_started(known, tuple(roots), tuple(seeds), retain_graph, create_graph)
    already, pairs = len(waiting.callbacks), saving._pairs.get()
    try:
        engine.run(roots, seeds, retain_graph, recorded, wanted, captured)
    except BaseException as error:
        del waiting.callbacks[already:]
        if listening.active is not None:
            listening.active.exception_left(error)
            listening.active.backward_left()
        if isinstance(error, ValueError) and (told := not_broadcast(error)) is not None:
            raise told from None  # as where a saved-tensor hook gave back another shape
        raise
    finally:
        if saving._pairs.get() is not pairs:  # hooks that the user's code set inside end with the pass
            saving.hold(pairs)
    if len(waiting.callbacks) > already:
        finish(already)
    if listening.active is not None:
        listening.active.backward_finished()
    if listening.listeners:
        is_inner = create_graph and captured is not None
        listening.passed("recorded backward" if is_inner else "backward", tensors)
    return seeds


def _several(tensors: tuple[Any, ...], gradients: tuple[Any, ...], create_graph: bool) -> tuple[list[Any], list[Edge]]:
    seeds = [
        _seed(at, tensor, gradient, create_graph)
        for at, (tensor, gradient) in enumerate(zip(tensors, gradients, strict=False))
    ]
    if len(seeds) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(seeds)} gradients")
    return seeds, [_root(at, tensor) for at, tensor in enumerate(tensors)]


def _root(position: int, tensor: Any) -> Edge:
    if isinstance(tensor, Variable) and tensor._edge is not None:  # most often
        return tensor._edge
    edge = _edge(tensor) if isinstance(tensor, GradientEdge) or tensor._needs else NO_EDGE
    if edge[0] is None:
        message = f"element {position} of tensors {reasons.NO_HISTORY}"
        raise noted(RuntimeError(message), reasons.no_history(tensor))
    return edge


def _seed(position: int, tensor: Any, gradient: Any, create_graph: bool) -> Any:
    """The gradient to start with, as formulas take it: the one given, or 1 for a tensor of one element."""
    made = _made(tensor)
    if gradient is None:
        if made.shape == () and not create_graph:
            return ONE if made.dtype is F32 else made.dtype.type(1)
        if math.prod(made.shape) != 1 and (isinstance(tensor, GradientEdge) or tensor._needs):
            raise noted(RuntimeError(ONLY_NUMBERS), reasons.not_scalar(tensor))
        if create_graph:
            return wrap(np.ones(made.shape, made.dtype))
        return np.ones(made.shape, made.dtype)
    if not isinstance(gradient, Variable):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    if gradient._array.shape != made.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {Size(gradient._array.shape)} and "
            f"output[{position}] has a shape of {Size(made.shape)}."
        )
    return gradient if create_graph else gradient._array


def _made(one: Any) -> Any:
    """What has the shape and the dtype of a gradient that is to come."""
    if isinstance(one, Variable):
        return one._array
    return one.node if one.output_nr == 0 else one.node.others[one.output_nr - 1]


def _wanted(tensor: Any, captured: Any) -> Edge:
    if isinstance(tensor, GradientEdge):
        return _edge(tensor)
    if captured is None and not (tensor._needs and tensor.is_leaf):
        tensor._retain()
    if not tensor._needs:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge_of(tensor)
