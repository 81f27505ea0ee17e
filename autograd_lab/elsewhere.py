"""Paths at which PyTorch has a thing, too, such as `torch.nn.modules.linear`; and what it has that is not here."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any, Final, NoReturn

CAPTURES = "programs run as they are written; `torch.compile` captures functions"
DENSE = "all tensors here are dense"
FOURIER = "there are no complex numbers here, and so no Fourier transforms"
ONE_PROCESS = "there is one process; `autograd_lab.parallel` splits layers"
NOT_LOADED = "the engine is plain Python: nothing is loaded into it"
UNCOUNTED = "operations are not counted"
FLEXIBLE = "attention by a program of one's own is not here: give `scaled_dot_product_attention` a mask"
NOT_HERE = {
    **dict.fromkeys(("spmm", "hspmm"), DENSE),
    "package": CAPTURES,
    **dict.fromkeys(
        ("quantization", "ao", "quantize_per_tensor", "int4", "uint4"),
        "there are no quantised numbers here",
    ),
    "monitor": "memory and gradients of a run are in its recording: `autograd_lab.record`",
    **dict.fromkeys(("mtia", "hip"), "there is one device, the CPU"),
    "classes": NOT_LOADED,
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


def unseen(name: str, module: str, why: str) -> type:
    """A kind of which there is never an object here: libraries import it, and ask whether a thing is one."""

    def refuse(self: Any, *args: Any, **named: Any) -> None:
        raise NotImplementedError(why)

    of = classmethod(lambda kind, item: kind)  # as an annotation: `Future[Tensor]`
    return type(name, (), {"__init__": refuse, "__class_getitem__": of, "__module__": module})


def named_only(module: str, why: str, names: str) -> dict[str, Any]:
    """What libraries import of a module in case they need it, which says why it is not here once it is called."""
    return {name: unseen(name, f"torch.{module}", why) for name in names.split()}


AS_IT_IS = dict.fromkeys(
    (
        "script", "script_if_tracing", "script_method", "trace", "freeze", "optimize_for_inference", "ignore", "unused",
        "export", "interface", "_overload", "_overload_method",
    ),
    as_it_is,
)  # fmt: skip
JIT = {**AS_IT_IS, "is_scripting": never, "is_tracing": never, "Final": Final}
"""What programs say of `torch.jit` so that they would run compiled, too."""
KNOWN_SIZES = {
    **dict.fromkeys(["guard_or_false", "guard_or_true", "statically_known_true", "guard_size_oblivious"], bool),
    **dict.fromkeys(["free_symbols", "free_unbacked_symbols"], lambda size: set()),
}
"""What programs ask of a size in case it is a symbol of a compiler's: here sizes are numbers."""
MARKS = dict.fromkeys(
    ["mark_dynamic", "maybe_mark_dynamic", "mark_static", "mark_static_address", "graph_break"], nothing
)
DYNAMO = {"config": SimpleNamespace(), **MARKS}
"""What they tell the compiler itself: settings and hints."""
BUILT = f"autograd_lab {OWN}, spelled as PyTorch {VERSION.partition('+')[0]}: plain Python on numpy, one thread\n"
CONFIG = dict.fromkeys(["show", "parallel_info", "_cxx_flags"], lambda: BUILT)
"""What programs print of how PyTorch was built."""
HUB: dict[str, Any] = dict.fromkeys(
    ["load", "list", "help", "load_state_dict_from_url", "load_url", "download_url_to_file"], not_loaded
)
HUB |= {"HASH_REGEX": re.compile(r"-([a-f0-9]*)\."), "READ_DATA_CHUNK": 128 * 1024}
"""What model files import for weights that were trained before."""


def _refused(name: str, error: Exception) -> Callable[..., NoReturn]:
    """A function that libraries import in case they need it: whatever it is given, it raises the error."""

    def refuse(*args: Any, **named: Any) -> NoReturn:
        raise error

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


UNMADE = {
    **dict.fromkeys(["stft", "istft"], FOURIER),
    **dict.fromkeys([f"sparse_{kind}_tensor" for kind in ("bsc", "bsr", "compressed", "coo", "csc", "csr")], DENSE),
    **dict.fromkeys(["conv3d", "conv_transpose3d", "max_pool3d"], FLAT),
}
"""Functions that make what is not here, and why it is not."""
globals().update({name: _refused(name, NotImplementedError(f"{name}: {why}")) for name, why in UNMADE.items()})

UNGROUPED = ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
IN_A_GROUP = """
all_gather all_gather_into_tensor all_gather_object all_reduce all_to_all all_to_all_single barrier broadcast
broadcast_object_list gather gather_object get_backend get_process_group_ranks get_rank get_world_size irecv isend
monitored_barrier new_group recv reduce reduce_scatter reduce_scatter_tensor scatter scatter_object_list send
"""
DISTRIBUTED = {
    "is_available": never,
    "is_initialized": never,
    "is_torchelastic_launched": never,
    "nn": ModuleType("torch.distributed.nn"),
    "group": SimpleNamespace(WORLD=None),
    "ReduceOp": Enum("ReduceOp", "SUM AVG PRODUCT MIN MAX BAND BOR BXOR"),
    **named_only("distributed", ONE_PROCESS, "ProcessGroup Work DeviceMesh"),
    **{name: _refused(name, UNGROUPED) for name in IN_A_GROUP.split()},
    **dict.fromkeys(
        ["init_process_group", "destroy_process_group"], _refused("group", NotImplementedError(ONE_PROCESS))
    ),
}
"""What programs ask of `torch.distributed` before they do without it, and what they do in a group of processes."""

