"""Tensors on other devices say where they are, and nobody waits for a device to tell what they hold."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

torch = pytest.importorskip("torch")

from autograd_lab import record  # noqa: E402
from autograd_lab.events import BackwardFinished, OpApplied, TensorCreated, TensorModified, from_json, to_json  # noqa: E402
from autograd_lab.recording.values.snapshot import snapshot, value_of  # noqa: E402
from autograd_lab.torch_bridge.reading.far import Far  # noqa: E402
from autograd_lab.trace import Trace  # noqa: E402
from autograd_lab.view.charts.strip import strip  # noqa: E402
from autograd_lab.view.scene import make_scene  # noqa: E402
from autograd_lab.view.svg import to_svg  # noqa: E402
from tests.story import first_difference, story  # noqa: E402
from tests.torch_bridge.far_device import NONE  # noqa: E402
from tests.torch_bridge.test_torch_values import laid_out, same  # noqa: E402
from tests.torch_bridge.watching import strictly  # noqa: E402

torch.set_num_threads(1)
ROOT = Path(__file__).parents[2]


def test_a_device_that_is_not_the_cpu_is_watched_without_waiting_for_it() -> None:
    run = [sys.executable, "-W", "ignore", "-m", "tests.torch_bridge.far_device"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode == NONE:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0 and done.stdout.count(": ok") >= 10, done.stdout + done.stderr


@given(laid_out())
def test_what_is_computed_on_a_device_is_what_numpy_computes(tensor: Any) -> None:
    assert same(value_of(Far().take(tensor)), value_of(snapshot(tensor.numpy())))


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_counted_on_the_device(odd: float) -> None:
    tensor = torch.linspace(-2, 3, 3000)
    tensor[7], tensor[2000] = odd, odd
    found, numpys = value_of(Far().take(tensor)), value_of(snapshot(tensor.numpy()))
    assert (found.nans, found.infs) == (numpys.nans, numpys.infs)
    assert (found.minimum, found.maximum) == (numpys.minimum, numpys.maximum)


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf"), -9.0])
@pytest.mark.parametrize("place", [(0, 0), (16, 71), (49, 72), (30, 36)])
def test_one_element_that_stands_out_is_seen_on_the_device(odd: float, place: tuple[int, int]) -> None:
    tensor = torch.linspace(-2, 3, 50 * 73).reshape(50, 73)
    tensor[place] = odd
    blocks = [value_of(taken).blocks for taken in (Far().take(tensor), snapshot(tensor.numpy()))]
    assert repr(blocks[0]) == repr(blocks[1]) and repr(odd) in repr(blocks[0])


def test_what_has_come_together_is_fetched_at_once() -> None:
    far = Far()
    taken = [far.take(torch.full((size,), float(size))) for size in (2, 30, 5000, 6000)]
    assert far.fetched == 0
    values = [value_of(each) for each in taken]
    assert far.fetched == 1
    assert [value.maximum for value in values[2:]] == [5000.0, 6000.0] and values[0].numbers == [2.0, 2.0]


def test_not_more_than_so_much_waits_on_a_device() -> None:
    far = Far()
    for _ in range(5000):
        far.take(torch.ones(1000))
    assert far.fetched >= 5000 * 4000 // 2**22


def test_meta_tensors_say_so_and_have_no_values() -> None:
    with strictly(), record() as trace:
        x = torch.ones(2, 3, device="meta", requires_grad=True)
        y = (x * 2).sum()
    created = next(event.tensor for event in trace if isinstance(event, TensorCreated))
    assert (created.device, created.value.numbers, created.shape) == ("meta", None, (2, 3)) and y is not None
    assert {event.outputs[0].device for event in trace if isinstance(event, OpApplied)} == {"meta"}
    assert "on meta" in to_svg(make_scene(trace))


def on(trace: Trace, device: str) -> Trace:
    """A trace with its tensors on another device."""

    def moved(facts: Any) -> Any:
        return dataclasses.replace(facts, device=device)

    def told(event: Any) -> Any:
        if isinstance(event, TensorCreated):
            return dataclasses.replace(event, tensor=moved(event.tensor))
        if isinstance(event, OpApplied):
            return dataclasses.replace(event, outputs=tuple(map(moved, event.outputs)))
        return event

    return Trace([told(event) for event in trace], files=trace.files)


def example() -> Trace:
    with record() as trace:
        x = torch.ones(1000, requires_grad=True)
        x.exp().sum().backward(retain_graph=True)
    return trace


def test_all_that_is_said_of_the_cpu_is_as_before() -> None:
    trace = example()
    assert not any("'device'" in repr(to_json(event)) for event in trace)
    assert all(from_json(to_json(event)) == event for event in trace)
    assert "cpu" not in to_svg(make_scene(trace)) and "cpu" not in strip({"run": trace})


def test_bytes_say_on_which_device_they_are() -> None:
    trace = on(example(), "cuda:0")
    assert all(from_json(to_json(event)) == event for event in trace)
    scene = make_scene(trace)
    over = next(step for step, event in enumerate(trace, 1) if isinstance(event, BackwardFinished))
    assert "3.9 KiB on cuda:0 are kept (retain_graph)" in scene.caption(over)
    assert "run, on cuda:0" in strip({"run": trace})


# --- where there is a GPU ---------------------------------------------------------------------------------------------

gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


def trained(device: str, width: int) -> Any:
    torch.manual_seed(0)
    parts = [part for _ in range(4) for part in (torch.nn.Linear(width, width), torch.nn.Tanh())]
    model = torch.nn.Sequential(*parts).to(device)
    x = torch.linspace(-1, 1, 3 * width).reshape(3, width).to(device)
    loss = (model(x) ** 2).sum()
    loss.backward()
    return model


@gpu
@pytest.mark.parametrize("width", [4, 60])
def test_a_gpu_tells_what_the_cpu_tells(width: int) -> None:
    stories = []
    for device in ("cpu", "cuda"):
        x = torch.linspace(-1, 1, width * width).to(device).reshape(width, width)
        w = x.clone().requires_grad_()
        with strictly(), record() as trace:
            loss = ((x @ w).tanh() * w).mean()
            loss.backward()
        told = story(trace)
        for event in told:
            for facts in (*event.get("outputs", ()), event.get("tensor")):
                if isinstance(facts, dict):
                    assert facts.pop("device", "cpu") == ("cpu" if device == "cpu" else "cuda:0")
        stories.append(told)
    found = first_difference(*stories)
    assert found is None, found


@gpu
def test_a_model_that_moves_to_a_gpu_says_so() -> None:
    with strictly(), record() as trace:
        model = torch.nn.Linear(2, 2)
        before = model.weight * 1
        model.to("cuda")
    moved = {event.device for event in trace if isinstance(event, TensorModified) and event.op == "data ="}
    assert moved == {"cuda:0"} and before is not None


@gpu
def test_nobody_waits_for_a_gpu_before_a_pass_is_over() -> None:
    model = trained("cuda", 60)
    x = torch.ones(3, 60, device="cuda")
    torch.cuda.synchronize()
    with strictly(), record() as trace:
        torch.cuda.set_sync_debug_mode("error")
        try:
            y = model(x).sum()
        finally:
            torch.cuda.set_sync_debug_mode("default")
    assert any(isinstance(event, OpApplied) for event in trace) and y is not None


@gpu
def test_a_program_on_a_gpu_does_the_same_when_it_is_recorded() -> None:
    plain = [one.grad for one in trained("cuda", 60).parameters()]
    with strictly(), record():
        watched = [one.grad for one in trained("cuda", 60).parameters()]
    assert all(torch.equal(one, other) for one, other in zip(plain, watched, strict=True))
