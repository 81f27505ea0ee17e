"""Containers: modules in a row, in a list, in a dict; parameters in a list, in a dict."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, TypeVar

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn.module import Module
from autograd_lab.nn.parameter import Parameter, typename
from autograd_lab.whose import users_level

L = TypeVar("L", bound="_Listed")


class _Listed(Module):
    """Members under the names "0", "1", ... in `_members()`."""

    def _members(self) -> dict[str, Any]:
        return self._modules

    def _key(self, index: Any) -> str:
        index = operator.index(index)
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of range")
        return str(index % size)

    def __len__(self) -> int:
        return len(self._members())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._members().values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(index)
        return self._members()[self._key(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        setattr(self, self._key(index), value)

    def __delitem__(self, index: Any) -> None:
        gone = set(range(len(self))[index]) if isinstance(index, slice) else {int(self._key(index))}
        self._set([member for position, member in enumerate(self) if position not in gone])

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def _set(self, members: list[Any]) -> None:
        for name in list(self._members()):
            delattr(self, name)
        for position, member in enumerate(members):
            self._put(str(position), member)

    def _put(self, name: str, member: Any) -> None:
        self.add_module(name, member)

    def _part(self, index: slice) -> Any:
        return type(self)(list(self)[index])

    def append(self: L, member: Any) -> L:
        """Add a member at the end."""
        self._put(str(len(self)), member)
        return self

    def extend(self: L, members: Any) -> L:
        """Add members at the end."""
        if not isinstance(members, Iterable):
            kind = f"{type(self).__name__}.extend should be called with an iterable, but got {type(members).__name__}"
            raise TypeError(kind)
        for member in list(members):
            self.append(member)
        return self

    def insert(self, index: int, member: Any) -> Any:
        """Add a member before the one at `index`."""
        members = list(self)
        members.insert(index, member)
        self._set(members)

    def pop(self, index: Any) -> Any:
        """Remove a member, and return it."""
        found = self[index]
        del self[index]
        return found


class Sequential(_Listed):
    """Modules of which each computes with what the one before gave."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """Through all of them."""
        for module in self._modules.values():
            input = module(input)
        return input

    def _key(self, index: Any) -> str:
        super()._key(index)
        return list(self._modules)[operator.index(index)]

    def _part(self, index: slice) -> Any:
        return type(self)(OrderedDict(list(self._modules.items())[index]))

    def insert(self, index: int, module: Any) -> Sequential:
        """Add a module before the one at `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        super().insert(index, module)
        return self

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(other)

    def __mul__(self, times: int) -> Sequential:
        self._check_times(times)
        return Sequential(*list(self) * times)

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Self:
        self._check_times(times)
        return self.extend(list(self) * (times - 1))

    def _check_times(self, times: Any) -> None:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")


class ModuleList(_Listed):
    """A list whose modules are children."""

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(modules if modules is not None else ())

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, other: Iterable[Any]) -> ModuleList:
        return self.extend(other)

    def __repr__(self) -> str:
        """Like neighbours are counted, not repeated."""
        runs: list[list[Any]] = []
        for position, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = position
            else:
                runs.append([position, position, text])
        lines = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in runs
        ]
        inside = "\n".join(lines).replace("\n", "\n  ")
        return f"{self._get_name()}(\n  {inside}\n)" if lines else f"{self._get_name()}()"


class ParameterList(_Listed):
    """A list whose tensors are parameters; what is no tensor is kept as it is."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._values: dict[str, None] = {}
        self.extend(values if values is not None else ())

    def _members(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._values}

    def _put(self, name: str, member: Any) -> None:
        self._values[name] = None
        setattr(self, name, _as_parameter(member))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._put(self._key(index), value)

    def __delattr__(self, name: str) -> None:
        self._values.pop(name, None)
        super().__delattr__(name)

    def __iadd__(self, other: Iterable[Any]) -> ParameterList:
        return self.extend(other)

    def extend(self, values: Any) -> Self:
        """Add members at the end: not the rows of a tensor."""
        if is_tensor(values):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        return super().extend(values)

    def extra_repr(self) -> str:
        return _described(self._members(), lambda tensor: f"{tensor.dtype}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class _Named(Module):
    """Members under names of their own, in `_members()`."""

    def _members(self) -> dict[str, Any]:
        return self._modules

    def __getitem__(self, key: str) -> Any:
        return self._members()[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.add_module(key, value)

    def __delitem__(self, key: str) -> None:
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._members())

    def __iter__(self) -> Iterator[str]:
        return iter(self._members())

    def __contains__(self, key: str) -> bool:
        return key in self._members()

    def keys(self) -> Any:
        """The names."""
        return self._members().keys()

    def items(self) -> Any:
        """Names and members."""
        return self._members().items()

    def values(self) -> Any:
        """The members."""
        return self._members().values()

    def clear(self) -> None:
        """Remove all members."""
        for name in list(self):
            del self[name]

    def pop(self, key: str) -> Any:
        """Remove a member, and return it."""
        found = self[key]
        del self[key]
        return found

    def update(self, members: Any) -> None:
        """Add members from a mapping, or from pairs of name and member."""
        kind = type(self).__name__
        if not isinstance(members, Iterable):
            pairs = "should be called with an iterable of key/value pairs, but got"
            spelled = kind.replace("ParameterDict", "ParametersDict")
            raise TypeError(f"{spelled}.update {pairs} {type(members).__name__}")
        if isinstance(members, Mapping | _Named):
            members = self._in_order(members)
        for position, pair in enumerate(members):
            if not hasattr(pair, "__iter__"):
                wrong = type(pair).__name__
                raise TypeError(f"{kind} update sequence element #{position} should be Iterable; is{wrong}")
            if len(pair) != 2:
                raise ValueError(f"{kind} update sequence element #{position} has length {len(pair)}; 2 is required")
            self[pair[0]] = pair[1]

    def _in_order(self, members: Any) -> Iterable[Any]:
        return members.items()


class Container(Module):
    """A module with children, as early PyTorch had it."""

    def __init__(self, **kwargs: Any) -> None:
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
            "instead.",
            FutureWarning,
            stacklevel=users_level(),
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class ModuleDict(_Named):
    """A dict whose modules are children."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)


class ParameterDict(_Named):
    """A dict whose tensors are parameters; what is no tensor is kept as it is."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _in_order(self, members: Any) -> Iterable[Any]:
        """By name, if the mapping is not said to have an order."""
        ordered = isinstance(members, OrderedDict | ParameterDict)
        return members.items() if ordered else sorted(members.items(), key=operator.itemgetter(0))

    def _members(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._keys}

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def update(self, members: Any) -> None:
        """Add members from a mapping, or from pairs; those of a plain dict in the order of their names."""
        plain = isinstance(members, Mapping) and not isinstance(members, OrderedDict)
        super().update(sorted(members.items()) if plain else members)

    def get(self, key: str, default: Any = None) -> Any:
        """The member of that name, or `default`."""
        return getattr(self, key) if key in self else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The member of that name, which is `default` from now on if there was none."""
        if key not in self:
            self[key] = default
        return self[key]

    def popitem(self) -> tuple[str, Any]:
        """Remove the last member, and return its name and it."""
        return (last := next(reversed(self._keys))), self.pop(last)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new one with these names, of which each is a parameter made of `default`."""
        return ParameterDict((key, default) for key in keys)

    def copy(self) -> ParameterDict:
        """A new one of the same members."""
        return ParameterDict(OrderedDict(self.items()))

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __or__(self, other: ParameterDict) -> ParameterDict:
        (made := self.copy()).update(other)
        return made

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        (made := other.copy()).update(self)
        return made

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self

    def extra_repr(self) -> str:
        return _described(self._members(), typename)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if is_tensor(value) and not isinstance(value, Parameter) else value


def _described(members: dict[str, Any], kind: Any) -> str:
    """A line for each member: its kind and size."""
    lines = []
    for name, member in members.items():
        told = f"Object of type: {type(member).__name__}"
        if isinstance(member, Tensor):
            what = "Parameter" if isinstance(member, Parameter) else "Tensor"
            told = f"{what} containing: [{kind(member)} of size {'x'.join(map(str, member.shape))}]"
        lines.append(f"  ({name}): {told}")
    return "\n".join(lines)
