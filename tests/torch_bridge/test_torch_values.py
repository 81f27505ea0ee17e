"""What is taken down of PyTorch's tensors is what they hold, however they lie in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from autograd_lab import record  # noqa: E402
from autograd_lab.events import GradAccumulated, NodeEvaluated, NodeVisited, TensorCreated, Value  # noqa: E402
from autograd_lab.recording.values.snapshot import snapshot, value_of  # noqa: E402
from autograd_lab.torch_bridge.reading.tensors import snapshot_of  # noqa: E402
from tests.torch_bridge.watching import strictly  # noqa: E402

torch.set_num_threads(1)
DTYPES = [torch.float32, torch.float64, torch.float16, torch.int64, torch.int8, torch.uint8, torch.bool]


@st.composite
def laid_out(draw: st.DrawFn) -> Any:
    """A tensor that may be a slice, a permutation or an expansion of another's memory."""
    shape = draw(st.lists(st.integers(1, 9), min_size=0, max_size=4))
    whole = torch.arange(-3, int(np.prod(shape)) - 3).reshape(shape).to(draw(st.sampled_from(DTYPES)))
    for dim in range(whole.dim()):
        whole = whole[(slice(None),) * dim + (slice(draw(st.integers(0, 2)), None, draw(st.integers(1, 2))),)]
    whole = whole.permute(draw(st.permutations(range(whole.dim()))))
    return whole.expand(draw(st.integers(1, 3)), *whole.shape) if draw(st.booleans()) else whole


def same(one: Value, other: Value) -> bool:
    """Whether two values tell the same, as far as sums in another order do."""
    rounded = [(x.mean, x.norm) for x in (one, other)]
    exact = [(x.numbers, x.minimum, x.maximum, x.nans, x.infs, x.thumbnail, x.blocks) for x in (one, other)]
    return exact[0] == exact[1] and np.allclose(*[[y or 0.0 for y in x] for x in rounded], rtol=1e-5)


@given(laid_out())
def test_a_tensor_is_read_as_numpy_reads_it(tensor: Any) -> None:
    assert same(value_of(snapshot_of(tensor)), value_of(snapshot(tensor.numpy())))


@pytest.mark.parametrize("shape", [(3, 5), (40, 50), (90, 60, 5)])
def test_a_transposed_tensor_has_the_statistics_of_its_elements(shape: tuple[int, ...]) -> None:
    tensor = torch.randn(shape, generator=torch.Generator().manual_seed(1)).transpose(0, 1)
    assert same(value_of(snapshot_of(tensor)), value_of(snapshot(tensor.contiguous().numpy())))


def test_short_floats_are_read_as_the_numbers_that_they_are() -> None:
    assert value_of(snapshot_of(torch.tensor([1.5, -0.25], dtype=torch.bfloat16))).numbers == [1.5, -0.25]
    if hasattr(torch, "float8_e4m3fn"):
        assert value_of(snapshot_of(torch.tensor([1.5, -0.25]).to(torch.float8_e4m3fn))).numbers == [1.5, -0.25]


def test_what_has_no_plain_numbers_is_unknown() -> None:
    odd = [torch.ones(2, dtype=torch.complex64), torch.ones(2, device="meta"), torch.eye(2).to_sparse()]
    assert all(value_of(snapshot_of(one)) == Value() for one in odd)


def test_a_negated_view_is_read_with_its_sign() -> None:
    imaginary = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    assert imaginary.is_neg() and value_of(snapshot_of(imaginary)).numbers == [-2.0, 4.0]


def test_memory_that_was_let_go_is_unknown() -> None:
    tensor = torch.ones(4)
    tensor.untyped_storage().resize_(0)
    assert value_of(snapshot_of(tensor)) == Value()


def test_a_slice_of_what_has_no_memory_is_unknown() -> None:
    whole = torch.ones(8)
    part = whole[3:]
    whole.untyped_storage().resize_(0)
    assert value_of(snapshot_of(part)) == Value()


def test_a_tensor_without_elements_has_none() -> None:
    assert value_of(snapshot_of(torch.ones(2, 0))).numbers == [[], []]


def test_to_read_a_tensor_does_not_keep_it_from_being_resized() -> None:
    for tensor in (torch.ones(3), torch.ones(5000), torch.ones(70, 70).t()):
        snapshot_of(tensor)
        tensor.untyped_storage().resize_(0)


# --- gradients that are on their way ----------------------------------------------------------------------------------


def test_gradients_that_hooks_replace_are_told_as_they_arrive() -> None:
    """The second hook's result may lie where the gradient lay that was sent."""
    x = torch.ones(2000, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g * 3)
    y.register_hook(lambda g: g * 5)
    with strictly(), record() as trace:
        y.exp().sum().backward()
    visited = [one.gradients[0] for one in trace if isinstance(one, NodeVisited)]
    assert visited[-1] is not None and visited[-1].maximum == x.grad.max()
    assert visited[-2] is not None and visited[-2].maximum == x.grad.max() / 2


def test_a_gradient_that_a_hook_changes_in_place_is_told_as_it_arrives() -> None:
    x = torch.ones(2000, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g.data.mul_(7))
    with strictly(), record() as trace:
        y.exp().sum().backward()
    (total,) = (one.total for one in trace if isinstance(one, GradAccumulated))
    assert total.maximum == x.grad.max()


def test_large_gradients_have_one_value_from_where_they_are_made_to_where_they_are_kept() -> None:
    x = torch.linspace(-1, 1, 3000).requires_grad_()
    with strictly(), record() as trace:
        x.exp().sum().backward()
    made = [one.gradients[0] for one in trace if isinstance(one, NodeEvaluated)][-1]
    (kept,) = (one for one in trace if isinstance(one, GradAccumulated))
    assert made == kept.added == kept.total
    assert made is not None and made.maximum == x.grad.max() and made.histogram is not None


def test_a_second_gradient_adds_to_the_first() -> None:
    x = torch.ones(3000, requires_grad=True)
    x.grad = torch.full((3000,), 5.0)
    with strictly(), record() as trace:
        (x * 2).sum().backward()
    (kept,) = (one for one in trace if isinstance(one, GradAccumulated))
    assert (kept.added.maximum, kept.total.maximum) == (2.0, 7.0)


def test_values_are_those_of_the_moment() -> None:
    with strictly(), record() as trace:
        for size in (3, 900, 9000):
            x = torch.ones(size)
            x.add_(1)
    created = [one.tensor.value for one in trace if isinstance(one, TensorCreated)]
    assert [one.numbers or one.maximum for one in created] == [[1.0, 1.0, 1.0], 1.0, 1.0]
