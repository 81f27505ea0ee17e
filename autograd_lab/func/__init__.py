"""Functions of functions, as in `torch.func`: derivatives, `vmap` over examples, and modules as functions."""

from __future__ import annotations

from autograd_lab.func.derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp
from autograd_lab.func.linearized import linearize
from autograd_lab.func.modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from autograd_lab.func.mutations import functionalize
from autograd_lab.func.rearranged import rearrange
from autograd_lab.func.vmap import debug_unwrap, vmap

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
