"""Where warnings point: at the program; and that nobody is warned of infinities and NaNs, as numpy would."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_lab
from autograd_lab.engine.numbers.quiet import QUIET
from tests.engine.test_ops import EXPRESSIONS, inputs


def test_a_warning_points_at_the_line_of_the_program_that_it_is_about() -> None:
    x = autograd_lab.ones(1, requires_grad=True)
    lines: list[Callable[[], Any]] = [
        lambda: autograd_lab.ones(1).std(),
        lambda: (x * x).backward(create_graph=True),
        lambda: autograd_lab.nn.functional.mse_loss(autograd_lab.ones(2), autograd_lab.ones(2, 1)),
        lambda: (x * 1).grad,
        lambda: autograd_lab.nn.functional.log_softmax(x),
        lambda: autograd_lab.nn.Sequential(autograd_lab.nn.Softmax())(x),
        lambda: autograd_lab.nn.Softmax()(x),
    ]
    for line in lines:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            line()
        assert [one.filename for one in caught] == [__file__]


OF_PYTORCH = """
m.meshgrid(x, x) | m.meshgrid([x, x]) | m.meshgrid(x, indexing="ij") | m.meshgrid() | m.qr(m.eye(2))
m.eye(2).qr(False) | x.volatile | setattr(x, "volatile", True) | delattr(x, "volatile")
m.autograd.Variable(x, volatile=True)
m.autograd.Variable(x, True, volatile=True) | m.tensor([np.ones(2)]) | m.tensor((np.ones(2),))
m.tensor([[np.ones(2)]]) | m.tensor(np.ones(2)) | m.tensor([np.float64(2)]) | x.new_tensor([np.ones(2)])
m.as_tensor([np.ones(2)])
m.FloatTensor([np.ones(2)]) | x.new([np.ones(2)])
m.cross(m.ones(3, 2), m.ones(3, 2)) | m.ones(3).cross(m.ones(3)) | m.cross(m.ones(3), m.ones(3), dim=0)
m.asarray(m.ones(2, requires_grad=True)) | m.asarray(m.ones(2, requires_grad=True), requires_grad=True) | m.asarray(x)
m.asarray(m.ones(2, requires_grad=True), requires_grad=False) | m.set_default_tensor_type(m.FloatTensor)
m.add(x, 2, x) | x.add(2, x) | m.addcmul(x, 2, x, x) | m.nn.functional.gumbel_softmax(x * 1000, eps=1e-5).shape
m.nn.functional.conv1d(m.ones(1, 1, 4), m.ones(1, 1, 2), padding="same") | m.searchsorted(x[::1], m.ones(2, 4)[:, ::2])
x.scatter(0, m.tensor([0]), x, reduce="add") | m.bucketize(1.5, m.arange(6.0)[::2])
"""
ONCE = """
m.ones(1, 2, 3).T | m.ones(3).T | m.tensor(1.0).T | m.tensor(1.0).mT | m.tensor(1.0).H
(w * w).sum().backward(create_graph=True) | m.add(x, 2, x) | m.sub(x, 2, x) | x.addcmul(2, x, x) | m.meshgrid(x, x)
m.linalg.qr(m.eye(2)) | m.qr(m.eye(2)) | m.nuclear_norm(m.eye(2)) | m.chain_matmul(m.eye(2), m.eye(2)) | float(w[:1])
m.where(m.ones(2, dtype=m.uint8), x, x) | x.scatter(0, m.tensor([0]), x, reduce="add")
m.ones(1).std() | m.tensor(x) | m.add(m.ones(2), 1, out=m.ones(1)) | m.nn.functional.softmax(x) | (w * 1).grad
m.ones(1, 3).expand(2, 3).index_fill_(0, m.tensor([0]), 1.0)
"""
ASKED = """
import sys, warnings
m = __import__(sys.argv[1])
x, w = m.ones(2), m.ones(2, requires_grad=True)
for line in sys.argv[2:]:
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            eval(line)
        print(line, len([one for one in caught if "_array" not in str(one.message)]))
