"""Paths at which PyTorch has a thing, too, such as `torch.nn.modules.linear`; and what it has that is not here."""

from __future__ import annotations

import importlib
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, Final

NOT_HERE = {
    **dict.fromkeys(
        ("complex32", "complex64", "complex128", "cfloat", "cdouble", "chalf", "complex", "polar", "view_as_complex"),
        "there are no complex numbers here",
    ),
    **dict.fromkeys(("fft", "stft", "istft"), "there are no complex numbers here, and so no Fourier transforms"),
    **dict.fromkeys(
        ("sparse", "sparse_coo", "sparse_coo_tensor", "sparse_csr", "sparse_csr_tensor", "spmm", "hspmm", "nested"),
        "all tensors here are dense",
    ),
    **dict.fromkeys(
        ("export", "onnx", "package"),
        "programs run as they are written; `torch.compile` captures functions",
    ),
    **dict.fromkeys(("multiprocessing", "futures"), "there is one process; `autograd_lab.parallel` splits layers"),
    **dict.fromkeys(
        ("quantization", "ao", "quantize_per_tensor", "qint8", "quint8", "qint32", "int4", "uint4"),
        "there are no quantised numbers here",
    ),
    "monitor": "memory and gradients of a run are in its recording: `autograd_lab.record`",
    **dict.fromkeys(("mtia", "hip"), "there is one device, the CPU"),
    **dict.fromkeys(("library", "ops", "classes"), "the engine is plain Python: nothing is loaded into it"),
    **dict.fromkeys(
        ("eig", "eigvals", "svd_lowrank", "pca_lowrank"),
        "of the decompositions of matrices there are svd, eigh, qr, lu, ldl and cholesky, and `linalg.lstsq`",
    ),
}
"""Why some names of PyTorch are not here."""
FLAT = "layers here are for sequences and pictures, and not for three dimensions"


def why_not(name: str, module: str = "autograd_lab") -> AttributeError:
    """The error for a name that a module does not have: with the reason, if PyTorch has it."""
    reason = NOT_HERE.get(name) or (FLAT if name.endswith("3d") else None)
    return AttributeError(f"module {module!r} has no attribute {name!r}" + (f": {reason}" if reason else ""))


def missing(module: str) -> Any:
    """The `__getattr__` of a module: an error with the reason for what PyTorch has there and this engine has not."""

    def refuse(name: str) -> Any:
        raise why_not(name, module)

    return refuse


def also(path: str, *targets: str, **extra: Any) -> ModuleType:
    """Have a module at a path, too: one that looks everything up in others, in turn, and has some names of its own."""
    module = ModuleType(path, f"What PyTorch has at this path: all of {targets[0]}.")
    module.__path__ = []  # so that there may be modules below
    vars(module).update(extra, __getattr__=lambda name: _looked_up(targets, path, name))
    sys.modules[path] = module
    parent, _, name = path.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], name, module)
    return module


def _looked_up(targets: tuple[str, ...], path: str, name: str) -> Any:
    first = importlib.import_module(targets[0])
    if name == "__all__":
        return [each for each in first.__all__ if not isinstance(getattr(first, each), ModuleType)]
    if name.startswith("__"):
        raise AttributeError(f"module {path!r} has no attribute {name!r}")
    for target in targets[1:]:
        if name in vars(module := importlib.import_module(target)):
            return getattr(module, name)
    return getattr(first, name)


class TorchVersion(str):
    """A version that is greater than another by its numbers: 2.13 comes after 2.9."""

    __slots__ = ()
    __module__ = "torch.torch_version"
    __hash__ = str.__hash__

    def _numbers(self, other: Any) -> tuple[list[int], list[int]]:
        """Both as lists of numbers, of one length, and whether something local to it follows."""
        parts = [re.findall(r"\d+", one.partition("+")[0]) if isinstance(one, str) else one for one in (self, other)]
        most = max(map(len, parts))
        filled = [[*map(int, part), *[0] * (most - len(part))] for part in parts]
        return [*filled[0], "+" in self], [*filled[1], "+" in other]

    def __lt__(self, other: Any) -> bool:
        first, second = self._numbers(other)
        return first < second

    def __le__(self, other: Any) -> bool:
        first, second = self._numbers(other)
        return first <= second

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __ge__(self, other: Any) -> bool:
        return not self < other


