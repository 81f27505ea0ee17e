"""What `Tensor(...)`, `x.new(...)`, `resize_`, `storage()` make of memory, and `linspace` of numbers, as in PyTorch."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.worlds import Stories, plain, said

torch = pytest.importorskip("torch")
STORIES = Stories()


@STORIES
def a_size_is_a_shape_and_a_tuple_is_elements(m: Any) -> Any:
    x = m.ones(2, 3)
    return [m.Tensor(x.size()).shape, m.LongTensor(x.shape).shape, x.new(x.size()).shape, m.Tensor((2, 3)), m.Tensor()]


@STORIES
def an_array_of_that_dtype_is_shared(m: Any) -> Any:
    same, other = np.zeros(2, np.float32), np.zeros(2)
    shared, copied = m.Tensor(same), m.Tensor(other)
    same[0] = other[0] = 5
    return [shared, copied]


@STORIES
def another_tensor_is_shared_and_stays_in_the_graph(m: Any) -> Any:
    x = m.ones(2, requires_grad=True)
    y = m.Tensor(x)
    (y * y).sum().backward()
    return [y, x.grad, y.data_ptr() == x.data_ptr(), m.Tensor(m.tensor([1, 2]))]


@STORIES
def what_is_no_sequence_is_refused(m: Any) -> Any:
    refused = []
    for made in (lambda: m.Tensor(3.0), lambda: m.Tensor(True), lambda: m.Tensor("a")):
        try:
            made()
        except TypeError as error:
            refused.append(str(error))
    return refused


@STORIES
def shrinking_keeps_the_memory_for_growing_again(m: Any) -> Any:
    b = m.arange(6).view(2, 3)
    b.resize_(1, 3)
    small = b.clone()
    b.resize_(2, 3)
    c = m.arange(6)[2:4]
    c.resize_(4)
    return [small, b, c, m.arange(3).resize_(2)]


@STORIES
def a_storage_is_all_the_memory_of_a_view(m: Any) -> Any:
    a = m.arange(6)
    c = a[2:]
    d = m.LongTensor(c.storage())
    d[0] = 66
    s = c.storage()
    s[1] = 7
    return [repr(s), len(s), s.size(), s.tolist(), s[5], s.nbytes(), s.element_size(), str(s.dtype), a, d, c[0]]


@STORIES
def bytes_are_read_as_elements(m: Any) -> Any:
    held = bytearray(np.arange(4, dtype=np.int32).tobytes())
    x = m.frombuffer(held, dtype=m.int32)
    held[0] = 9
    found: list[Any] = [x, m.frombuffer(held, dtype=m.int32, count=2, offset=4), m.frombuffer(held, dtype=m.float64)]
    for wrong in ({"offset": 16}, {"count": 5}, {"offset": 1}, {"offset": -1}):
        try:
            m.frombuffer(held, dtype=m.int32, **wrong)
        except ValueError as error:
            found.append(str(error))
    return found


@STORIES
def an_untyped_storage_shows_bytes(m: Any) -> Any:
    return repr(m.tensor([1, 256], dtype=m.int16).untyped_storage())


@pytest.mark.filterwarnings("ignore:TypedStorage")
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_memory_is_made_and_shared_as_in_pytorch(story: Any) -> None:
    assert plain(story(autograd_lab)) == plain(story(torch))


def test_the_storage_of_elements_warns_once() -> None:
    autograd_lab.ones(1).storage()
    assert said(autograd_lab, "m.ones(1).storage().tolist()") == ([1.0], [])


@pytest.mark.parametrize("kind", ["float32", "bool", "int64"])
def test_arrays_and_tensors_that_were_unpickled_are_as_all_others(kind: str) -> None:
    foreign = pickle.loads(pickle.dumps(np.ones(2, kind)))
    shared = autograd_lab.from_numpy(foreign)
    same = autograd_lab.ones(2, dtype=getattr(autograd_lab, kind))
    foreign[0] = 0
    assert shared[0].item() == 0
    for one in (shared, autograd_lab.tensor(foreign), pickle.loads(pickle.dumps(same))):
        assert one._array.dtype is same._array.dtype
        assert (one + same).dtype is same.dtype
    if kind == "float32":
        assert pickle.loads(pickle.dumps(same)).dot(same).item() == 2


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_at_equal_distances_are_pytorchs_to_the_last_digit(dtype: str) -> None:
    for start, end in ((-1, 1), (0.1, 2.7), (3.3, -0.7)):
        for steps in (0, 1, 2, 5, 28, 131):
            both = (autograd_lab, torch)
            ours, theirs = (m.linspace(start, end, steps, dtype=getattr(m, dtype)).tolist() for m in both)
            assert ours == theirs, (start, end, steps)
            step = (end - start) / max(steps, 1) * 0.99
            ours, theirs = (m.arange(start, end, step, dtype=getattr(m, dtype)).tolist() for m in both)
            assert np.allclose(ours, theirs, rtol=1e-6, atol=1e-6) and len(ours) == len(theirs)
            if torch.backends.cpu.get_cpu_capability().startswith("AVX"):  # elsewhere vectors have another size
                assert ours == theirs, (start, end, steps)


@pytest.mark.parametrize("size", [5, 14, 28, 31])
def test_a_grid_that_moves_nothing_is_pytorchs_to_the_last_digit(size: int) -> None:
    for align in (False, True):
        ours, theirs = (
            m.nn.functional.affine_grid(m.eye(2, 3)[None], (1, 1, size, size), align_corners=align).tolist()
            for m in (autograd_lab, torch)
        )
        assert ours == theirs


FACTORIES = """
zeros(2) ones(2) empty(2) full((2,),1.0) rand(2) randn(2) randint(3,(2,)) randperm(3) arange(3) eye(2) linspace(0,1,3)
logspace(0,1,3) zeros_like(x) ones_like(x) empty_like(x) full_like(x,2) rand_like(x) randn_like(x) scalar_tensor(1.0)
hann_window(3) tril_indices(2,2) empty_strided((2,),(1,)) empty_permuted((2,),(0,)) x.new_zeros(2) x.new_full((2,),1.0)
"""


@pytest.mark.parametrize("text", FACTORIES.split())
def test_only_strided_tensors_are_made(text: str) -> None:
    def made(m: Any, layout: Any) -> str:
        m.manual_seed(0)
        call = text if text.startswith("x") else f"m.{text}"
        try:
            told = eval(call[:-1] + ", layout=layout)", {"m": m, "x": m.ones(2), "layout": layout})
        except TypeError as error:
            return str(error)
        return f"{told.layout} {told.shape}"

    assert made(autograd_lab, autograd_lab.strided) == made(torch, torch.strided)
    if not text.startswith("x"):
        assert made(autograd_lab, "strided") == made(torch, "strided")
    with pytest.raises(NotImplementedError, match="all tensors here are dense"):
        made(autograd_lab, autograd_lab.sparse_coo)
