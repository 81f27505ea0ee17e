"""A device that is not the CPU, where there is none: PyTorch's own place for one, with kernels that run on the CPU.

It counts whoever waits for it. Installed once in a process, for good: so `python -m tests.torch_bridge.far_device` is
a process of its own, which runs the checks below and says which of them failed.
"""

from __future__ import annotations

import sys
import threading
import traceback
from functools import partial
from typing import Any

import torch
from torch.utils._pytree import tree_map

NAME = "far"
NONE = 77
"""The exit code where this PyTorch can have no such device."""
VIEWS = {"aten::as_strided", "aten::view", "aten::_reshape_alias", "aten::unfold"}
_META = torch._C.DispatchKeySet(torch._C.DispatchKey.Meta)
waited: list[str] = []
"""The ops by which somebody waited for the device."""
_memory: dict[int, Any] = {}
_libraries: list[Any] = []


def install() -> None:
    """Make the device. Raises ImportError or AttributeError if this PyTorch cannot have one written in Python."""
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

    _setup_privateuseone_for_python_backend(NAME)
    _libraries.append(torch.library.Library("aten", "IMPL"))
    for name in torch._C._dispatch_get_all_op_names():
        if name.startswith("aten::") and _has_kernel(name):
            packet, _, overload = name.removeprefix("aten::").partition(".")
            op = getattr(getattr(torch.ops.aten, packet), overload or "default")
            if name in VIEWS or (packet != "_to_copy" and not _is_view(op)):
                _libraries[0].impl(name.removeprefix("aten::"), partial(_run, op), "PrivateUse1")


def _has_kernel(name: str) -> bool:
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    return any(has(name, key) for key in ("CPU", "CompositeExplicitAutograd", "Meta"))


def _is_view(op: Any) -> bool:
    return any(one.alias_info is not None and not one.alias_info.is_write for one in op._schema.returns)


def _near(thing: Any) -> Any:
    if isinstance(thing, torch.device):
        return torch.device("cpu")
    if not isinstance(thing, torch.Tensor) or thing.device.type != NAME:
        return thing
    flat = _memory[torch._C._storage_address(thing)]
    return flat.as_strided(thing.shape, thing.stride(), thing.storage_offset())


def _far(tensor: Any) -> Any:
    made = torch._C._acc.create_empty_tensor(tuple(tensor.shape), tensor.dtype)
    _memory[torch._C._storage_address(made)] = tensor.contiguous().reshape(-1).clone()
    return made


def _run(op: Any, *args: Any, **kwargs: Any) -> Any:
    name = op._schema.name
    if name in VIEWS:
        return op.redispatch(_META, *args, **kwargs)
    if name == "aten::_local_scalar_dense" or (name == "aten::copy_" and args[0].device.type != NAME):
        waited.append(name)
    if name == "aten::empty_strided":
        whole = _far(torch.empty(sum((n - 1) * s for n, s in zip(*args[:2], strict=True)) + 1, dtype=kwargs["dtype"]))
        return whole.as_strided(*args[:2])
    pairs: list[tuple[Any, Any]] = []

    def near(thing: Any) -> Any:
        found = _near(thing)
        pairs.append((found, thing))
        return found

    result = op(*tree_map(near, args), **tree_map(near, kwargs))
    known = {id(found): thing for found, thing in pairs if isinstance(thing, torch.Tensor)}
    return tree_map(lambda one: known.get(id(one), _far(one)) if isinstance(one, torch.Tensor) else one, result)


# --- checks -----------------------------------------------------------------------------------------------------------