OWN = "0.1.0"
"""This package's version."""
VERSION = TorchVersion(f"2.13.0+autograd_lab.{OWN}")
"""The PyTorch that is spelled here, and what spells it: what programs and libraries read to know what there is."""


def as_it_is(function: Any = None, *args: Any, **named: Any) -> Any:
    """The function itself: what `torch.jit` would compile runs as Python."""
    return function if callable(function) else as_it_is


def never() -> bool:
    """False: nothing is compiled or traced."""
    return False


def nothing(*args: Any, **named: Any) -> None:
    """What only a compiler would listen to."""


def not_loaded(*args: Any, **named: Any) -> Any:
    """What `torch.hub` would bring: modules are imported that have it as a choice."""
    raise NotImplementedError(
        "nothing is loaded from the net, and weights that PyTorch has saved are pickles, which are not read here"
    )


def unseen(name: str) -> type:
    """A kind of `torch.fx`, of which there is never an object here: libraries ask whether a model is one."""

    def refuse(self: Any, *args: Any, **named: Any) -> None:
        raise NotImplementedError("programs run as they are written; `torch.compile` captures functions")

    return type(name, (), {"__init__": refuse, "__module__": "torch.fx"})


AS_IT_IS = dict.fromkeys(
    (
        "script", "script_if_tracing", "script_method", "trace", "freeze", "optimize_for_inference", "ignore", "unused",
        "export", "interface",
    ),
    as_it_is,
)  # fmt: skip
JIT = {**AS_IT_IS, "is_scripting": never, "is_tracing": never, "Final": Final}
"""What programs say of `torch.jit` so that they would run compiled, too."""
MARKS = dict.fromkeys(
    ["mark_dynamic", "maybe_mark_dynamic", "mark_static", "mark_static_address", "graph_break"], nothing
)
DYNAMO = {"config": SimpleNamespace(), **MARKS}
"""What they tell the compiler itself: settings and hints."""
HUB = dict.fromkeys(
    ["load", "list", "help", "load_state_dict_from_url", "load_url", "download_url_to_file"], not_loaded
)
"""What model files import for weights that were trained before."""

DISTRIBUTED = {"is_available": never, "is_initialized": never, "nn": ModuleType("torch.distributed.nn")}
"""What programs ask of `torch.distributed` before they do without it."""

KINDS_OF_GRAPHS = {name: unseen(name) for name in ("Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer")}
FX = {**KINDS_OF_GRAPHS, "wrap": as_it_is, "symbolic_trace": KINDS_OF_GRAPHS["Graph"]}
"""What programs import of `torch.fx` in case a model was traced."""

ALSO: dict[str, tuple[str, dict[str, Any]]] = {
    "functional": ("", {}),
    "special": (".engine.tensor.names_in_special", {}),
    "overrides": (".engine.tensor.names_in_overrides", {}),
    "_C": (".autograd.names_in_c", {}),
    "profiler": (".autograd.profiler", {}),
    "distributed": (".elsewhere", DISTRIBUTED),
    "jit": (".nn.unscripted", JIT),
    "_dynamo": (".compiler", DYNAMO),
    "_inductor": (".elsewhere", {"config": SimpleNamespace()}),
    "hub": (".elsewhere", HUB),
    "fx": (".elsewhere", FX),
    "__future__": (".nn.conversion", {}),
    "utils.hooks": (".engine.modes.handles", {}),
    "utils.model_zoo": (".elsewhere", HUB),
    "version": ("", {"cuda": None, "hip": None, "debug": False, "__version__": VERSION, "autograd_lab": OWN}),
}
"""Modules of `torch` that are other modules here, and what they have besides."""
