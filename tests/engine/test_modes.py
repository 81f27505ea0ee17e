"""Inference mode and other modes: what they make, and what that is refused, as in real PyTorch."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import autograd_lab
from tests.programs import error, leaf, own
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")

story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


def made(m: Any) -> Any:
    with m.inference_mode():
        return m.tensor([1.0, 2.0, 3.0])


@story
def what_inference_mode_makes_counts_no_writes(m: Any) -> Any:
    x = leaf(m)
    with m.inference_mode():
        y = x * 2
        inside = [y.requires_grad, y.is_inference(), m.is_inference_mode_enabled(), m.is_grad_enabled()]
        inside += [
            error(lambda: y._version),
            y.add_(1),
            y[0],
            y.sum(),
            x.clone().is_inference(),
            y.view(3, 1)._is_view(),
        ]
        y[0] = 5
        flags = [one.is_inference() for one in (*x.max(0), y.view(3), y.clone(), y.data, m.zeros(2), x.detach(), x[0])]
        kept = m.ones(3).requires_grad_()
    outside = [error(lambda: y._version), m.is_inference(y), y + 1, (y + 1).is_inference(), y.clone().is_inference()]
    return [inside, flags, outside, m.is_inference_mode_enabled(), m.is_grad_enabled(), kept.requires_grad, y.view(3)]


@story
def inference_tensors_are_not_saved(m: Any) -> Any:
    x, k = leaf(m), made(m)
    saves = own(m, lambda ctx, a, b: (ctx.save_for_backward(b), a * b)[1], lambda ctx, g: (g, None))
    z = x + k
    z.sum().backward()
    return [
        error(lambda: x * k), error(lambda: x @ k), error(lambda: x.exp().mul_(k)), error(lambda: saves.apply(x, k)),
        error(lambda: x.view(3, 1) * k), k.clone() * x, z, x.grad, m.where(k > 1, x, k), x.detach() * k,
    ]  # fmt: skip


@story
def inference_tensors_stay_as_they_are_outside(m: Any) -> Any:
    k, target, x = made(m), m.zeros(3), leaf(m)
    found = [
        error(lambda: k.add_(1)), error(lambda: k.view(3).add_(1)), error(lambda: k.zero_()), error(lambda: k.fill_(1)),
        error(lambda: k.__setitem__(0, 1.0)), error(lambda: k.requires_grad_()), error(lambda: k.requires_grad_(False)),
        error(lambda: setattr(k, "requires_grad", True)), k.clone().add_(1), k.is_leaf, k.grad_fn, target.copy_(k),
        error(lambda: x * target), error(lambda: k.retain_grad()), error(lambda: k.register_hook(print)), k,
    ]  # fmt: skip
    with m.inference_mode():
        found.append(k.add_(1))
    return found


@story
def normal_tensors_keep_their_counters_inside(m: Any) -> Any:
    x = leaf(m)
    u = x * 1
    with m.inference_mode():
        u.add_(1)
        x.add_(1)
        view = x.view(3)
        d = x.detach()
        d.add_(0)
        kinds = [view.is_inference(), view.requires_grad, view._is_view(), d.is_inference()]
    return [u, x, u._version, x._version, kinds, error(lambda: view.add_(1))]


@story
def backward_runs_inside_and_what_was_made_inside_has_none(m: Any) -> Any:
    x = leaf(m)
    y = (x * x).sum()
    with m.inference_mode():
        y.backward()
        z = (x * x).sum()
        found = [x.grad.is_inference(), error(lambda: z.backward())]
    return [*found, x.grad, error(lambda: z.backward())]


@story
def inference_mode_is_switched_off_nested_and_decorates(m: Any) -> Any:
    x = leaf(m)

    @m.inference_mode()
    def called(a: Any) -> Any:
        return a * 2

    @m.inference_mode
    def plain(a: Any) -> Any:
        return a * 2

    @m.inference_mode(False)
    def off(a: Any) -> Any:
        return a * 2

    with m.inference_mode():
        with m.inference_mode(False):
            normal = x * 2
            inner = [normal.requires_grad, m.is_grad_enabled(), m.is_inference_mode_enabled(), m.ones(1).is_inference()]
        with m.enable_grad():
            y = x * 2
            inner += [y.requires_grad, y.is_inference()]
        after = m.is_grad_enabled(), m.is_inference_mode_enabled()
    with m.no_grad(), m.inference_mode(False):
        inner.append(m.is_grad_enabled())
    try:
        with m.inference_mode():
            raise ValueError
    except ValueError:
        pass
    results = [called(x).is_inference(), plain(x).is_inference(), off(x).requires_grad, called.__name__]
    return [inner, after, results, m.is_inference_mode_enabled(), m.is_grad_enabled()]


@story
def under_no_grad_numbers_come_out(m: Any) -> Any:
    x = leaf(m)
    with m.no_grad():
        inside = x.numpy().tolist()
    return [inside, error(lambda: x.numpy())]


@story
def multithreading_and_old_names_are_accepted(m: Any) -> Any:
    x = leaf(m)
    with m.autograd.set_multithreading_enabled(False):
        y = (m.autograd.Variable(x, requires_grad=True) * 2).sum()
    y.backward()
    kinds = isinstance(x, m.autograd.Variable), isinstance(5, m.autograd.Variable)
    return [m.autograd.Variable(x).requires_grad, kinds, y.grad_fn.name()]


@story
def whether_a_backward_pass_may_have_threads_is_remembered(m: Any) -> Any:
    seen, switch = [], m.autograd.set_multithreading_enabled

    @switch(False)
    def called() -> None:
        seen.append(m.autograd.is_multithreading_enabled())

    called()
    with switch(False):
        switch(True)
        called()
    seen.append(m.autograd.is_multithreading_enabled())
    switch(False)
    seen.append(m.autograd.is_multithreading_enabled())
    switch(True)
    return [*seen, m.autograd.is_multithreading_enabled()]


def test_inference_mode_belongs_to_its_thread() -> None:
    found: list[bool] = []

    def elsewhere() -> None:
        found.append(autograd_lab.ones(2).is_inference())
        found.append((leaf(autograd_lab) * 1).requires_grad)

    with autograd_lab.inference_mode():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert found == [False, True]


def test_a_recording_follows_inference_tensors() -> None:
    with autograd_lab.record() as trace:
        x = leaf(autograd_lab)
        with autograd_lab.inference_mode():
            y = x * 2
            y.add_(1)
            y.view(3, 1)
        y + x
    names = [event.name for event in trace.events if type(event).__name__ == "OpApplied"]
    assert names == ["mul", "view", "AddBackward0"]


@story
def one_object_may_be_entered_again_and_then_remembers_the_last_time(m: Any) -> Any:
    off, seen = m.no_grad(), []
    with off:
        with off:
            seen.append(off.prev)
        seen.append(m.is_grad_enabled())
    seen += [m.is_grad_enabled(), off.prev]
    m.set_grad_enabled(True)
    return [*seen, m.is_grad_enabled(), off.clone() is off, type(off.clone()).__name__]


@story
def set_grad_enabled_takes_truth_values_and_says_which(m: Any) -> Any:
    switched = m.set_grad_enabled(False)
    told = [repr(switched), str(switched), switched.prev, switched.mode, m.is_grad_enabled()]
    m.set_grad_enabled(True)
    return [told, *(error(lambda value=value: m.set_grad_enabled(value)) for value in ("a", 1, None))]


@story
def what_inference_mode_made_is_not_asked_to_require_grad_again_outside(m: Any) -> Any:
    with m.inference_mode():
        x = m.ones(2, requires_grad=True)
        x.requires_grad_()
    return [error(x.requires_grad_), error(lambda: m.nn.Parameter(x)), x.requires_grad_(False).requires_grad]
