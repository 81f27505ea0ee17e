"""Subclasses of `Tensor`, and `__torch_function__`, are as in PyTorch; programs without any pay nothing."""

from __future__ import annotations

import copy
import importlib
import operator
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import autograd_lab
from autograd_lab.engine.tensor import overriding
from tests.worlds import Stories, is_alike, said

torch = pytest.importorskip("torch")

answers = Stories()


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """Functions ask no longer once a test is over, so that the tests after it are of programs without subclasses."""
    modules = [importlib.import_module(place) for place in overriding.NAMESPACES.values()]
    before = [dict(vars(module)) for module in modules]
    yield
    for module, names in zip(modules, before, strict=True):
        vars(module).update(names)
    overriding.install.cache_clear()


def logged(m: Any) -> Any:
    """A class of tensors that notes what is asked."""

    class Logged(m.Tensor):  # type: ignore[misc, name-defined]
        calls: list[Any] = []  # noqa: RUF012

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func.__name__ not in ("__repr__", "__get__"):
                cls.calls.append((func.__name__, [one.__name__ for one in types], len(args), kwargs or None))
            return super().__torch_function__(func, types, args, kwargs or {})

    return Logged


@answers
def what_is_computed_from_a_subclass_is_of_that_subclass(m: Any) -> Any:
    class Sub(m.Tensor):  # type: ignore[misc, name-defined]
        pass

    class Below(Sub):
        pass

    F = m.nn.functional
    x, y = m.tensor([1.0, -2.0]).as_subclass(Sub), m.ones(2).as_subclass(Below)
    made = [
        x + 1, 1 - x, x.sum(), m.sin(x), F.relu(x), x[0], x.view(2, 1), m.stack([x, x]), x.detach(), x.data,
        x.max(0), x == x, m.zeros_like(x), x.new_zeros(2), x.double(), m.linalg.norm(x), list(x), m.cat((x, m.ones(1))),
        Sub([1.0, 2.0]), x + y, y + x, m.ones(2) * y, x.add_(1), F.linear(x, m.ones(3, 2)), m.where(x > 0, x, 0.0),
    ]  # fmt: skip
    plain = [type(x.shape) is m.Size, x.tolist(), x.size(0), bool(x[0] > 0), isinstance(x, m.Tensor), len(x)]
    return made, plain, [type(one).__name__ for one in made]


@answers
def gradients_flow_through_a_subclass(m: Any) -> Any:
    class Sub(m.Tensor):  # type: ignore[misc, name-defined]
        pass

    x = m.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 2).as_subclass(Sub)
    z = (y * y).sum()
    z.backward()
    leaf = m.tensor([1.0, 2.0]).as_subclass(Sub).requires_grad_()
    (leaf * leaf).sum().backward()
    names = [node.name() for node in (y.grad_fn, y.grad_fn.next_functions[0][0], z.grad_fn)]
    return x.grad, leaf.grad, leaf.is_leaf, names, m.Tensor._make_subclass(Sub, m.ones(1), True)


@answers
def a_class_is_asked_with_the_function_the_types_and_the_arguments(m: Any) -> Any:
    Logged = logged(m)
    y = m.tensor([1.0, 2.0]).as_subclass(Logged)
    made = [
        y + 1, 1 + y, 1 - y, 2 / y, y @ y, y**2, -y, y > 0, m.add(y, 1), m.sin(y), y.sin(), y.sum(dim=0), y[0],
        m.cat([y, y]), m.ones(2) + y, y.add_(1), y.size(), y.view(2, 1), m.equal(y, y), len(y), float(y[0]), y // 2,
         m.ones(2) + m.ones(2), m.is_tensor(y),
    ]  # fmt: skip
    y[0] = 3.0
    y += 1
    (y.requires_grad_() * 2).sum()
    return made, Logged.calls


@answers
def a_class_that_is_no_tensor_is_asked_too(m: Any) -> Any:
    handled: dict[Any, Any] = {}

    class Scalar:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return handled[func](*args, **(kwargs or {})) if func in handled else NotImplemented

    handled[m.mean] = lambda input: "a mean"
    handled[m.add] = lambda input, other: "a sum"
    one = Scalar()
    return m.mean(one), m.add(m.ones(1), one), said(m, lambda m: m.mul(one, 3)), said(m, lambda m: m.ones(2) + one)


