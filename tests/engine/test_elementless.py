"""`device="meta"` is answered as PyTorch answers it: tensors have a shape, a dtype and a device, and no elements."""

from __future__ import annotations

import copy
import gc
import io
import warnings
from typing import Any

import pytest

import autograd_lab
from autograd_lab.engine.core import seams
from autograd_lab.engine.exact.elementless import Elementless
from autograd_lab.events import OpApplied, TensorCreated
from tests.worlds import Stories, is_alike, said

torch = pytest.importorskip("torch")

answers = Stories()


@answers
def what_makes_tensors_makes_them_without_elements(m: Any) -> Any:
    x = m.ones(2, 3, device="meta")
    made = [
        m.zeros(2, device="meta"), m.full((2,), 3.0, device="meta"), m.tensor([1, 2], device="meta"),
        m.arange(5, device="meta"), m.eye(3, device="meta"), m.randn(2, 2, device="meta"), m.rand_like(x),
        m.zeros_like(x), m.full_like(x, 2), m.empty_like(x, dtype=m.int64), x.new_zeros(3), x.new_tensor([1.0]),
        m.zeros_like(x, device="cpu"), m.triu_indices(3, 3, device="meta"), m.as_tensor([1.0], device="meta"),
    ]  # fmt: skip
    return made, x, x.device, x.is_meta, x.is_cpu, x.type(), x.data_ptr(), x.get_device(), m.ones(1).is_meta


@answers
def ops_give_shapes_dtypes_views_and_gradients(m: Any) -> Any:
    x, w = m.ones(2, 3, device="meta", requires_grad=True), m.ones(3, 4, device="meta")
    y = (x @ w).relu().softmax(1) + m.tensor(1.0)
    seen = [
        y,
        y > 0,
        y.argmax(1),
        y.sum(),
        y.t(),
        y[:, 1:],
        y[m.tensor([0])],
        m.cat([y, y]),
        y.double(),
        len(y),
        f"{y}",
    ]
    m.nn.functional.cross_entropy(y, m.zeros(2, dtype=m.long, device="meta")).backward()
    x.data.normal_().clamp_(max=1)
    return seen, x.grad, m.autograd.grad(x.sum(), x), w.t().stride(), w.t().is_contiguous(), copy.deepcopy(w)


@answers
def elements_cannot_be_had(m: Any) -> Any:
    x = m.ones(1, device="meta")
    reads = [m.Tensor.item, float, bool, m.Tensor.tolist, m.Tensor.numpy, m.Tensor.cpu, lambda x: m.ones(1).copy_(x)]
    return [said(m, lambda m, read=read: read(x)) for read in reads], said(m, lambda m: x + m.ones(1))


@answers
def a_module_is_built_without_elements_and_gets_them_later(m: Any) -> Any:
    with m.device("meta"):
        net = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.BatchNorm1d(4), m.nn.Dropout(), m.nn.LayerNorm(4))
        places = {name: one.device.type for name, one in net.state_dict().items()}
    with m.device("meta"):
        out = net(m.ones(2, 3))
    refused = said(m, lambda m: net.to("cpu"))
    copied = said(m, lambda m: net[0].load_state_dict(m.nn.Linear(3, 4).state_dict()))
    net[0].load_state_dict(m.nn.Linear(3, 4).state_dict(), assign=True)
    emptied = [one.device.type for one in net.to_empty(device="cpu").parameters()]
    return places, out, refused, copied, emptied, m.nn.Linear(2, 2).to("meta").weight


@pytest.mark.parametrize("story", answers)
def test_a_tensor_without_elements_answers_as_pytorchs(story: Any) -> None:
    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), f"{ours}\n{theirs}"


def test_no_memory_is_needed_for_what_has_no_elements() -> None:
    x = autograd_lab.randn(100_000, 100_000, device="meta")
    assert (x * 2 + x.t()).relu_().nbytes == 40_000_000_000
    with autograd_lab.device("meta"):
        layers = [autograd_lab.nn.Linear(20_000, 20_000) for _ in range(20)]
    assert sum(one.weight.numel() for one in layers) == 8_000_000_000


def test_convolutions_products_and_sums_of_what_has_no_elements_need_neither_memory_nor_time() -> None:
    def story(m: Any) -> Any:
        f, d = m.nn.functional, m.device("meta")
        x, w = m.rand(2**10, 3, 2**16, 2**16, device=d), m.ones(5, 3, 2, 2, device=d)
        z = f.conv2d(x, w)
        padded = f.conv2d(x, w, padding=1)
        product = m.rand(2**6, 2**14, 2**14, device=d) @ m.rand(2**14, 2**14, device=d)
        sums = product.sum(), product.sum(0, keepdim=True), product.amax((0, -1)), x[:2, :, :8, :8].bool().any(1)
        return z, padded.shape, product, sums, z.relu().sum((2, 3))

    assert said(autograd_lab, story) == said(torch, story)


def test_what_depends_on_elements_is_refused() -> None:
    x = autograd_lab.ones(2, device="meta")
    for ask in (lambda: x.nonzero(), lambda: x[x > 0], lambda: x.unique(), lambda: autograd_lab.ones(2).add_(x)):
        with pytest.raises((NotImplementedError, RuntimeError), match="meta"):
            ask()


def test_a_file_keeps_that_there_are_no_elements() -> None:
    file = io.BytesIO()
    autograd_lab.save({"w": autograd_lab.nn.Parameter(autograd_lab.ones(2, 3, device="meta"))}, file)
    file.seek(0)
    assert repr(autograd_lab.load(file)["w"]) == repr(torch.nn.Parameter(torch.ones(2, 3, device="meta")))


def test_a_recording_says_so_and_shows_no_numbers() -> None:
    with autograd_lab.record() as trace:
        x = autograd_lab.ones(2, 3, device="meta", requires_grad=True)
        (x * x).sum().backward()
    created = next(event.tensor for event in trace if isinstance(event, TensorCreated))
    assert (created.device, created.value.numbers, created.shape) == ("meta", None, (2, 3))
    assert {event.outputs[0].device for event in trace if isinstance(event, OpApplied)} == {"meta"}
    assert "[[" not in repr(list(trace))


def test_tensors_with_elements_are_as_before() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = autograd_lab.ones(2, requires_grad=True)
        (x * 3).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [3.0, 3.0]


def test_ops_are_looked_at_only_while_there_is_a_tensor_without_elements() -> None:
    x = autograd_lab.ones(2, device="meta")
    view = x[1:]
    assert seams.carry is not None
    del x, view
    gc.collect()
    assert Elementless.alive or seams.carry is None  # where other tests keep some
