"""`__torch_function__`: a class of the user's own is asked before anything is done with one of its tensors.

Who has no such class pays nothing. The first one puts what asks in the place of the functions of `torch`, and each has
what asks in the place of the methods and attributes that it has from `Tensor`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from autograd_lab.engine.core import variable
from autograd_lab.engine.core.apply import NUMBERS
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.signatures import refusal
from autograd_lab.engine.modes.pickled_functions import keep_one
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, of_one_dtype
from autograd_lab.engine.ops.shape.stacking import aliased

Function = Callable[..., Any]
OPERANDS = (Variable, *NUMBERS)
NAMESPACES = {
    "torch": "autograd_lab",
    "torch.nn.functional": "autograd_lab.nn.functional",
    "torch.linalg": "autograd_lab.linalg",
    "torch.special": "autograd_lab.engine.tensor.names_in_special",
    "torch.autograd": "autograd_lab.autograd",
}
"""What PyTorch calls the modules whose functions ask, and where they are here."""
SPELLED = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul", "__truediv__": "div",
    "__mod__": "remainder", "__matmul__": "matmul", "__pow__": "pow", "__neg__": "neg", "__pos__": "positive",
    "__abs__": "abs", "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__imod__": "remainder_",
    "__ipow__": "pow_", "__ifloordiv__": "floor_divide_",
}  # fmt: skip
"""Operators that PyTorch tells of as of methods."""
OPERATORS = (
    "__rsub__ __rtruediv__ __rmod__ __floordiv__ __rfloordiv__ __rpow__ __rmatmul__ __and__ __rand__ __or__ "
    "__ror__ __xor__ __rxor__ __invert__ __lshift__ __rshift__ __rlshift__ __rrshift__ __getitem__ __setitem__ __len__ "
    "__contains__ __bool__ __float__ __int__ __index__ __array__ __format__ __repr__ __deepcopy__"
)
"""Those that it tells of by their own names."""
HOMES = (
    *["autograd_lab.engine.ops", "autograd_lab.engine.tensor", "autograd_lab.engine.exact.gradients"],
    "autograd_lab.engine.modes.pickled_functions",
)
"""Where else the functions of those modules are at home, as far as they ask."""
ENGINES = ("autograd_lab", "torch")
"""Whose classes are none of the user's."""
ATTRIBUTE = ("__get__", "__set__", "__delete__")
"""What is done with an attribute: functions of those names are told of."""
NEVER = {"as_subclass", "is_tensor", "tensor", "as_tensor", "asarray", "from_numpy", "typename"}
NEVER |= {"handle_torch_function", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"}
"""What is not asked about."""

MULTIPLE = "Multiple dispatch failed for '{}'; all __torch_function__ handlers returned NotImplemented:"
MORE = "For more information, try re-running with TORCH_LOGS=not_implemented"


class _Now(threading.local):
    """Whether this thread asks nobody, and the modes that it is in, the innermost last."""

    off = False
    modes: tuple[Any, ...] = ()


now = _Now()


class DisableTorchFunctionSubclass:
    """Inside, no class is asked."""

    def __enter__(self) -> None:
        self._before = now.off
        now.off = True

    def __exit__(self, *_: object) -> None:
        now.off = self._before


def disabled(func: Function, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The `__torch_function__` of a class whose tensors make plain ones."""
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


def askers(args: Any, kwargs: dict[str, Any]) -> list[Any]:
    """Of each class that is to be asked one argument, a subclass before what it is one of; none inside of a disabled
    region."""
    found: list[Any] = []
    for one in _each([*args, *kwargs.values()]) if not now.off else ():
        kind = type(one)
        ask = getattr(kind, "__torch_function__", None)
        if ask is None or ask is disabled or kind is variable.Tensor or any(type(other) is kind for other in found):
            continue
        before = [at for at, other in enumerate(found) if issubclass(kind, type(other))]
        found.insert(before[0] if before else len(found), one)
    return found


def _each(things: Any) -> Iterator[Any]:
    """Arguments, and what is in lists of them."""
    for thing in things:
        if type(thing) in (list, tuple):
            yield from thing
        else:
            yield thing


def called(func: Any, raw: Function, args: Any, kwargs: dict[str, Any]) -> Any:
    """What comes of a call: of `func`, as it is asked about, or else of `raw`."""
    asked = askers(args, kwargs)
    return ask(func, asked, args, kwargs) if asked or (now.modes and not now.off) else raw(*args, **kwargs)


def ask(func: Any, asked: list[Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """What the innermost mode makes of a call, or else the first class that answers."""
    types = tuple(map(type, asked))
    named = (kwargs,) if kwargs or not _in_c(func) else ()
    if now.modes and not now.off:
        *outer, mode = before = now.modes
        now.modes = tuple(outer)
        try:
            return mode.__torch_function__(func, types, args, *named)
        finally:
            now.modes = before
    for one in asked:
        answer = one.__torch_function__(func, types, args, *named)
        if answer is not NotImplemented:
            return answer
    name = name_of(func)
    if name.startswith("torch.") and not name.startswith("torch.nn"):
        tried = "".join(f"\n  - tensor subclass {one}" for one in types)
        raise TypeError(f"{MULTIPLE.format(name)}\n{tried}\n\n{MORE}")
    raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}")


class Asking:
    """A function of `torch` that asks. To whoever keeps functions in a dict it is the function itself."""

    def __init__(self, function: Function, path: str) -> None:
        functools.update_wrapper(self, function)
        self.raw, self.path = function, path

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return called(self, self.raw, args, kwargs)

    def __reduce__(self) -> Any:
        return _found, self.path.rpartition(".")[::2]

    def __eq__(self, other: object) -> bool:
        return self is other or self.raw is other

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return repr(self.raw)


def _found(place: str, name: str) -> Any:
    """What stands under a name: what a pickle of a function is."""
    return getattr(importlib.import_module(NAMESPACES[place]), name)


def _in_c(func: Any) -> bool:
    """Whether PyTorch has the function in C: those leave `kwargs` away where there are none."""
    name = name_of(func)
    return name.startswith("torch.") and not name.startswith("torch.nn")


def name_of(func: Any) -> str:
    """What PyTorch calls a function or a method."""
    if isinstance(func, Asking):
        return func.path
    name = func.__name__
    if name in ATTRIBUTE or getattr(variable.Tensor, name, None) == func:
        return f"torch.Tensor.{name}"
    return f"{func.__module__}.{name}"


def rescued(function: Function, name: str, args: Any, kwargs: dict[str, Any], error: Exception) -> Any:
    """What classes make of a call after all, of which an argument was refused since it is no tensor.

    Raises PyTorch's TypeError if it takes no such arguments, and else the error that the call had.
    """
    asked = askers(args, kwargs) if isinstance(error, TypeError | AttributeError) else []
    if not asked and _is_a_method(function, args):
        return function(*args[1:], **kwargs)
    if not asked:
        try:
            raise refusal(name, args, kwargs) or error from None
        finally:
            del error  # which a frame below it would keep alive, and it all frames
    install()
    return ask(Asking(function, f"torch.{function.__name__}"), asked, args, kwargs)


def _is_a_method(function: Function, args: Any) -> bool:
    """Whether a class has the function among its names, as `act = torch.relu`, and so Python made it a method.

    PyTorch's functions are C's, of which it makes none.
    """
    if not args or isinstance(args[0], Variable):
        return False
    own = inspect.unwrap(function)
    names = (one for kind in type(args[0]).__mro__ for one in vars(kind).values())
    return any(isinstance(one, FunctionType) and inspect.unwrap(one) is own for one in names)


def foreign(name: str, tensor: Any, other: Any) -> Any:
    """What an operator makes of an operand that is neither tensor nor number: what its class says, if that is asked."""
    if not (asked := askers((tensor, other), {})):
        is_array = name == "eq" and isinstance(other, np.ndarray) and other.dtype in BY_NUMPY
        return tensor == wrap(of_one_dtype(other)) if is_array else NotImplemented
    install()
    try:
        return ask(getattr(variable.Tensor, name), asked, (tensor, other), {})
    except TypeError:
        return NotImplemented


def operator(name: str, function: Function, spelled: str = "") -> Function:
    """The function as an operator: of operands that it does not know their classes are asked."""

    def __operator__(self: Any, other: Any) -> Any:
        return function(self, other) if isinstance(other, OPERANDS) else foreign(spelled or name, self, other)

    __operator__.__name__, __operator__.__doc__ = name, function.__doc__
    return __operator__


@functools.cache
def install() -> None:
    """Have the functions of `torch` ask, from now on."""
    for name, place in NAMESPACES.items():
        module = importlib.import_module(place)
        for each, function in list(vars(module).items()):
            known = isinstance(function, FunctionType) and each[0] != "_" and each not in NEVER
            if known and getattr(function, "__wrapped__", function).__module__.startswith((place, *HOMES)):
                if function.__module__ == place:
                    keep_one(function, name.rpartition(".")[2], each)
                setattr(module, each, Asking(function, f"{name}.{each}"))


def have_ask(cls: type) -> None:
    """Have the methods and attributes ask that a class has from `Tensor`, and not of its own or another's."""
    install()
    own = {name for one in cls.__mro__ if not issubclass(variable.Tensor, one) for name in _written(one)}
    for name, what in inherited():
        if name not in own:
            setattr(cls, name, what)
    if "__iter__" not in vars(cls):
        cls.__iter__ = lambda self: iter(self.unbind(0))  # type: ignore[attr-defined]  # so that they are of the class


def _written(cls: type) -> Iterable[str]:
    """What a class has in its own words: not what is of the engine, nor what was made to ask."""
    if cls.__module__.partition(".")[0] in ENGINES:
        return ()
    asking = dict(inherited())
    return [name for name, what in vars(cls).items() if what is not asking.get(name)]


@functools.cache
def inherited() -> tuple[tuple[str, Any], ...]:
    """The methods and attributes of `Tensor`, each as one that asks."""
    Tensor = variable.Tensor
    named = {name: name for name in dir(Tensor) if name[0] != "_" and name not in NEVER} | SPELLED
    named |= {name: name for name in (*OPERATORS.split(), "_base")}
    asking: list[tuple[str, Any]] = []
    for name, spelled in named.items():
        what = getattr(Tensor, name, None)
        if isinstance(what, property):
            asking.append((name, _attribute(what)))
        elif isinstance(what, FunctionType):
            asking.append((name, (AskingOperator if name in SPELLED else AskingMethod)(getattr(Tensor, spelled))))
    return tuple(asking)


class AskingMethod(Asking):
    """A method that asks: `torch.Tensor.add` where it stands in for that, inside of a mode."""

    def __init__(self, function: Function) -> None:
        super().__init__(function, "")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return called(self.raw, self.raw, args, kwargs)

    def __get__(self, tensor: Any, kind: type | None = None) -> Any:
        return self if tensor is None else MethodType(self, tensor)


class AskingOperator(AskingMethod):
    """An operator that asks; where nobody takes its operands, Python tries the other one's."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except TypeError:
            return NotImplemented


def _attribute(what: property) -> property:
    """An attribute that asks when it is read, and when it is set or deleted."""
    get, put, drop = what.__get__, what.__set__, what.__delete__
    return property(
        lambda self: called(get, get, (self,), {}),
        what.fset and (lambda self, value: called(put, put, (self, value), {})),
        what.fdel and (lambda self: called(drop, drop, (self,), {})),
        what.__doc__,
    )


class Subclassable(Variable):
    """A tensor, as far as there are classes of the user's own that are tensors."""

    __slots__ = ()

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        own = cls.__module__.partition(".")[0] in ENGINES  # as those that compile makes
        if not own and cls.__torch_function__ is not disabled:
            have_ask(cls)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What a call gives, as tensors of this class: what classes do that have no such method of their own."""
        if not all(issubclass(cls, one) for one in types):
            return NotImplemented
        made = disabled(func, types, args, kwargs)
        return made if func in (variable.Tensor.grad.__get__, variable.Tensor._base.__get__) else _as(made, cls)

    def as_subclass(self, cls: type) -> Any:
        """The same elements, history included, as a tensor of another class."""
        with DisableTorchFunctionSubclass():
            made = aliased(self)  # type: ignore[arg-type]  # it is a Tensor
        made.__class__ = cls
        return made

    @staticmethod
    def _make_subclass(cls: type, data: Any, require_grad: bool = False) -> Any:
        with DisableTorchFunctionSubclass():
            made = data.detach().requires_grad_(require_grad)
        made.__class__ = cls
        return made


def _as(made: Any, cls: type) -> Any:
    """Tensors, and those in tuples and lists, as ones of a class."""
    if isinstance(made, Variable):
        return made if isinstance(made, cls) else made.as_subclass(cls)
    if isinstance(made, tuple | list):
        found = [_as(one, cls) for one in made]
        return type(made)._make(found) if hasattr(made, "_make") else type(made)(found)
    return made