@answers
def what_asks_can_be_disabled_and_modes_see_every_call(m: Any) -> Any:
    Logged, names = logged(m), []

    class Mode(m.overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            names.append((func.__name__, func in (m.Tensor.add, m.sin), kwargs))
            return func(*args, **(kwargs or {}))

    class Doubled(m.overrides.BaseTorchFunctionMode):  # type: ignore[misc, name-defined]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return super().__torch_function__(m.mul if func == m.Tensor.add else func, types, args, kwargs)

    class Plain(m.Tensor):  # type: ignore[misc, name-defined]
        __torch_function__ = m._C._disabled_torch_function_impl

    class Part(m.nn.Parameter):  # type: ignore[misc, name-defined]
        pass

    y = m.ones(2).as_subclass(Logged)
    with m._C.DisableTorchFunctionSubclass():
        plain = [type(y + 1).__name__, type(m.sin(y)).__name__]
    with Mode():
        m.sin(m.ones(2) + 1).sum()
    with Doubled():
        names.append(m.ones(2) * 3 + 2)
    others = m.ones(2).as_subclass(Plain), Part(m.ones(2))
    return plain, Logged.calls, names, [type(each * 2).__name__ for each in others], m.ones(1) + 1


@answers
def functions_of_ones_own_ask_as_well(m: Any) -> Any:
    Logged = logged(m)
    O = m.overrides  # noqa: E741

    def mine(x: Any) -> Any:
        return O.handle_torch_function(mine, (x,), x) if O.has_torch_function((x,)) else "computed"

    y = m.ones(2).as_subclass(Logged)
    told = O.is_tensor_like(y), O.is_tensor_like(3), O.is_tensor_method_or_property(m.Tensor.add)
    return mine(y), mine(m.ones(1)), Logged.calls, told, O.resolve_name(m.add), O.resolve_name(m.Tensor.add)


@answers
def setting_an_attribute_asks_too(m: Any) -> Any:
    Logged = logged(m)
    x = m.ones(2).as_subclass(Logged)
    x.requires_grad = True
    x.grad = m.ones(2)
    x.data = m.zeros(2)
    x.grad = None
    return Logged.calls, x.grad, type(x).__name__


@answers
def what_an_optimizer_clears_is_asked_for(m: Any) -> Any:
    class Holding(m.Tensor):  # type: ignore[misc, name-defined]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if type(func).__name__ == "method-wrapper":  # an attribute: it is that of the tensor inside
                args = [one.__dict__["inner"] if isinstance(one, cls) else one for one in args]
                return func(*args)
            return super().__torch_function__(func, types, args, kwargs or {})

    outer = m.ones(2).as_subclass(Holding)
    outer.inner = m.ones(2, requires_grad=True)
    (outer.inner * 3).sum().backward()
    before = outer.grad.tolist()
    outer.grad = None
    return before, outer.inner.grad


@answers
def methods_of_other_bases_come_first(m: Any) -> Any:
    class Sized:
        def size(self) -> str:
            return "own"

        @property
        def shape(self) -> str:
            return "mine"

    class Mixed(Sized, m.Tensor):  # type: ignore[misc, name-defined]
        def dim(self) -> str:
            return "none"

    class Below(Mixed):
        pass

    made = [m.ones(2).as_subclass(cls) for cls in (Mixed, Below)]
    return [(x.size(), x.shape, x.dim(), x.numel(), type(x + 1).__name__) for x in made]


@pytest.mark.parametrize("story", answers)
def test_a_subclass_is_as_pytorchs(story: Any) -> None:
    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), f"{ours}\n{theirs}"


def test_a_parameter_of_a_class_of_the_users_is_of_that_class() -> None:
    def story(m: Any) -> Any:
        class Sub(m.Tensor):  # type: ignore[misc, name-defined]
            pass

        class Own(m.nn.Parameter):  # type: ignore[misc, name-defined]
            pass

        def is_parameter(*things: Any) -> list[bool]:
            return [isinstance(one, m.nn.Parameter) for one in things]

        made = m.nn.Module()
        made.w, made.b = m.nn.Parameter(m.ones(2, 2).as_subclass(Sub)), m.nn.Parameter(m.zeros(2))
        optimizer = m.optim.SGD(made.parameters(), lr=0.1)
        y = m.nn.functional.linear(m.ones(1, 2), made.w, made.b)
        y.sum().backward()
        optimizer.step()
        found = [list(made.named_parameters()), type(y).__name__, made.w.grad, made.state_dict()]
        found += [made.double().w, made.w.requires_grad_(False), m.nn.init.zeros_(made.w)]
        found += is_parameter(made.w, made.w * 2, m.ones(2).as_subclass(Sub), m.ones(2), 3, Own(m.ones(1)))
        return [*found, isinstance(made.w, Own), isinstance(made.b, Own)]

    assert said(autograd_lab, story) == said(torch, story)


