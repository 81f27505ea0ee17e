"""What conversions do with a module's tensors: `torch.__future__`, `swap_tensors`, what `Module.to` takes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import autograd_lab
from tests.programs import error
from tests.worlds import Stories, filled, said

torch = pytest.importorskip("torch")
story = Stories()


@pytest.fixture(autouse=True)
def nothing_is_wished_for() -> Iterator[None]:
    yield
    for m in (torch, autograd_lab):
        m.__future__.set_swap_module_params_on_conversion(False)
        m.__future__.set_overwrite_module_params_on_conversion(False)


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


def trained(m: Any) -> Any:
    linear = filled(m.nn.Linear(2, 1))
    linear(m.ones(1, 2)).sum().backward()
    return linear


def converted(m: Any) -> Any:
    linear = trained(m)
    before = linear.weight, linear.weight.grad
    linear.double()
    now = linear.weight, linear.weight.grad
    same = [old is new for old, new in zip(before, now, strict=True)]
    return same, [str(one.dtype) for one in (*before, *now)], now[0].tolist(), type(now[0]).__name__


@story
def a_conversion_changes_overwrites_or_swaps_parameters(m: Any) -> Any:
    told = [converted(m)]
    m.__future__.set_overwrite_module_params_on_conversion(True)
    told.append(converted(m))
    m.__future__.set_swap_module_params_on_conversion(True)
    told.append(converted(m))
    wishes = m.__future__.get_overwrite_module_params_on_conversion, m.__future__.get_swap_module_params_on_conversion
    return told, [wish() for wish in wishes]


@story
def swapped_tensors_exchange_all_but_their_identity(m: Any) -> Any:
    class Mine(m.Tensor):  # type: ignore[name-defined,misc]
        pass

    one, two = m.ones(2, requires_grad=True), m.zeros(3, dtype=m.float64).as_subclass(Mine)
    one.grad, two.named = m.full((2,), 5.0), "mine"
    m.utils.swap_tensors(one, two)
    return [type(one).__name__, type(two).__name__, one.named, one.tolist(), two.grad.tolist(), two.requires_grad]


@story
def a_backward_pass_into_a_swapped_leaf_is_refused(m: Any) -> Any:
    m.__future__.set_swap_module_params_on_conversion(True)
    linear = filled(m.nn.Linear(2, 1))
    out = linear(m.ones(1, 2)).sum()
    linear.half()
    refused = error(out.backward)
    linear(m.ones(1, 2, dtype=m.float16)).sum().backward()
    return refused, str(linear.float().weight.grad.dtype)


@story
def a_state_is_swapped_in_if_that_is_wished(m: Any) -> Any:
    m.__future__.set_swap_module_params_on_conversion(True)
    one, two = filled(m.nn.Linear(2, 1)), m.nn.Linear(2, 1)
    weight = two.weight
    two.load_state_dict(one.state_dict())
    told = [two.weight is weight, two.weight.tolist(), type(weight).__name__, weight.requires_grad]
    two.load_state_dict(one.state_dict(), assign=True)
    return told, two.weight is weight, two.weight.data_ptr() == one.weight.data_ptr()


@story
def a_conversion_in_place_moves_the_versions(m: Any) -> Any:
    linear = trained(m)
    out = (linear.weight * linear.weight).sum()
    linear._apply(lambda tensor: tensor.add_(1.0))
    return linear.weight._version > 0, linear.weight.grad._version, error(out.backward) is not None


@story
def the_conversions_of_the_modules_below_are_their_own(m: Any) -> Any:
    class Stays(m.nn.Linear):  # type: ignore[name-defined,misc]
        def _apply(self, *_: Any, **__: Any) -> Any:
            return self

    return [str(one.dtype) for one in m.nn.Sequential(m.nn.Linear(1, 1), Stays(1, 1)).double().parameters()]


@story
def modules_are_converted_to_what_makes_sense_only(m: Any) -> Any:
    linear, cpu = m.nn.Linear(1, 1), m.device("cpu")
    right = [linear.to(cpu, m.float64, True), linear.to(m.float16, True), linear.to(tensor=m.ones(1)), linear.to()]
    wrong = [
        lambda: linear.to(cpu, True),
        lambda: linear.to([]),
        lambda: linear.to(m.int64),
        lambda: linear.to(m.float64, m.float64),
        lambda: linear.to(cpu, copy=True),
        lambda: linear.to(None, True),
        lambda: linear.to(cpu, m.tensor(1), non_blocking=True),
    ]
    return [one is linear for one in right], [type(error(call)).__name__ for call in wrong]


@story
def later_bases_are_initialised_if_asked_for(m: Any) -> Any:
    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

    class Net(m.nn.Module, Named):  # type: ignore[name-defined,misc]
        call_super_init = True

    class Other(m.nn.Module, Named):  # type: ignore[name-defined,misc]
        pass

    return Net("net").name, error(lambda: Other("other"))


@story
def a_tensor_is_read_from_its_end(m: Any) -> Any:
    return reversed(m.arange(6).reshape(3, 2)), reversed(m.tensor(1.0))


def test_modules_pickled_with_hooks_of_older_kinds_are_read() -> None:
    linear = autograd_lab.nn.Linear(1, 1)
    linear.register_forward_hook(print)
    del linear._hooks.partial, linear._hooks.full
    assert pickle.loads(pickle.dumps(linear))(autograd_lab.ones(1, 1)).shape == (1, 1)
