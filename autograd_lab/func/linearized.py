"""A function near a point: its value there, and the linear function of how far one goes from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.func.derivatives import jvp
from autograd_lab.func.trees import form_of, leaves_of, structure_of

Function = Callable[..., Any]


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """`func(*primals)`, and the function that takes tangents to the Jacobian at `primals` times these.

    PyTorch keeps the graph of that function; here each call is a forward pass through `func`. Raises RuntimeError for
    tangents that are not of the primals' structure, shapes and dtypes.
    """

    def jvp_fn(*tangents: Any) -> Any:
        if form_of(tangents) != form_of(primals):
            raise RuntimeError(
                f"Expected the tangents {structure_of(tangents)} to have the same argspec as the primals "
                f"{structure_of(primals)}"
            )
        for number, (tangent, primal) in enumerate(zip(leaves_of(tangents), leaves_of(primals), strict=True)):
            for what in ("shape", "device", "dtype"):
                _check(number, what, getattr(tangent, what), getattr(primal, what))
        return jvp(func, primals, tangents)[1]

    return func(*primals), jvp_fn


def _check(number: int, what: str, found: Any, wanted: Any) -> None:
    if found != wanted:
        raise RuntimeError(
            f"tangent:{number} with {what} {found} in flattened pytree doesn't match the {what} {wanted} of the "
            "corresponding primal."
        )
