"""What programs and libraries ask PyTorch's other modules for: answers, and names that say why they are not here."""

from __future__ import annotations

import re
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from autograd_lab.elsewhere.absent import (
    CAPTURES,
    DENSE,
    FLEXIBLE,
    FOURIER,
    NOT_LOADED,
    ONE_PROCESS,
    UNTABLED,
    named_only,
    refused,
)  # fmt: skip
from autograd_lab.elsewhere.torch_version import OWN, VERSION


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
    **{name: refused(name, UNGROUPED) for name in IN_A_GROUP.split()},
    **dict.fromkeys(
        ["init_process_group", "destroy_process_group"], refused("group", NotImplementedError(ONE_PROCESS))
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


ONNX = {"is_in_onnx_export": never, **named_only("onnx", CAPTURES, "ONNXProgram OnnxExporterError export")}
"""What programs ask of `torch.onnx` in case a model is being exported."""

FAKE = {**named_only("_subclasses.fake_tensor", CAPTURES, "FakeTensor FakeTensorMode"), "is_fake": lambda x: False}
"""What programs ask in case a compiler runs them on tensors without numbers."""
PROXY = {
    **named_only("fx.experimental.proxy_tensor", CAPTURES, "ProxyTorchDispatchMode make_fx"),
    "get_proxy_mode": lambda: None,
}
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
    "quasirandom": (UNTABLED, "SobolEngine"),
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
PARALLEL = {
    **named_only("nn.parallel", ONE_PROCESS, "DistributedDataParallel scatter gather scatter_kwargs replicate"),
    "data_parallel": refused("data_parallel", RuntimeError("device type could not be determined")),
}
PER_SAMPLE = named_only(
    "nn.utils._per_sample_grad", "the gradient of each sample is `vmap(grad(...))`", "call_for_per_sample_grads"
)
UNCOMPILED = {**JIT, **dict.fromkeys(["_copy_to_script_wrapper", "boolean_dispatch", "_overload"], as_it_is)}
VERSIONS = {"cuda": None, "hip": None, "debug": False, "__version__": VERSION, "autograd_lab": OWN}
KINDS_OF_NUMBERS = {"Number": int | float | bool, "Device": Any, "FileLike": Any, "_int": int, "_float": float}
KINDS_OF_NUMBERS |= {"_bool": bool, "_size": Any, "_dtype": Any, "_device": Any}