CPU = {
    "is_available": lambda: True,
    "is_initialized": lambda: True,
    "current_device": lambda: "cpu",
    "device_count": lambda: 1,
    **dict.fromkeys(["synchronize", "set_device"], nothing),
}
"""What programs that know of several kinds of device ask of the one that is here."""


class FlopCounterMode:
    """What would count operations. Libraries make one in case it is wanted: before it has run it has counted none."""

    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: Any = None) -> None:
        self.depth, self.display = depth, display

    def get_total_flops(self) -> int:
        """None were counted."""
        return 0

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """None were counted, in any module."""
        return {}

    def __enter__(self) -> NoReturn:
        raise NotImplementedError(UNCOUNTED)

    def __exit__(self, *_: object) -> None:
        """It was never entered."""


ONNX = {"is_in_onnx_export": never, **named_only("onnx", CAPTURES, "ONNXProgram OnnxExporterError export")}
"""What programs ask of `torch.onnx` in case a model is being exported."""

FAKE = {**named_only("_subclasses.fake_tensor", CAPTURES, "FakeTensor FakeTensorMode"), "is_fake": lambda x: False}
"""What programs ask in case a compiler runs them on tensors without numbers."""
PROXY = {
    **named_only("fx.experimental.proxy_tensor", CAPTURES, "ProxyTorchDispatchMode make_fx"),
    "get_proxy_mode": lambda: None,
}
ARCHIVES = "PyTorch's files are archives of pickles, which run code: they are neither read nor written here"
PyTorchFileReader, PyTorchFileWriter = named_only("_C", ARCHIVES, "PyTorchFileReader PyTorchFileWriter").values()

KINDS_OF_GRAPHS = named_only("fx", CAPTURES, "Graph GraphModule Interpreter Node Proxy Tracer")
FX = {**KINDS_OF_GRAPHS, "wrap": as_it_is, "symbolic_trace": KINDS_OF_GRAPHS["Graph"]}
"""What programs import of `torch.fx` in case a model was traced."""

