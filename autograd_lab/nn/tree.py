"""`Tree`: a module's parameters, buffers and children: how attributes become them, and how they are all found again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn.everywhere import registered
from autograd_lab.nn.parameter import Buffer, Parameter, typename

KINDS = ("_parameters", "_buffers", "_modules")


class Tree:
    """What a module owns, in three dicts: `_parameters`, `_buffers` and `_modules`."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __init__(self) -> None:
        self.__dict__.update(_parameters={}, _buffers={}, _modules={}, _non_persistent_buffers_set=set())

    # --- attributes ------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for kind in KINDS:
            if kind in own and name in own[kind]:
                return own[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._begun("parameters")
            self._forget(name, own, self._buffers, self._modules)
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            if value is not None:
                expected = "(torch.nn.Parameter or None expected)"
                raise TypeError(f"cannot assign '{typename(value)}' as parameter '{name}' {expected}")
            self.register_parameter(name, value)
        elif isinstance(value, Tree):
            self._begun("module")
            self._forget(name, own, self._parameters, self._buffers)
            self._modules[name] = registered("module", self, name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                expected = "(torch.nn.Module or None expected)"
                raise TypeError(f"cannot assign '{typename(value)}' as child module '{name}' {expected}")
            self._modules[name] = value
        elif isinstance(value, Buffer) or name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                expected = "(torch.nn.Buffer, torch.Tensor or None expected)"
                raise TypeError(f"cannot assign '{typename(value)}' as buffer '{name}' {expected}")
            self._begun("buffer")
            persistent = name not in self._non_persistent_buffers_set
            self.register_buffer(name, value, value.persistent if isinstance(value, Buffer) else persistent)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        for kind in KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        own = {name for kind in KINDS for name in self.__dict__[kind] if not name[0].isdigit()}
        return sorted({*super().__dir__(), *own})

    def _begun(self, what: str) -> None:
        if "_modules" not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")

    def _forget(self, name: str, *places: dict[str, Any]) -> None:
        for place in places:
            place.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    # --- registration ----------------------------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter, or None for one that there could be."""
        self._check_name("parameter", name, self._own("parameter"))
        if param is not None and not isinstance(param, Parameter):
            required = "(torch.nn.Parameter or None required)"
            raise TypeError(f"cannot assign '{typename(param)}' object to parameter '{name}' {required}")
        if param is not None and not param.is_leaf:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param if param is None else registered("parameter", self, name, param)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a tensor that is no parameter; it is saved in the `state_dict` if `persistent`."""
        self._check_name("buffer", name, self._own("buffer"))
        if tensor is not None and not isinstance(tensor, Tensor):
            required = "(torch Tensor or None required)"
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}' {required}")
        self._buffers[name] = registered("buffer", self, name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Any) -> None:
        """Add a child."""
        if module is not None and not isinstance(module, Tree):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, self._own("module"))
        self._modules[name] = registered("module", self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """Add a child, as `add_module` does."""
        self.add_module(name, module)

    def _own(self, what: str) -> dict[str, Any]:
        self._begun(what)
        return self.__dict__[f"_{what}s"]

    def _check_name(self, what: str, name: Any, known: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        exists = hasattr(self, name) and name not in known
        if exists and what == "module":
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if not name:
            raise KeyError(f'{what} name can\'t be empty string ""')
        if exists:
            raise KeyError(f"attribute '{name}' already exists")

    # --- finding ---------------------------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """The children, each once, with their names."""
        yield from _each_once(((name, child) for name, child in self._modules.items() if child is not None))

    def children(self) -> Iterator[Any]:
        """The children, each once."""
        return (child for _, child in self.named_children())

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """The module itself, then all below it, with their paths; each once."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(seen, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[Any]:
        """The module itself, then all below it, each once."""
        return (module for _, module in self.named_modules())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths, of the modules below too if `recurse`."""
        return self._named(lambda module: module._parameters, prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their paths, of the modules below too if `recurse`."""
        return self._named(lambda module: module._buffers, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named(
        self, members: Callable[[Any], dict[str, Any]], prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        modules: Iterable[tuple[str, Any]] = [(prefix, self)]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        found = (
            (f"{path}.{name}" if path else name, member)
            for path, module in modules
            for name, member in members(module).items()
            if member is not None
        )
        return _each_once(found) if remove_duplicate else found

    def get_submodule(self, target: str) -> Any:
        """The module at a path such as `layers.0`. Raises AttributeError if there is none."""
        found: Any = self
        for name in target.split(".") if target else ():
            found = found._at(name)
            if not isinstance(found, Tree):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put a module at a path; with `strict`, only in place of another one."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        if not isinstance(module, Tree):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(parent._at(name), Tree):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as `layers.0.weight`. Raises AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._at(name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path. Raises AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found: Tensor = module._at(name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    def _at(self, name: str) -> Any:
        if not hasattr(self, name):
            raise AttributeError(f"{type(self).__name__} has no attribute `{name}`")
        return getattr(self, name)


def _each_once(named: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    seen: set[int] = set()
    for name, thing in named:
        if id(thing) not in seen:
            seen.add(id(thing))
            yield name, thing
