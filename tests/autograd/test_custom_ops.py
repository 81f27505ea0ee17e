"""`torch.library.custom_op`: an op made of a function is called, differentiated and refused as in real PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab

torch = pytest.importorskip("torch")

SQUARE = """
@m.library.custom_op("lab_test::square{number}", mutates_args=())
def square(x: m.Tensor, k: float = 1.0) -> m.Tensor:
    return x * x * k

@m.library.custom_op("lab_test::both{number}", mutates_args=())
def both(x: m.Tensor, y: m.Tensor) -> tuple[m.Tensor, m.Tensor]:
    return x + y, x * y

@m.library.custom_op("lab_test::add_one{number}", mutates_args={{"x"}})
def add_one(x: m.Tensor) -> None:
    x.add_(1)

@m.library.custom_op("lab_test::same{number}", mutates_args=())
def same(x: m.Tensor) -> m.Tensor:
    return x

def unknown(x): ...
def scaled(x: m.Tensor, *, k: int = 2) -> m.Tensor: ...
def of_dict(x: dict) -> m.Tensor: ...
def of_nothing(x: m.Tensor): ...

def setup(ctx, inputs, output):
    told.append(("setup", inputs[1], output.tolist()))
    ctx.save_for_backward(inputs[0])
    ctx.k = inputs[1]

def back(ctx, g):
    (x,) = ctx.saved_tensors
    return 2 * x * ctx.k * g, None

def back_of_both(ctx, g, h):
    told.append((g.tolist(), h.tolist()))
    return g, g + h
"""
CALLS = """
square.register_autograd(back, setup_context=setup); y = square(x, 3.0); names(y); y.sum().backward(); grad(x)
y = square(x); names(y); y.sum().backward()
told.append(square(x.detach())); told.append(square(x).requires_grad); told.append(repr(square).split("square")[0])
both.register_autograd(back_of_both); a, b = both(x, x * 2); names(a); a.sum().backward(); grad(x)
z = m.zeros(2); told.append(add_one(z)); told.append(z)
add_one.register_autograd(back)
told.append(getattr(m.ops.lab_test, "square{number}")(x, k=2.0))
told.append(getattr(m.ops.lab_test, "square{number}").default(x))
m.ops.lab_test.nothing
square()
square(1)
square(x, "a")
square(x, 1.0, 2)
square(x, z=1)
told.append(m.library.infer_schema(scaled, mutates_args=("x",)))
m.library.infer_schema(unknown, mutates_args=())
m.library.infer_schema(of_nothing, mutates_args=())
m.library.infer_schema(scaled, mutates_args=("z",))
m.library.custom_op("lab_test::unknown", mutates_args=())(unknown)
"""


@pytest.mark.parametrize("number", range(len(CALLS.strip().splitlines())))
def test_an_op_made_of_a_function_is_called_and_differentiated_as_in_pytorch(number: int) -> None:
    found = []
    for m in (autograd_lab, torch):
        told: list[Any] = []
        known = {"m": m, "told": told, "x": m.tensor([1.0, 2.0], requires_grad=True)}
        known["names"] = lambda y, told=told: told.append([y.tolist(), y.grad_fn.name()])
        known["grad"] = lambda x, told=told: told.append(x.grad)
        exec(SQUARE.format(number=number), known)
        try:
            exec(CALLS.strip().splitlines()[number].format(number=number), known)
        except (RuntimeError, ValueError, AttributeError) as error:
            told.append(f"{type(error).__name__}: {str(error).splitlines()[0]}".replace("autograd_lab.", "torch."))
        found.append([str(one).replace("autograd_lab.", "torch.") for one in told])
    assert found[0] == found[1]


def test_an_op_may_not_return_what_it_was_given() -> None:
    for m in (autograd_lab, torch):
        known: dict[str, Any] = {"m": m}
        exec(SQUARE.format(number=999), known)
        with pytest.raises(RuntimeError, match="must not also be an input to this custom operator"):
            known["same"](m.ones(2))