MESH = "DeviceMesh init_device_mesh"
SPLIT = f"DTensor Shard Replicate Partial Placement distribute_tensor distribute_module {MESH}"
SHARDED = """
FullyShardedDataParallel FSDPModule MixedPrecision MixedPrecisionPolicy ShardingStrategy CPUOffload CPUOffloadPolicy
OffloadPolicy BackwardPrefetch StateDictType FullStateDictConfig FullOptimStateDictConfig ShardedStateDictConfig
OptimStateKeyType ShardedOptimStateDictConfig ModuleWrapPolicy
fully_shard transformer_auto_wrap_policy size_based_auto_wrap_policy lambda_auto_wrap_policy enable_wrap
"""
FSDP = ("", ".api", ".wrap", ".fully_sharded_data_parallel")
STYLES = """
ColwiseParallel RowwiseParallel SequenceParallel ParallelStyle PrepareModuleInput PrepareModuleOutput loss_parallel
parallelize_module
"""
CHECKPOINTS = "FileSystemReader FileSystemWriter load load_state_dict save save_state_dict"
STATES = """
StateDictOptions get_model_state_dict get_optimizer_state_dict get_state_dict set_model_state_dict
set_optimizer_state_dict set_state_dict
"""
ELSEWHERE = {
    **dict.fromkeys((f"distributed.fsdp{part}" for part in FSDP), (ONE_PROCESS, SHARDED)),
    **dict.fromkeys(("distributed.tensor", "distributed._tensor"), (ONE_PROCESS, SPLIT)),
    "distributed._tensor.experimental": (ONE_PROCESS, "implicit_replication local_map context_parallel"),
    "distributed.tensor.experimental": (ONE_PROCESS, "implicit_replication local_map context_parallel"),
    "distributed._composable": (ONE_PROCESS, "fully_shard replicate checkpoint"),
    "distributed._composable.fsdp": (ONE_PROCESS, SHARDED),
    "distributed.device_mesh": (ONE_PROCESS, MESH),
    "distributed.tensor.parallel": (ONE_PROCESS, STYLES),
    "distributed.optim": (ONE_PROCESS, "ZeroRedundancyOptimizer DistributedOptimizer"),
    "distributed.nn": (ONE_PROCESS, ""),
    "distributed.fsdp.sharded_grad_scaler": (ONE_PROCESS, "ShardedGradScaler"),
    "distributed.checkpoint": (ONE_PROCESS, f"{CHECKPOINTS} {STATES}"),
    "distributed.checkpoint.state_dict": (ONE_PROCESS, STATES),
    "distributed.checkpoint.default_planner": (ONE_PROCESS, "DefaultLoadPlanner DefaultSavePlanner"),
    "distributed.rpc": (ONE_PROCESS, "RRef init_rpc remote rpc_async rpc_sync shutdown"),
    "distributed.algorithms": (ONE_PROCESS, "Join Joinable JoinHook"),
    "distributed.algorithms._checkpoint": (ONE_PROCESS, ""),
    "distributed.algorithms._checkpoint.checkpoint_wrapper": (
        ONE_PROCESS,
        "CheckpointImpl CheckpointWrapper apply_activation_checkpointing checkpoint_wrapper offload_wrapper",
    ),
    "export": (CAPTURES, "Dim ExportedProgram export load register_dataclass save"),
    "sparse": (DENSE, "addmm as_sparse_gradcheck check_sparse_tensor_invariants log_softmax mm softmax spdiags sum"),
    "utils.flop_counter": (UNCOUNTED, "register_flop_formula"),
    "futures": (ONE_PROCESS, "Future collect_all wait_all"),
    "fft": (
        FOURIER,
        "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft hfft2 ihfft2 hfftn ihfftn "
        "fftfreq rfftfreq fftshift ifftshift",
    ),
    "nested": (DENSE, "nested_tensor as_nested_tensor nested_tensor_from_jagged to_padded_tensor"),
    "utils.cpp_extension": (
        NOT_LOADED, "load load_inline CppExtension CUDAExtension BuildExtension include_paths check_compiler_abi"
    ),
    "nn.attention.flex_attention": (
        FLEXIBLE, "flex_attention create_block_mask create_mask create_nested_block_mask BlockMask and_masks or_masks "
        "AuxOutput AuxRequest",
    ),
}  # fmt: skip
"""Modules of which libraries import names, though few programs call them: why they are not here, and the names."""
WORKERS = {
    "get_all_sharing_strategies": lambda: {"file_descriptor", "file_system"},
    "get_sharing_strategy": lambda: "file_descriptor",
    "set_sharing_strategy": nothing,
    **named_only("multiprocessing", ONE_PROCESS, "spawn start_processes"),
}
"""What `torch.multiprocessing` adds to Python's own: tensors go to another process as copies."""
PARALLEL = named_only("nn.parallel", ONE_PROCESS, "DistributedDataParallel scatter gather scatter_kwargs replicate")
PER_SAMPLE = named_only(
    "nn.utils._per_sample_grad", "the gradient of each sample is `vmap(grad(...))`", "call_for_per_sample_grads"
)
UNCOMPILED = {**JIT, **dict.fromkeys(["_copy_to_script_wrapper", "boolean_dispatch", "_overload"], as_it_is)}
VERSIONS = {"cuda": None, "hip": None, "debug": False, "__version__": VERSION, "autograd_lab": OWN}
KINDS_OF_NUMBERS = {"Number": int | float | bool, "Device": Any, "FileLike": Any, "_int": int, "_float": float}
KINDS_OF_NUMBERS |= {"_bool": bool, "_size": Any, "_dtype": Any, "_device": Any}

ALSO: dict[str, tuple[str, dict[str, Any]]] = {
    "torch": ("autograd_lab", {}),
    "functional": ("autograd_lab", {}),
    "special": ("autograd_lab.engine.tensor.names_in_special", {}),
    "overrides": ("autograd_lab.engine.tensor.names_in_overrides", {}),
    "_C": ("autograd_lab.autograd.names_in_c", named_only("_C", CAPTURES, "Value Graph Block")),
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
    "cpu.amp": ("autograd_lab.amp", {}),
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
    "utils.data._utils": ("autograd_lab.utils.data", {}),
    "utils.data._utils.collate": ("autograd_lab.utils.data.collate", {}),
    "utils.model_zoo": ("autograd_lab.elsewhere", HUB),
    "version": ("autograd_lab", VERSIONS),
    **{path: ("autograd_lab.elsewhere", named_only(path, *what)) for path, what in ELSEWHERE.items()},
}
"""Modules of `torch` that are other modules here, and what they have besides."""
ALSO["utils.flop_counter"][1]["FlopCounterMode"] = FlopCounterMode
ALSO["nn.attention.flex_attention"][1]["_DEFAULT_SPARSE_BLOCK_SIZE"] = 128
RARE = {
    "cuda": "Event Stream",
    "elsewhere": " ".join(["PyTorchFileReader PyTorchFileWriter", *UNMADE]),
    "engine.tensor.gammas": "_standard_gamma",
    "futures": "Future",
    "nn.unscripted": "ScriptFunction ScriptModule",
    "utils.dlpack": "from_dlpack to_dlpack",
}
"""Names of `torch` that are in other modules here, and not imported before they are asked for."""
UNOFFERED = {"load_ipython_extension", *" ".join(RARE.values()).split()}
"""Names that `import *` does not bring."""
