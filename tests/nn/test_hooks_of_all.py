"""Hooks of all modules at once, and what hooks may be mixed: both worlds tell the same."""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Iterator
from typing import Any

import pytest

import autograd_lab
from autograd_lab.nn.everywhere import EVERYWHERE
from tests.programs import error
from tests.worlds import Stories, filled, said

torch = pytest.importorskip("torch")
story = Stories()
Pair = namedtuple("Pair", "first second")


@pytest.fixture(autouse=True)
def no_kind_of_backward_hooks_was_chosen() -> Iterator[None]:
    yield
    torch.nn.modules.module._global_is_full_backward_hook = EVERYWHERE.full = None


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


def net(m: Any) -> Any:
    return m.nn.Sequential(filled(m.nn.Linear(2, 2)), m.nn.Tanh())


def passes(m: Any) -> list[Any]:
    x = m.ones(1, 2, requires_grad=True)
    out = net(m)(x)
    out.sum().backward()
    return [out.tolist(), x.grad.tolist()]


@story
def hooks_of_all_modules_see_each_of_them_until_removed(m: Any) -> Any:
    hang, told = m.nn.modules.module, []
    handles = [
        hang.register_module_forward_pre_hook(lambda part, args: told.append(("pre", type(part).__name__, args))),
        hang.register_module_forward_hook(lambda part, args, out: told.append((type(part).__name__, out.tolist()))),
        hang.register_module_full_backward_pre_hook(lambda part, got: told.append(("back", type(part).__name__, got))),
        hang.register_module_full_backward_hook(lambda part, sent, got: told.append((type(part).__name__, sent, got))),
    ]
    first = passes(m)
    for handle in handles:
        handle.remove()
    return first, list(told), passes(m), len(told)


@story
def hooks_of_all_modules_come_before_those_of_one(m: Any) -> Any:
    told: list[str] = []
    linear = filled(m.nn.Linear(1, 1))
    linear.register_forward_hook(lambda *_: told.append("own"))
    linear.register_forward_pre_hook(lambda *_: told.append("own before"))
    linear.register_full_backward_hook(lambda *_: told.append("own backward"))
    hang = m.nn.modules.module
    with (
        hang.register_module_forward_hook(lambda *_: told.append("all")),
        hang.register_module_forward_pre_hook(lambda *_: told.append("all before")),
        hang.register_module_full_backward_hook(lambda *_: told.append("all backward")),
    ):
        linear(m.ones(1, 1, requires_grad=True)).sum().backward()
    return told


@story
def what_hooks_of_all_modules_give_takes_the_place(m: Any) -> Any:
    hang = m.nn.modules.module
    with hang.register_module_forward_hook(lambda part, args, out: out * 2):
        doubled = passes(m)
    with hang.register_module_forward_pre_hook(lambda part, args: args[0] + 1):
        moved = passes(m)
    with hang.register_module_full_backward_hook(lambda part, sent, got: (sent[0] * 3,)):
        tripled = passes(m)
    with hang.register_module_forward_hook(lambda part, args, kwargs, out: out + len(kwargs), with_kwargs=True):
        named = net(m)[0](input=m.ones(1, 2)).tolist()
    return doubled, moved, tripled, named


@story
def what_all_modules_are_made_of_is_seen_and_may_be_exchanged(m: Any) -> Any:
    hang, told = m.nn.modules.module, []
    with (
        hang.register_module_parameter_registration_hook(
            lambda part, name, one: told.append((name, tuple(one.shape))) or m.nn.Parameter(one.detach() * 0)
        ),
        hang.register_module_buffer_registration_hook(lambda part, name, one: told.append((name, one is None))),
        hang.register_module_module_registration_hook(
            lambda part, name, one: told.append((name, type(one).__name__)) or (m.nn.ReLU() if name == "1" else None)
        ),
    ):
        made = m.nn.Sequential(m.nn.Linear(2, 1), m.nn.Tanh(), m.nn.BatchNorm1d(1))
        made.more = m.nn.Sigmoid()
        made.scale = m.nn.Parameter(m.ones(2))
    return told, repr(made), made.scale.tolist(), type(m.nn.Sequential(m.nn.Linear(1, 1))[0]).__name__


@story
def two_kinds_of_backward_hooks_may_not_be_mixed(m: Any) -> Any:
    hang, one = m.nn.modules.module, m.nn.Linear(1, 1)
    one.register_full_backward_hook(lambda *_: None).remove()
    other = m.nn.Linear(1, 1)
    other.register_backward_hook(lambda *_: None)
    hang.register_module_backward_hook(lambda *_: None).remove()
    return [
        error(lambda: one.register_backward_hook(lambda *_: None)),
        error(lambda: other.register_full_backward_hook(lambda *_: None)),
        error(lambda: hang.register_module_full_backward_hook(lambda *_: None)),
        len(other._backward_hooks),
        len(other._forward_hooks),
    ]


@story
def a_named_tuple_stays_one_under_backward_hooks(m: Any) -> Any:
    class Two(m.nn.Module):  # type: ignore[name-defined,misc]
        def forward(self, x: Any) -> Any:
            return Pair(x * 2, x + 1)

    two = Two()
    two.register_full_backward_hook(lambda part, sent, got: None)
    out = two(m.ones(2, requires_grad=True))
    return type(out) is Pair, out.first.tolist()


@story
def a_result_without_tensors_is_warned_of(m: Any) -> Any:
    class Other(m.nn.Module):  # type: ignore[name-defined,misc]
        def forward(self, x: Any) -> Any:
            return {"x": x}

    other = Other()
    other.register_full_backward_hook(lambda *_: None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        other(m.ones(1, requires_grad=True))
    return [str(one.message) for one in caught]


@story
def hooks_that_are_always_called_may_fail_after_a_failure(m: Any) -> Any:
    def fail(*_: Any) -> None:
        raise KeyError("in the hook")

    linear = m.nn.Linear(1, 1)
    handle = linear.register_forward_hook(fail, always_call=True, with_kwargs=True)
    kept = [handle.id in linear._forward_hooks_always_called, handle.id in linear._forward_hooks_with_kwargs]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        refused = type(error(lambda: linear(3))).__name__
    handle.remove()
    kept += [len(linear._forward_hooks_always_called), len(linear._forward_hooks_with_kwargs)]
    return refused, [str(one.message) for one in caught], kept, error(lambda: linear(m.ones(1, 1))) is None


@story
def a_prefix_is_taken_off_the_paths_of_a_state(m: Any) -> Any:
    whole = m.nn.Sequential(OrderedDict(module=net(m)))
    state = whole.state_dict()
    m.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    return list(state), [*map(str, state._metadata)], net(m).load_state_dict(state)


@story
def a_module_in_bfloat16_and_shared_memory(m: Any) -> Any:
    linear = m.nn.Linear(1, 1).bfloat16()
    return str(linear.weight.dtype), linear.share_memory() is linear
