"""Derivatives of functions: whole Jacobians and Hessians, and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.autograd.tuples import _as_tuple as _as_tuple
from autograd_lab.autograd.tuples import _construct_standard_basis_for as _construct_standard_basis_for
from autograd_lab.autograd.tuples import _grad_postprocess as _grad_postprocess
from autograd_lab.autograd.tuples import _tuple_postprocess as _tuple_postprocess
from autograd_lab.engine.exact.gradients import grad
from autograd_lab.engine.modes.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from autograd_lab.engine.modes.transforming import left_alone
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.engine.ops.shape.views import reshape
from autograd_lab.engine.tensor.factories import zeros_like
from autograd_lab.func import derivatives

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = tuple[Any, ...]

NOT_TOGETHER = (
    'torch.autograd.functional.jacobian: `{}=True` and `strategy="forward-mode"` are not supported together (yet). '
    'Please either set `{}=False` or `strategy="reverse-mode"`.'
)
NO_V = {
    "output": (
        "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
    ),
    "input": (
        "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
        "element."
    ),
}
STRICT = " This is not allowed in strict mode."
INDEPENDENT = {
    "back": "The output of the user-provided function is independent of input {i}." + STRICT,
    "back_trick": (
        "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double "
        "backward trick to compute forward mode gradients." + STRICT
    ),
    "double_back": "The jacobian of the user-provided function is independent of input {i}." + STRICT,
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. This is not "
        "allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD."
    ),
}
CONSTANT = {
    "outputs": (
        "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
        "differentiable manner from the input when running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {i} is independent of the inputs of the user-provided function." + STRICT
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} "
        "is independent of the input. This is not allowed in strict mode. You should ensure that your function is "
        "twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear function "
        "for example)."
    ),
    "hessian": (
        "The hessian of the user-provided function with respect to input {i} is independent of the input. This is not "
        "allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
        "depends on the inputs."
    ),
}


class _Problem:
    """A function at a point, as one of the functions below was asked about it.

    The inputs are told apart from the same tensors that the function may use otherwise. With `create_graph` what is
    found leads back to those of the caller; else nothing does.
    """

    def __init__(self, name: str, func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool) -> None:
        self.name, self.func, self.create_graph, self.strict = name, func, create_graph, strict
        self.in_tuple, given = _as_tuple(inputs, "inputs", name)
        with enable_grad():
            self.inputs = self.apart(given, required=True)

    def apart(self, tensors: Tensors, *, required: bool) -> Tensors:
        """The same values as tensors of our own."""
        return tuple(
            one.view_as(one) if self.create_graph and one.requires_grad else one.detach().requires_grad_(required)
            for one in tensors
        )

    def run(self) -> None:
        """Compute the outputs."""
        found = self.func(*self.inputs)
        self.out_tuple, self.outputs = _as_tuple(found, "outputs of the user-provided function", self.name)
        self.check(self.outputs, "outputs")

    def run_to_one_number(self) -> None:
        """Compute the one output that a Hessian can be had of."""
        self.run()
        if self.out_tuple:
            raise RuntimeError(f"The function given to {self.name} should return a single Tensor")
        if self.outputs[0].nelement() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {self.name} should contain a single element"
            )

    def vector(self, v: Any, refs: Tensors, in_tuple: bool, side: str) -> Tensors | None:
        """The vector that is to be multiplied with, checked against what it must look like."""
        if v is None:
            if len(refs) != 1 or refs[0].nelement() != 1:
                raise RuntimeError(NO_V[side])
            return None
        given = self.apart(_as_tuple(v, "v", self.name)[1], required=False)
        if len(refs) != len(given) and in_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(refs)} but got {len(given)}.")
        if len(refs) != len(given):
            raise RuntimeError("The given v should contain a single Tensor.")
        for i, (one, ref) in enumerate(zip(given, refs, strict=True)):
            if one.size() != ref.size():
                entry = f"Entry {i} in " if in_tuple else ""
                raise RuntimeError(f"{entry}v has invalid size: should be {ref.size()} but got {one.size()}.")
        return given

    def check(self, tensors: Tensors, what: str) -> None:
        """In strict mode, refuse what does not depend on the inputs."""
        for i, one in enumerate(tensors if self.strict else ()):
            if one is None:
                raise RuntimeError(INDEPENDENT["back"].format(i=i))
            if not one.requires_grad:
                raise RuntimeError(CONSTANT[what].format(i=i))

    def product(self, outputs: Tensors, inputs: Tensors, v: Tensors | None, stage: str) -> Tensors:
        """The final vjp, with zeros where nothing depends on anything, unless that is refused."""
        with set_grad_enabled(self.create_graph or is_grad_enabled()):
            found = _pulled(outputs, inputs, v, self.create_graph)
            for i, one in enumerate(found if self.strict else ()):
                if one is None:
                    raise RuntimeError(INDEPENDENT[stage].format(i=i))
                if self.create_graph and not one.requires_grad:
                    order = "hessian" if "double" in stage else "jacobian"
                    raise RuntimeError(
                        f"The {order} of the user-provided function is independent of input {i}. This is not allowed "
                        "in strict mode when create_graph=True."
                    )
            return tuple(zeros_like(ref) if g is None else g for g, ref in zip(found, inputs, strict=True))

    def answer(self, tensors: Tensors, in_tuple: bool) -> Any:
        """What the user gets: without history unless it was asked for, and a tuple if a tuple came."""
        done = tensors if self.create_graph else tuple(one.detach() for one in tensors)
        return done if in_tuple else done[0]


def _pulled(
    outputs: Tensors, inputs: Tensors, v: Tensors | None, create_graph: bool, retain_graph: bool | None = None
) -> Tensors:
    """vᵀJ, with None for inputs that no output depends on."""
    pairs = [
        (out, g) for out, g in zip(outputs, v or (None,) * len(outputs), strict=True) if out is not None and out._needs
    ]
    if not pairs:
        return (None,) * len(inputs)
    gradients: Tensors = grad(
        [out for out, _ in pairs],
        inputs,
        [g for _, g in pairs],
        allow_unused=True,
        create_graph=create_graph,
        retain_graph=retain_graph,
    )
    return gradients


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, and vᵀJ: one backward pass."""
    problem = _Problem("vjp", func, inputs, create_graph, strict)
    with enable_grad():
        problem.run()
        vector = problem.vector(v, problem.outputs, problem.out_tuple, "output")
    found = problem.product(problem.outputs, problem.inputs, vector, "back")
    return problem.answer(problem.outputs, problem.out_tuple), problem.answer(found, problem.in_tuple)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, and Jv: the vjp is linear in its vector, and the gradient of that linear function is Jv."""
    problem = _Problem("jvp", func, inputs, create_graph, strict)
    with enable_grad():
        vector = problem.vector(v, problem.inputs, problem.in_tuple, "input")
        problem.run()
        anything = tuple(zeros_like(out, requires_grad=True) for out in problem.outputs)
        pulled = _pulled(problem.outputs, problem.inputs, anything, create_graph=True)
        problem.check(pulled, "grad_inputs")
    found = problem.product(pulled, anything, vector, "back_trick")
    return problem.answer(problem.outputs, problem.out_tuple), problem.answer(found, problem.out_tuple)


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, one number, and vᵀH: the vjp of its gradient."""
    problem, vector, slope = _gradient("vhp", func, inputs, v, create_graph, strict)
    found = problem.product(slope, problem.inputs, vector, "double_back")
    return problem.answer(problem.outputs, False), problem.answer(found, problem.in_tuple)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, one number, and Hv: the jvp of its gradient."""
    problem, vector, slope = _gradient("hvp", func, inputs, v, create_graph, strict)
    with enable_grad():
        anything = tuple(zeros_like(one, requires_grad=True) for one in problem.inputs)
        pulled = _pulled(slope, problem.inputs, anything, create_graph=True)
        problem.check(slope, "hessian")
    found = problem.product(pulled, anything, vector, "double_back_trick")
    return problem.answer(problem.outputs, False), problem.answer(found, problem.in_tuple)


def _gradient(
    name: str, func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool
) -> tuple[_Problem, Tensors | None, Tensors]:
    problem = _Problem(name, func, inputs, create_graph, strict)
    with enable_grad():
        vector = problem.vector(v, problem.inputs, problem.in_tuple, "input")
        problem.run_to_one_number()
        slope = _pulled(problem.outputs, problem.inputs, None, create_graph=True)
        problem.check(slope, "jacobian")
    return problem, vector, slope


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """∂output/∂input for all elements of both, a backward pass for each element of the outputs.

    With the strategy "forward-mode" it is a forward pass for each element of the inputs; that wants `vectorize`, which
    otherwise is accepted and changes no result.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        return _forward(func, inputs, create_graph, strict, vectorize)
    problem = _Problem("jacobian", func, inputs, create_graph, strict)
    with enable_grad():
        problem.run()
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        blocks = [_block(problem, number, out) for number, out in enumerate(problem.outputs)]
    rows = tuple(problem.answer(block, problem.in_tuple) for block in blocks)
    return rows if problem.out_tuple else rows[0]