"""


def told(m: Any, line: str) -> list[str]:
    x = m.ones(2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            eval(line, {"m": m, "x": x, "np": np})
        except (RuntimeError, ValueError) as error:
            return [str(error)]
    return [f"{one.category.__name__}: {str(one.message).partition(' (Triggered')[0]}" for one in caught]


@pytest.mark.parametrize("line", [one.strip() for one in OF_PYTORCH.replace("\n", "|").split("|") if one.strip()])
def test_it_is_warned_of_what_pytorch_warns_of_in_its_words(line: str) -> None:
    torch = pytest.importorskip("torch")
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        assert told(autograd_lab, line) == told(torch, line)
    finally:
        torch.set_warn_always(always)


EXTREMES = [0.0, -1.0, 1e38, -1e38, float("inf"), float("-inf"), float("nan"), 1e-45]


def extremes() -> dict[str, Any]:
    """The operands of the table of ops, filled with what numpy warns of."""
    operands = inputs(autograd_lab)
    for operand in operands.values():
        if isinstance(operand, autograd_lab.Tensor) and operand.is_floating_point():
            operand.data = autograd_lab.tensor(np.resize(EXTREMES, operand.shape), dtype=operand.dtype)
    return operands


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_no_op_and_no_gradient_warns_of_infinities_where_warnings_are_errors(expression: str) -> None:
    operands = extremes()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            result = eval(expression, operands)
            results = result if isinstance(result, tuple | list) else [result]
            for one in results:
                if one.requires_grad:
                    one.sum().backward(retain_graph=True)
                repr(one)
        except RuntimeWarning as warning:
            pytest.fail(f"{expression}: {warning}")
        except (RuntimeError, ValueError, IndexError, TypeError, AttributeError):
            pass  # such operands may be refused


@pytest.mark.parametrize("spoil", [lambda: warnings.simplefilter("error"), warnings.resetwarnings])
def test_ops_are_quiet_after_any_change_of_the_filters(spoil: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        x = autograd_lab.tensor([-1.0, 0.0], requires_grad=True)
        spoil()
        (x.log() + x / 0).sum().backward()
        spoil()
        x.detach().div_(0)
        spoil()
        autograd_lab.einsum("i,i->i", x / 0, x)
    assert not caught


@pytest.mark.parametrize("filters", ["error", "always"])
@pytest.mark.parametrize(
    "expression",
    [
        "m.rsub(large, half)",
        "half > large",
        "m.where(half > 0, half, large)",
        "m.where(half > 0, half, 1e30)",
        "m.stack([half, large])",
        "half + 1e30",
        "m.eye(3) * 1e300",
        "m.tensor([1e300], dtype=m.float32)",
        "m.arange(0, 1e6, 1e5, dtype=m.half)",
        "m.linspace(0, 1e6, 5, dtype=m.half)",
        "m.nn.utils.clip_grad_norm_([endless], 1)",
    ],
)
def test_what_a_dtype_cannot_hold_is_infinite_without_a_warning(expression: str, filters: Any) -> None:
    m = autograd_lab
    names = {"m": m, "large": m.tensor([2**62] * 12), "half": m.ones(12, dtype=m.half), "endless": m.ones(2)}
    names["endless"].grad = m.tensor([float("inf"), 0.0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(filters)
        eval(expression, names)
    assert not caught


def test_programs_are_warned_of_their_own_infinities() -> None:
    autograd_lab.ones(1) / 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.ones(1) / np.zeros(1)


def test_the_filter_is_put_in_front_once_for_each_change() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(5):
            autograd_lab.ones(2) * 3
        assert warnings.filters[0] is QUIET
        assert warnings.filters.count(QUIET) == 1


def test_what_pytorch_warns_of_once_in_a_process_is_said_once() -> None:
    pytest.importorskip("torch")
    lines = [line.strip() for line in ONCE.replace("\n", "|").split("|") if line.strip()]

    def told(module: str) -> str:
        done = subprocess.run([sys.executable, "-c", ASKED, module, *lines], capture_output=True, text=True, check=True)
        return done.stdout

    assert told("autograd_lab") == told("torch")


def test_a_number_is_taken_of_a_leaf_without_a_warning_where_nothing_is_recorded() -> None:
    with warnings.catch_warnings(), autograd_lab.no_grad():
        warnings.simplefilter("error")
        assert float(autograd_lab.ones(1, requires_grad=True)) == 1.0