def test_a_class_that_loses_itself_makes_no_parameters() -> None:
    def story(m: Any) -> Any:
        class Lost(m.Tensor):  # type: ignore[misc, name-defined]
            @classmethod
            def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                made = super().__torch_function__(func, types, args, kwargs or {})
                return made.as_subclass(m.Tensor) if isinstance(made, m.Tensor) else made

        return m.nn.Parameter(m.ones(1).as_subclass(Lost))

    assert said(autograd_lab, story) == said(torch, story)


def test_copies_and_pickles_are_of_the_same_class(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kept(autograd_lab.Tensor):
        pass

    Kept.__qualname__ = "Kept"
    monkeypatch.setitem(globals(), "Kept", Kept)  # where pickle looks for it
    x = autograd_lab.ones(2).as_subclass(Kept)
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(other) is Kept
        assert other.tolist() == [1.0, 1.0]


UNTIL_A_SUBCLASS = """
import autograd_lab
from autograd_lab.engine.tensor import overriding
from tests.engine.test_overriding import logged
linear, add = autograd_lab.nn.functional.linear, autograd_lab.Tensor.add
assert type(linear).__name__ == "function"
logged(autograd_lab)
assert autograd_lab.nn.functional.linear == linear
assert type(autograd_lab.nn.functional.linear) is overriding.Asking
assert autograd_lab.Tensor.add is add
"""


def test_functions_are_themselves_until_there_is_a_subclass() -> None:
    subprocess.run([sys.executable, "-c", UNTIL_A_SUBCLASS], check=True)  # where no other test has made one


NAMES = "add sub mul truediv floordiv mod pow matmul eq ne lt le gt ge and_ or_ xor lshift rshift"
OPERATORS = NAMES.split()


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("answers", [True, False])
def test_an_operator_asks_an_operand_that_is_no_tensor(name: str, answers: bool) -> None:
    def story(m: Any) -> Any:
        told: list[Any] = []

        class Wrapped:
            """Not a tensor: it has one."""

            def __init__(self, inside: Any) -> None:
                self.inside = inside

            @classmethod
            def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                told.append(func.__name__.replace("__rdiv__", "__rtruediv__"))
                if not answers:
                    return NotImplemented
                return func(*[getattr(one, "inside", one) for one in args])

        t, found = m.tensor([[3, 1], [1, 2]]), []
        for pair in ((t, Wrapped(t + 1)), (Wrapped(t + 1), t)):
            try:
                found.append(getattr(operator, name)(*pair))
            except TypeError as error:
                found.append(str(error))
        return told, found

    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_leaves_what_it_does_not_know_to_the_other_operand(name: str) -> None:
    def story(m: Any) -> Any:
        class Left:
            """It has an operator of its own for each."""

        for each in ("__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rmatmul__", "__rand__", "__eq__", "__gt__"):
            setattr(Left, each, lambda self, other, each=each: each)
        found = []
        for other in (Left(), None, object()):
            try:
                found.append(getattr(operator, name)(m.tensor([[3, 1], [1, 2]]), other))
            except TypeError as error:
                found.append(str(error))
        return found

    assert said(autograd_lab, story) == said(torch, story)


def test_a_function_among_the_names_of_a_class_becomes_no_method() -> None:
    def story(m: Any) -> Any:
        class Layer(m.nn.Module):  # type: ignore[misc, name-defined]  # a class of either world
            act, add, both, gelu = m.relu, m.add, m.cat, m.nn.functional.gelu
            product, conv = m.matmul, m.conv1d

            def forward(self, x: Any) -> Any:
                long = self.conv(x.view(1, 1, 3), m.ones(1, 1, 2))
                return self.act(x), self.add(x, 2, alpha=3), self.both([x, x]), self.gelu(x), self.product(x, x), long

        x = m.tensor([-1.0, 2.0, 0.5])
        with pytest.raises(TypeError):
            Layer().act()
        return Layer()(x), Layer.act(x)

    assert said(autograd_lab, story) == said(torch, story)
