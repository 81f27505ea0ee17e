"""Paths at which PyTorch has a thing, too, such as `torch.nn.modules.linear`; and what it has that is not here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

from autograd_lab.elsewhere.absent import CAPTURES, NOT_LOADED, UNMADE, named_only
from autograd_lab.elsewhere.absent import why_not as why_not
from autograd_lab.elsewhere.asked_for import (
    CONFIG,
    CPU,
    DISTRIBUTED,
    DYNAMO,
    ELSEWHERE,
    FAKE,
    FX,
    HUB,
    JIT,
    KINDS_OF_NUMBERS,
    KNOWN_SIZES,
    ONNX,
    PROXY,
    UNCOMPILED,
    VERSIONS,
    WORKERS,
)  # fmt: skip
from autograd_lab.elsewhere.torch_version import VERSION as VERSION


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


def kinds_in(names: Mapping[str, Any], base: type) -> dict[str, type]:
    """The classes of some kind among a module's names: libraries look through `vars` of it for one that is named."""
    return {name: kind for name, kind in names.items() if isinstance(kind, type) and issubclass(kind, base)}


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


ALSO: dict[str, tuple[str, dict[str, Any]]] = {
    "torch": ("autograd_lab", {}),
    "functional": ("autograd_lab", {}),
    "special": ("autograd_lab.engine.tensor.names_in_special", {}),
    "overrides": ("autograd_lab.engine.tensor.names_in_overrides", {}),
    "_C": ("autograd_lab.autograd.names_in_c", named_only("_C", CAPTURES, "Value Graph Block ScriptMethod")),
    "_C._nn": ("autograd_lab.nn.conversion", {}),
    "library": ("autograd_lab.autograd.custom_ops", named_only("library", NOT_LOADED, "Library")),
    "ops": ("autograd_lab.autograd.names_in_ops", {}),
    "_tensor_str": ("autograd_lab.engine.numbers.printing", {}),
    "_ops": ("autograd_lab.autograd.names_in_ops", {}),
    "autograd.profiler_legacy": ("autograd_lab.autograd.profiler", {}),
    "profiler": ("autograd_lab.autograd.profiler", {}),
    "distributed": ("autograd_lab.elsewhere", DISTRIBUTED),
    "jit": ("autograd_lab.nn.unscripted", JIT),
    "_dynamo": ("autograd_lab.compiler", DYNAMO),
    "_dynamo.eval_frame": ("autograd_lab.compiler.compiled", {}),
    "_dynamo._trace_wrapped_higher_order_op": ("autograd_lab.elsewhere", {"TransformGetItemToIndex": nullcontext}),
    "fx.experimental": ("autograd_lab.elsewhere", {}),
    "fx.experimental.proxy_tensor": ("autograd_lab.elsewhere", PROXY),
    "_subclasses": ("autograd_lab.elsewhere", FAKE),
    "_subclasses.fake_tensor": ("autograd_lab.elsewhere", FAKE),
    "nn.attention.bias": ("autograd_lab.nn.attention_bias", {}),
    "__config__": ("autograd_lab.elsewhere", CONFIG),
    "cpu": ("autograd_lab.elsewhere", CPU),
    "cpu.amp": ("autograd_lab.amp.on_cpu", {}),
    "onnx": ("autograd_lab.elsewhere", ONNX),
    "fx.experimental.symbolic_shapes": ("autograd_lab.elsewhere", KNOWN_SIZES),
    "utils._python_dispatch": ("autograd_lab.elsewhere", {"is_traceable_wrapper_subclass": lambda thing: False}),
    "_inductor": ("autograd_lab.elsewhere", {"config": SimpleNamespace()}),
    "hub": ("autograd_lab.elsewhere", HUB),
    "fx": ("autograd_lab.elsewhere", FX),
    "__future__": ("autograd_lab.nn.conversion", {}),
    "_jit_internal": ("autograd_lab.nn.unscripted", UNCOMPILED),
    "types": ("autograd_lab", KINDS_OF_NUMBERS),
    "multiprocessing": ("multiprocessing", WORKERS),
    "utils.hooks": ("autograd_lab.engine.modes.handles", {}),
    "utils.flop_counter": ("autograd_lab.nn.flop_counter", {}),
    "utils._foreach_utils": ("autograd_lab.engine.tensor.foreach", {}),
    "utils.data._utils": ("autograd_lab.utils.data", {}),
    "utils.data._utils.collate": ("autograd_lab.utils.data.collate", {}),
    "utils.model_zoo": ("autograd_lab.elsewhere", HUB),
    "_vmap_internals": ("autograd_lab.func.vmap", {}),
    "version": ("autograd_lab", VERSIONS),
    **{path: ("autograd_lab.elsewhere", named_only(path, *what)) for path, what in ELSEWHERE.items()},
}
"""Modules of `torch` that are other modules here, and what they have besides."""
ALSO["sparse"][1]["torch"] = sys.modules["autograd_lab"]  # older programs say torch.sparse.torch.eye
ALSO["nn.attention.flex_attention"][1]["_DEFAULT_SPARSE_BLOCK_SIZE"] = 128
RARE = {
    "cuda": "Event Stream",
    "elsewhere.absent": " ".join(["PyTorchFileReader PyTorchFileWriter", *UNMADE]),
    "engine.tensor.gammas": "_dirichlet_grad _standard_gamma _standard_gamma_grad",
    "futures": "Future",
    "nn.unscripted": "ScriptFunction ScriptModule",
    "utils.dlpack": "from_dlpack to_dlpack",
}
"""Names of `torch` that are in other modules here, and not imported before they are asked for."""
UNOFFERED = {"load_ipython_extension", *" ".join(RARE.values()).split()}
"""Names that `import *` does not bring."""