def trained(device: str, layers: int = 3, width: int = 4) -> Any:
    """A step of training; the model after it."""
    torch.manual_seed(0)
    parts = [part for _ in range(layers) for part in (torch.nn.Linear(width, width), torch.nn.Tanh())]
    model = torch.nn.Sequential(*parts).to(device)
    x = torch.linspace(-1, 1, 3 * width).reshape(3, width).to(device)
    loss = (model(x) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.1 * parameter.grad
    return model


def left(model: Any) -> list[Any]:
    """What a step leaves, on the CPU."""
    return [part.detach().cpu() for one in model.parameters() for part in (one, one.grad)]


def check_tensors_say_where_they_are() -> None:
    from autograd_lab import record
    from autograd_lab.events import OpApplied
    from autograd_lab.view.scene import make_scene
    from autograd_lab.view.svg import to_svg
    from autograd_lab.view.torchviz.gv import to_gv

    with record() as trace:
        x = torch.ones(2, 2).to(NAME).requires_grad_()
        y = x * 2
    (made,) = (event.outputs[0] for event in trace if isinstance(event, OpApplied) and event.name == "MulBackward0")
    assert made.device == f"{NAME}:0" and made.value.numbers == [[2.0, 2.0], [2.0, 2.0]], made
    scene = make_scene(trace)
    assert f"on {NAME}:0" in to_svg(scene) and f"on {NAME}:0" in to_gv(scene) and y is not None


def check_the_same_is_told_of_the_same_numbers() -> None:
    from autograd_lab import record
    from tests.story import first_difference, story

    for width in (4, 40):
        stories = []
        for device in ("cpu", NAME):
            x = torch.linspace(-1, 1, width * width).to(device).reshape(width, width)
            w = x.clone().requires_grad_()
            with record() as trace:
                loss = ((x @ w).tanh() * w).mean()
                loss.backward()
            told = story(trace)
            for event in told:
                for facts in (*event.get("outputs", ()), event.get("tensor")):
                    if isinstance(facts, dict):
                        assert facts.pop("device", "cpu") == ("cpu" if device == "cpu" else f"{NAME}:0")
            stories.append(told)
        found = first_difference(*stories)
        assert found is None, found


def check_values_are_those_of_the_moment() -> None:
    from autograd_lab import record
    from autograd_lab.events import TensorModified

    x = torch.zeros(3, device=NAME)
    large = torch.zeros(5000, device=NAME)
    with record() as trace:
        for _ in range(3):
            x.add_(1)
            large.add_(1)
    values = [event.value for event in trace if isinstance(event, TensorModified)]
    assert [value.numbers for value in values[::2]] == [[1.0] * 3, [2.0] * 3, [3.0] * 3]
    assert [value.maximum for value in values[1::2]] == [1.0, 2.0, 3.0]


def check_nobody_waits_for_single_ops() -> None:
    from autograd_lab import record

    counts = set()
    for layers in (2, 12):
        for width in (4, 40):
            waited.clear()
            with record() as trace:
                model = trained(NAME, layers, width)
                within = len(waited)
            counts.add((width, within, len(waited)))
            assert trace.events and model is not None
    assert len(counts) == 2, f"it depends on how many layers there are: {counts}"
    assert max(after for _, _, after in counts) <= 8, counts


def check_nobody_waits_before_a_pass_is_over() -> None:
    from autograd_lab import record

    x, w = torch.ones(60, 60, device=NAME), torch.ones(60, 60, device=NAME, requires_grad=True)
    scale = torch.ones((), device=NAME)
    waited.clear()
    with record() as trace:
        y = ((x @ w).tanh() * scale * w).sum()
        assert not waited, waited
        y.backward()
        assert waited and trace.told


def check_a_program_does_the_same_when_it_is_recorded() -> None:
    from autograd_lab import record

    plain = left(trained(NAME, width=40))
    with record():
        model = trained(NAME, width=40)
    assert all(torch.equal(one, other) for one, other in zip(plain, left(model), strict=True))


def check_backward_is_told_although_it_runs_in_another_thread() -> None:
    from autograd_lab import record
    from autograd_lab.events import GradAccumulated, NodeEvaluated

    x = torch.ones(3, device=NAME, requires_grad=True)
    threads = set()
    y = x.exp()
    y.register_hook(lambda _: threads.add(threading.get_ident()))
    with record() as trace:
        y.sum().backward()  # here
    assert threads and threads != {threading.main_thread().ident}
    assert [event.kind for event in trace].count("backward_finished") == 1
    own = [event for event in trace if isinstance(event, NodeEvaluated | GradAccumulated)]
    assert own and {event.where and event.where.text for event in own} == {"y.sum().backward()  # here"}


def check_a_graph_of_gradients_is_told() -> None:
    from autograd_lab import record
    from autograd_lab.events import OpApplied

    x = torch.ones(3, device=NAME, requires_grad=True)
    with record() as trace:
        (slope,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
        slope.sum().backward()
    assert x.grad.cpu().tolist() == [6.0] * 3
    assert sum(event.name == "MulBackward0" for event in trace if isinstance(event, OpApplied)) > 2


def check_a_custom_function_is_told() -> None:
    from autograd_lab import record
    from autograd_lab.events import OpApplied

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = torch.ones(3, device=NAME, requires_grad=True)
    with record() as trace:
        Twice.apply(x).sum().backward()
    names = [event.name for event in trace if isinstance(event, OpApplied)]
    assert "TwiceBackward" in names and x.grad.cpu().tolist() == [2.0] * 3, names


def check_bytes_are_counted_by_devices() -> None:
    from autograd_lab import record
    from autograd_lab.view.charts.strip import bytes_kept, bytes_kept_on
    from autograd_lab.view.graph.facts.timeline import states

    near, x = torch.ones(4, requires_grad=True), torch.ones(3, device=NAME, requires_grad=True)
    with record() as trace:
        kept = near.exp(), x.exp()
    *_, last = states(trace)
    assert dict(last.held_on) == {"cpu": 16, f"{NAME}:0": 12} and last.held == 28 and kept
    assert {device: each[-1] for device, each in bytes_kept_on(trace).items()} == dict(last.held_on)
    assert bytes_kept(trace)[-1] == 28


def main() -> int:
    """Run all checks, each of which says how it went; the exit code is 1 if one has failed."""
    try:
        install()
    except (ImportError, AttributeError) as error:
        print(f"no device can be written in Python here: {error}")
        return NONE
    from autograd_lab.recording import recorder

    recorder.STRICT = True
    failed = 0
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            try:
                check()
                print(f"{name}: ok")
            except Exception:
                failed = 1
                print(f"{name}: failed")
                traceback.print_exc(file=sys.stdout)
    return failed


if __name__ == "__main__":
    from tests.torch_bridge import far_device

    sys.exit(far_device.main())