def _forward(func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    """The Jacobian, a forward pass for each element of the inputs."""
    if create_graph:
        raise NotImplementedError(NOT_TOGETHER.format("create_graph", "create_graph"))
    if strict:
        raise RuntimeError(NOT_TOGETHER.format("strict", "strict"))
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    in_tuple, given = _as_tuple(inputs, "inputs", "jacobian")
    numbers = tuple(range(len(given))) if in_tuple else 0
    return derivatives.by_columns(left_alone(func), numbers, False, "error", reshape)(*given)


def _block(problem: _Problem, number: int, out: Any) -> Tensors:
    """The derivatives of one output with respect to each input."""
    columns: list[list[Any]] = [[] for _ in problem.inputs]
    for element in range(out.nelement()):
        row = _pulled((out.reshape(-1)[element],), problem.inputs, None, problem.create_graph, retain_graph=True)
        for which, (column, g, ref) in enumerate(zip(columns, row, problem.inputs, strict=True)):
            if problem.strict and g is None:
                raise RuntimeError(
                    f"Output {number} of the user-provided function is independent of input {which}." + STRICT
                )
            if problem.strict and problem.create_graph and not g.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {number}. This is not "
                    "allowed in strict mode when create_graph=True."
                )
            column.append(zeros_like(ref) if g is None else g)
    sizes = [out.size() + ref.size() for ref in problem.inputs]
    return tuple(stack(column, dim=0).view(size) for column, size in zip(columns, sizes, strict=True))


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """∂²output/∂input∂input of a function to one number: the Jacobian of its Jacobian."""
    in_tuple, given = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def to_one_number(*tensors: Any) -> Any:
        problem = _Problem("hessian", func, (), create_graph, strict)
        problem.inputs = tensors
        problem.run_to_one_number()
        return problem.outputs[0].squeeze()

    def slope(*tensors: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            tensors = tuple(one.requires_grad_() for one in tensors)
        found = jacobian(to_one_number, tensors, create_graph=True)
        _Problem("hessian", func, (), create_graph, strict).check(found, "jacobian")
        return found

    found = jacobian(slope, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found if in_tuple else found[0][0]
