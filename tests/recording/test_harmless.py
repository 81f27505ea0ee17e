"""To record a program changes nothing of it: not if a recorder fails, not where a program is strict, not afterwards."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
import warnings
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest

import autograd_lab as torch
from autograd_lab import listening, record
from autograd_lab.engine import errors
from autograd_lab.events import RecordingStopped
from autograd_lab.recording import recorder
from autograd_lab.recording.recorder import Recorder, RecordingWarning
from autograd_lab.trace import Trace

WITHIN = ("is_tensor", "backward_left")
"""What a recorder asks of itself, or is called in no program below: passes in another engine tell of it."""
METHODS = sorted(name for name, value in vars(Recorder()).items() if callable(value) and name not in WITHIN)


def everything() -> list[Any]:
    """A program of which an engine says all that it ever says, and what comes out of it."""
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.BatchNorm1d(2))
    with torch.no_grad():
        for number, each in enumerate(model.parameters()):
            each.copy_(torch.arange(each.numel()).reshape(each.shape) / 7 + number)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x = torch.tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True)
    seen: list[Any] = []
    for _ in range(2):
        optimizer.zero_grad()
        hidden = model(x)
        hidden.retain_grad()
        hidden.register_hook(lambda grad: grad * 2)
        part = hidden[0, 1:] * hidden.detach()[1, 0] + hidden.data.numpy().sum()
        loss = (hidden * hidden).mean() + part.sum()
        loss.grad_fn.register_hook(lambda *_: None)
        loss.backward(retain_graph=True)
        loss.backward()
        optimizer.step()
        seen.append([loss.item(), hidden.grad.tolist(), *(each.grad.tolist() for each in model.parameters())])
    y = torch.hstack([torch.zeros(1), torch.zeros(2)]).requires_grad_()
    z = y.exp()
    z.mul_(2)
    z.detach_().resize_(2)
    y.grad = torch.ones(3)
    y.data = torch.ones(3)
    for refused in (lambda: z.backward(), lambda: y.add_(1), lambda: loss.backward()):
        with suppress(RuntimeError):
            refused()
    (first,) = torch.autograd.grad((y.exp() ** 2).sum(), y, create_graph=True)
    first.sum().backward()
    return [*seen, y.grad.tolist(), z.tolist(), torch.from_numpy(np.ones(2)).tolist()]


PLAIN = everything()


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "STRICT", False)
    monkeypatch.setattr(errors, "STRICT", False)


def failing(monkeypatch: pytest.MonkeyPatch, name: str) -> list[str]:
    """Have each new recorder fail whenever this method of it is called."""
    called: list[str] = []
    have = Recorder._have

    def have_failing(self: Recorder, *args: Any) -> None:
        have(self, *args)

        def fail(*_: Any, **__: Any) -> None:
            called.append(name)
            raise KeyError("a mistake")

        setattr(self, name, fail)

    monkeypatch.setattr(Recorder, "_have", have_failing)
    return called


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("name", METHODS)
def test_a_method_that_fails_changes_nothing_of_the_program(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    called = failing(monkeypatch, name)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RecordingWarning)
        with record() as trace:
            assert everything() == PLAIN
    assert called, f"the program never has the engine call {name}"
    assert [each.category for each in told].count(RecordingWarning) == 1
    assert isinstance(trace[-1], RecordingStopped)
    assert listening.active is None


def methods_within() -> list[tuple[type, str]]:
    """The class and the name of each method of what a recorder is made of."""
    made, tape = Recorder().parts, Recorder().tape
    things = (*vars(made).values(), tape, tape.ids, tape.reader, tape.names, tape.sites, tape.ids.ledger)
    found = {type(thing) for thing in things}
    named = ((each, name) for each in found for name in dir(each) if not name.startswith("_"))
    return sorted(((each, name) for each, name in named if callable(getattr(each, name))), key=str)


@pytest.mark.usefixtures("lenient")
def test_a_method_that_fails_within_a_recorder_changes_nothing_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyError("a mistake")

    for part, name in methods_within():
        with monkeypatch.context() as spoilt, warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", RecordingWarning)
            spoilt.setattr(part, name, fail)
            with record():
                assert everything() == PLAIN, (part, name)
        assert sum(each.category is RecordingWarning for each in told) <= 1, (part, name)
        assert listening.active is None, (part, name)


@pytest.mark.usefixtures("lenient")
def test_a_failing_recorder_is_harmless_where_warnings_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, "op_applied")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with record() as trace:
            assert everything() == PLAIN
    assert isinstance(trace[-1], RecordingStopped)


NUMBERS = [1e300, -1.7e308, 1.7e308, 5e-324, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("size", [1, 7, 100, 5000])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_numbers_of_any_size_are_recorded_where_overflow_is_an_error(size: int, dtype: str) -> None:
    with np.errstate(all="ignore"):
        array = np.resize(np.array(NUMBERS), size).astype(dtype)
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        with record() as trace:
            x = torch.from_numpy(array).requires_grad_()
            y = x[:1].reshape(1)
            y.backward(torch.from_numpy(array[:1]))
        assert len(trace) > 3
        assert not isinstance(trace[-1], RecordingStopped)


def some_ops(trace: Trace) -> int:
    """How many events a few ops add to a trace."""
    before = len(trace)
    (torch.ones(2, requires_grad=True) * 2).sum().backward()
    return len(trace) - before


def test_recordings_of_two_generators_end_with_their_blocks() -> None:
    def recorded(found: list[Trace]) -> Iterator[None]:
        with record() as trace:
            found.append(trace)
            torch.ones(2, requires_grad=True).exp()
            yield

    found: list[Trace] = []
    one, two = recorded(found), recorded(found)
    next(one), next(two)
    assert list(one) == []
    assert some_ops(found[0]) == 0
    assert some_ops(found[1]) > 0
    assert list(two) == []
    assert [some_ops(trace) for trace in found] == [0, 0]
    assert listening.active is None


def test_recordings_that_overlap_leave_warnings_to_be_shown_as_before() -> None:
    before = warnings.showwarning
    one, two, three = record(), record(), record()
    for each in (one, two, three):
        each.__enter__()
    assert warnings.showwarning is not before
    for each in (two, one, three):
        each.__exit__(None, None, None)
    assert warnings.showwarning is before


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_recording_that_is_interrupted_while_it_begins_does_not_listen(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def stopped(_: Recorder) -> Any:
        raise error

    before = warnings.showwarning
    monkeypatch.setattr(listening, "companions", [*listening.companions, stopped])
    with pytest.raises(error), record():
        pass
    assert listening.active is None
    assert warnings.showwarning is before


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals come to the main thread")
@pytest.mark.parametrize("moment", ["beginning", "ending"])
def test_ctrl_c_waits_until_a_recording_has_begun_or_has_ended(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    happened = []

    @contextmanager
    def watching(_: Recorder) -> Iterator[None]:
        for now in ("beginning", "ending"):
            if now == moment:
                signal.raise_signal(signal.SIGINT)
            happened.append(now)
            if now == "beginning":
                yield

    monkeypatch.setattr(listening, "companions", [*listening.companions, watching])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs have it ignored
    with pytest.raises(KeyboardInterrupt), record():
        pass
    signal.signal(signal.SIGINT, before)
    assert happened == ["beginning", "ending"]
    assert listening.active is None


def test_recordings_of_tasks_end_with_their_blocks() -> None:
    found: list[Trace] = []

    async def recorded(moments: int) -> None:
        with record() as trace:
            found.append(trace)
            for _ in range(moments):
                torch.ones(2, requires_grad=True).exp()
                await asyncio.sleep(0)

    async def both() -> None:
        await asyncio.gather(recorded(2), recorded(5), recorded(1))

    with ThreadPoolExecutor(1) as other:  # browsers of other tests have a loop in this thread
        other.submit(lambda: asyncio.run(both())).result()
    assert len(found) == 3
    assert [some_ops(trace) for trace in found] == [0, 0, 0]
    assert listening.active is None


def test_recordings_of_threads_end_with_their_blocks() -> None:
    found: list[Trace] = []
    meet = threading.Barrier(3)

    def recorded(turns: int) -> None:
        with record() as trace:
            found.append(trace)
            meet.wait()
            for _ in range(turns):
                torch.ones(2, requires_grad=True).exp()

    threads = [threading.Thread(target=recorded, args=(turns,)) for turns in (1, 20, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [some_ops(trace) for trace in found] == [0, 0, 0]
    assert listening.active is None


def test_a_recording_ends_and_begins_inside_of_hooks() -> None:
    found: list[Trace] = []

    def recorded() -> Iterator[None]:
        with record() as trace:
            found.append(trace)
            yield

    def ends(_: Any) -> None:
        assert list(one) == []

    def begins(_: Any) -> None:
        next(two)

    one, two = recorded(), recorded()
    next(one)
    x = torch.ones(2, requires_grad=True)
    for hook in (ends, begins):
        y = x * 2
        y.register_hook(hook)
        y.sum().backward()
    assert some_ops(found[0]) == 0
    assert some_ops(found[1]) > 0
    assert list(two) == []
    assert [some_ops(trace) for trace in found] == [0, 0]
    assert listening.active is None
    assert x.grad.tolist() == [4, 4]


def test_a_block_that_is_never_left_ends_with_its_generator() -> None:
    def recorded() -> Iterator[Trace]:
        with record() as trace:
            yield trace

    generator = recorded()
    trace = next(generator)
    assert some_ops(trace) > 0
    del generator
    assert some_ops(trace) == 0


@pytest.mark.parametrize("world", ["autograd_lab", "torch"])
def test_what_a_recording_leaves_goes_with_its_trace(world: str) -> None:
    """With nothing that waits until Python looks for circles: all notes of a long run would lie around until then."""
    module = pytest.importorskip(world)

    def recorded() -> weakref.ref[Any]:
        with record() as trace:
            x = module.ones(2, requires_grad=True)
            (x * 2).sum().backward()
        assert len(trace.events) > 3
        return weakref.ref(trace)

    recorded()
    gc.collect()
    gc.disable()
    try:
        assert recorded()() is None
        assert not [one for one in unreachable() if type(one).__module__.startswith("autograd_lab.")]
    finally:
        gc.enable()


def unreachable() -> list[Any]:
    """What nothing but circles holds."""
    before = gc.get_debug()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        return list(gc.garbage)
    finally:
        gc.set_debug(before)
        gc.garbage.clear()


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("spare", range(28, 80, 4))
def test_some_frames_from_the_recursion_limit_a_program_does_what_it_does_unrecorded(spare: int) -> None:
    """A recorded op calls a few more functions: within some twenty frames of the limit it may meet it sooner."""

    def down(depth: int) -> Any:
        if depth:
            return down(depth - 1)
        x = torch.ones(2, requires_grad=True)
        (x * 2).sum().backward()
        return x.grad.tolist()

    def outcome() -> Any:
        depth = len(list(frames(sys._getframe())))
        try:
            return down(sys.getrecursionlimit() - depth - spare)
        except RecursionError:
            return RecursionError

    plain = outcome()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with record():
            assert outcome() == plain


def frames(frame: Any) -> Iterator[Any]:
    while frame is not None:
        yield frame
        frame = frame.f_back
