"""`torch._foreach_*`, dtypes that are only named, and modules that libraries import: as PyTorch has them."""

from __future__ import annotations

import importlib
import pickle
import sys
from typing import Any, Generic, TypeVar, get_type_hints

import pytest

import autograd_lab
from autograd_lab import nn
from autograd_lab.elsewhere.absent import UNMADE
from autograd_lab.elsewhere.asked_for import ELSEWHERE
from autograd_lab.engine.numbers.unheld import KNOWN
from autograd_lab.engine.tensor.foreach import FUNCTIONS, POINTWISE
from tests.worlds import said

torch = pytest.importorskip("torch")

WITH = {
    "add": ("[2, 3]", "a", "a, alpha=2", "t(2.)", "2", "scalar=2"),
    "sub": ("[2, 3]", "a, alpha=2", "1.5"),
    "mul": ("a", "t(2.)", "[.5, 2]", "3"),
    "div": ("a", "t(2.)", "[.5, 2]", "3"),
    "pow": ("a", "2", "[2, .5]"),
    "lerp": ("b, .3", "b, a", "b, [.1, .2]"),
    "addcmul": ("a, b", "a, b, value=2", "a, b, [2, 3]", "a, b, t([2., 3.])"),
    "addcdiv": ("a, b", "a, b, -.5", "a, b, [2, 3]", "a, b, t([2., 3.])"),
    **dict.fromkeys(("maximum", "minimum", "clamp_min", "clamp_max"), ("b", ".7", "[.7, .9]")),
    "copy_": ("b",),
    "norm": ("", "1", "ord=float('inf')"),
    "mm": ("b",),
}


def _answer(world: Any, name: str, rest: str, rows: bool) -> Any:
    a = [world.tensor([0.5, 0.9, 0.2, 0.8]).reshape(2, 2), world.tensor([0.25, 0.75, -0.6, 0.1])]
    a = [each.reshape(2, 2) for each in a] if rows else a
    b = [each + 0.25 for each in a]
    done = eval(f"f(a, {rest})", {"f": getattr(world, f"_foreach_{name}"), "a": a, "b": b, "t": world.tensor})
    return type(done), [each.tolist() for each in done], [each.tolist() for each in a]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_op_on_each_of_a_list_is_pytorchs(name: str) -> None:
    for rest in WITH.get(name, WITH.get(name.removesuffix("_"), ("",))):
        ours, theirs = (_answer(world, name, rest, name == "mm") for world in (autograd_lab, torch))
        assert ours[0] is theirs[0]
        for mine, its in zip(ours[1] + ours[2], theirs[1] + theirs[2], strict=True):
            assert torch.allclose(torch.tensor(mine), torch.tensor(its), atol=1e-6, equal_nan=True)


def test_a_number_to_the_power_of_each() -> None:
    power: Any = autograd_lab._foreach_pow
    done = power(2.0, [autograd_lab.tensor([3.0])])
    assert [each.tolist() for each in done] == [[8.0]]


@pytest.mark.parametrize("call", ["_foreach_add([], 1)", "_foreach_add(a, [1])", "_foreach_add(a, [a[0]])"])
def test_lists_that_do_not_fit_are_refused_in_pytorchs_words(call: str) -> None:
    said = []
    for world in (autograd_lab, torch):
        with pytest.raises(RuntimeError) as caught:
            eval(f"w.{call}", {"w": world, "a": [world.ones(2), world.ones(3)]})
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_all_pointwise_ones_are_pytorchs() -> None:
    assert all(hasattr(torch, f"_foreach_{name}") for name in POINTWISE)


@pytest.mark.parametrize("name", KNOWN)
def test_a_dtype_that_no_tensor_has_may_be_named_and_says_why_it_is_not_made(name: str) -> None:
    mine, its = getattr(autograd_lab, name), getattr(torch, name)
    assert repr(mine) == repr(its)
    for what in ("itemsize", "is_floating_point", *(() if name[0] == "q" else ("is_complex", "is_signed"))):
        assert getattr(mine, what) == getattr(its, what), what
    assert pickle.loads(pickle.dumps(mine)) is mine
    assert mine not in (autograd_lab.float32, autograd_lab.ones(2).dtype)
    makers: tuple[Any, ...] = (lambda: autograd_lab.zeros(2, dtype=mine), lambda: autograd_lab.ones(2).to(mine))
    for make in makers:
        with pytest.raises(NotImplementedError, match=f"no tensor has the dtype torch.{name}: "):
            make()


@pytest.mark.parametrize("name", ["float32", "float64", "int64", "uint8", "bool", "bfloat16", "int8"])
def test_a_dtype_knows_whether_it_is_complex_and_has_a_sign(name: str) -> None:
    mine, its = getattr(autograd_lab, name), getattr(torch, name)
    assert (mine.is_complex, mine.is_signed) == (its.is_complex, its.is_signed)


@pytest.mark.parametrize("path", ELSEWHERE)
def test_what_libraries_import_in_case_may_be_imported_and_says_why_it_is_not_called(path: str) -> None:
    why, names = ELSEWHERE[path]
    module = importlib.import_module(f"autograd_lab.{path}")
    for name in names.split():
        kind = getattr(module, name)
        assert not isinstance(autograd_lab.ones(2), kind)
        with pytest.raises(NotImplementedError, match=why.split(";")[0]):
            kind()


@pytest.mark.parametrize(
    "line",
    [
        "torch.types import Number", "torch.multiprocessing import Process, set_start_method, set_sharing_strategy",
        "torch.nn.parallel import DistributedDataParallel, DataParallel", "torch.nn.parameter import is_lazy",
        "torch.nn.utils.stateless import functional_call", "torch.serialization import MAP_LOCATION, FILE_LIKE",
        "torch.nn.modules.module import _IncompatibleKeys", "torch.utils._pytree import PyTree",
        "torch.utils.data._utils.collate import default_collate", "torch.distributions.utils import _standard_normal",
        "torch.utils.data.dataloader import _DatasetKind, _collate_fn_t", "torch._C import Value",
        "torch._jit_internal import _copy_to_script_wrapper", "torch.nn.parallel.scatter_gather import scatter",
        "torch.nn.init import _calculate_correct_fan, _no_grad_fill_, _no_grad_zero_, _no_grad_normal_",
        "torch._C import _TensorMeta, _log_api_usage_once", "torch.distributed import ProcessGroup",
        "torch.utils.data.dataloader import _BaseDataLoaderIter, _MultiProcessingDataLoaderIter",
        "torch._dynamo.eval_frame import OptimizedModule", "torch._dynamo import OptimizedModule",
        "torch._subclasses.fake_tensor import FakeTensor, is_fake", "torch.hub import HASH_REGEX",
        "torch.fx.experimental.proxy_tensor import get_proxy_mode", "torch import torch, Stream, PyTorchFileReader",
        "torch.utils._pytree import LeafSpec, _dict_flatten_with_keys, _get_node_type", "torch.__config__ import show",
        "torch import ScriptModule, sparse_coo, sparse_coo_tensor, conv3d, stft", "torch._tensor_str import PRINT_OPTS",
        "torch.distributed import ReduceOp, get_rank, rpc", "torch.onnx import is_in_onnx_export, ONNXProgram",
        "torch.fx.experimental.symbolic_shapes import guard_or_false", "torch.cpu.amp import autocast",
        "torch.library import custom_op, Library", "torch.cuda import CUDAGraph, StreamContext, graph",
        "torch.autograd.profiler import emit_nvtx", "torch.compiler import cudagraph_mark_step_begin",
        "torch.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel, StateDictType",
    ],
)  # fmt: skip
def test_what_public_libraries_import_is_there(line: str) -> None:
    exec(f"from {line}".replace("torch.", "autograd_lab.", 1))


@pytest.mark.parametrize("name", ["sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc", "sparse_csr", "jagged"])
def test_a_layout_that_no_tensor_has_may_be_named(name: str) -> None:
    mine = getattr(autograd_lab, name)
    assert repr(mine) == repr(getattr(torch, name))
    assert pickle.loads(pickle.dumps(mine)) is mine
    assert autograd_lab.ones(2).layout is autograd_lab.strided is not mine


@pytest.mark.parametrize("name", UNMADE)
def test_a_function_that_makes_what_is_not_here_may_be_imported_and_says_why_it_is_not(name: str) -> None:
    assert callable(getattr(torch, name))
    with pytest.raises(NotImplementedError, match=UNMADE[name]):
        getattr(autograd_lab, name)(autograd_lab.ones(2))


@pytest.mark.parametrize("name", ["get_rank", "get_world_size", "barrier", "get_backend"])
def test_without_a_group_of_processes_there_is_none_to_ask(name: str) -> None:
    said = []
    for world in (autograd_lab, torch):
        with pytest.raises(ValueError) as caught:
            getattr(world.distributed, name)()
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "call",
    [
        "add(x, 2)", "add.Tensor(x, x)", "mul.Scalar(x, 3)", "index.Tensor(m, [None, i])", "slice.Tensor(m, 1, 1, 3)",
        "gelu.default(x)", "unsqueeze.default(x, 0)", "_to_copy.default(x)", "alias.default(x)",
    ],
)  # fmt: skip
def test_an_operator_is_called_by_its_name_in_cpp(call: str) -> None:
    found = []
    for world in (autograd_lab, torch):
        names = {"x": world.arange(3.0), "m": world.arange(12.0).reshape(3, 4), "i": world.tensor([2, 0])}
        aten = world.ops.aten
        found.append((str(eval(f"o.{call}", {"o": aten, **names})), str(aten.add), repr(aten.add.Tensor)))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "file", ["activation", "batchnorm", "conv", "distance", "linear", "loss", "pooling", "normalization"]
)
def test_the_layers_of_a_file_are_found_by_looking_through_it(file: str) -> None:
    found = []
    for world in (autograd_lab, torch):
        names = vars(getattr(world.nn.modules, file)).items()
        kinds = {name: kind for name, kind in names if isinstance(kind, type) and issubclass(kind, world.nn.Module)}
        own = {name for name in kinds if hasattr(world.nn, name) and not name.endswith("3d")}
        found.append({name for name in own if world is autograd_lab or kinds[name].__module__.endswith(file)})
    assert found[1] <= found[0]


@pytest.mark.parametrize(
    "line",
    [
        "_assert_async(m.tensor(0))",
        "_assert_async(m.ones(2))",
        "_assert(m.ones(0).sum(), 'no')",
        "_assert_async(m.tensor(False), 'why')",
        "_assert_async(m.tensor(2.))",
        "_assert(True, 'no')",
        "func.grad(lambda x: x * m._C._are_functorch_transforms_active())(m.tensor(2.))",
    ],
)
def test_what_libraries_check_is_checked_as_in_pytorch(line: str) -> None:
    assert said(autograd_lab, f"m.{line}") == said(torch, f"m.{line}")


@pytest.mark.parametrize(
    "to",
    ["'cpu'", "m.float64", "dtype=m.half, non_blocking=True", "m.ones(2, dtype=m.float64)",
     "m.device('cpu'), m.half, True", "memory_format=m.channels_last", "", "m.half, copy=True"],
)  # fmt: skip
def test_libraries_may_ask_what_to_is_given(to: str) -> None:
    found = [said(world, f"m._C._nn._parse_to({to})") for world in (autograd_lab, torch)]
    assert found[0] == found[1] or ("Error" in str(found[0]) and "Error" in str(found[1]))


def test_the_annotations_of_a_layer_can_be_looked_up() -> None:
    class Own(nn.Linear):
        size: int

    for kind in [Own, *(kind for kind in vars(nn).values() if isinstance(kind, type))]:
        get_type_hints(kind)


def test_a_module_may_be_generic_or_have_a_base_that_is_told_of_subclasses() -> None:
    T = TypeVar("T")
    told = []

    class Told:
        def __init_subclass__(cls, mark: str = "", **named: Any) -> None:
            super().__init_subclass__(**named)
            told.append(mark)

    class Layer(nn.Module, Told, Generic[T], mark="here"):
        pass

    class Whole(Layer[int], mark="there"):
        pass

    assert told == ["here", "there"]
    with pytest.raises(TypeError):

        class Bare(nn.Module, mark="here"):
            pass


def test_a_tensor_of_a_users_class_may_be_generic() -> None:
    T = TypeVar("T")

    class Named(autograd_lab.Tensor, Generic[T]):
        pass

    class Floats(Named[float]):
        pass

    assert issubclass(Floats, Named)


def test_memory_tells_its_size_as_pytorchs() -> None:
    for count in (3, 300):
        mine, its = autograd_lab.ones(count).untyped_storage(), torch.ones(count).untyped_storage()
        assert sys.getsizeof(mine) == sys.getsizeof(its)
        assert mine.element_size() == its.element_size()


def test_a_loader_says_what_kind_of_data_set_it_has() -> None:
    data = autograd_lab.utils.data
    assert data.DataLoader([1, 2])._dataset_kind == data.dataloader._DatasetKind.Map


def test_vmap_of_a_pass_that_frees_its_graph_is_one_pass() -> None:
    for world in (autograd_lab, torch):
        weight = world.arange(6.0).reshape(2, 3).requires_grad_()
        out = (weight @ world.ones(3)).tanh()
        back = world.func.vmap(lambda v, out=out, weight=weight: world.autograd.grad(out, weight, v)[0])  # noqa: B023
        rows = back(world.eye(2))
        assert rows.shape == (2, 2, 3)
        assert rows[0, 1].tolist() == rows[1, 0].tolist() == [0.0] * 3
        with pytest.raises(RuntimeError, match="second time"):
            back(world.eye(2))
        out = (weight @ world.ones(3)).tanh()
        chunks = world.func.vmap(
            lambda v, out=out, weight=weight: world.autograd.grad(out, weight, v)[0],  # noqa: B023
            chunk_size=1,
        )
        with pytest.raises(RuntimeError, match="second time"):
            chunks(world.eye(2))


def test_a_users_kind_of_parameter_prints_both_names() -> None:
    said = []
    for world in (autograd_lab, torch):
        kind = type("Kind", (world.nn.Parameter,), {})
        made = kind(world.ones(2))
        said.append((repr(made), world.Tensor.__repr__(made), repr(world.nn.Parameter(world.ones(2)))))
    assert said[0] == said[1]


def test_what_programs_set_of_a_gpus_libraries_is_kept() -> None:
    for world in (autograd_lab, torch):
        cuda = world.backends.cuda
        before = cuda.matmul.allow_tf32
        cuda.matmul.allow_tf32 = True
        assert cuda.matmul.allow_tf32
        cuda.matmul.allow_tf32 = before
        cuda.enable_flash_sdp(False)
        assert (cuda.flash_sdp_enabled(), cuda.math_sdp_enabled(), cuda.is_built()) == (False, True, False)
        cuda.enable_flash_sdp(True)
        assert not world.backends.cusparselt.is_available()


def test_libraries_that_compute_for_pytorch_are_not_there() -> None:
    assert not any(getattr(autograd_lab.backends, name).is_available() for name in ("mkl", "mkldnn", "openmp"))


def test_what_is_another_module_here_is_an_attribute_too() -> None:
    assert autograd_lab.utils.hooks.RemovableHandle
    utils: Any = autograd_lab.nn.utils
    assert utils.stateless.functional_call is autograd_lab.func.functional_call
    lab: Any = autograd_lab
    assert lab.futures.Future is lab.Future


PRIVATE = """
own._default_to_fused_or_foreach([p], False, True), own._default_to_fused_or_foreach([p], True, True)
[own._default_to_fused_or_foreach(ps, False, u) for ps in ([], [None], [t.long()], [t]) for u in (False, True)]
own._get_value(t), own._get_value(3), own._to_scalar(t), own._to_scalar(2.0), own._stack_if_compiling([t])
own._view_as_real([p])
own._get_scalar_dtype(), own._get_scalar_dtype(True), own._get_capturable_supported_devices()
own._get_foreach_kernels_supported_devices(), own._get_fused_kernels_supported_devices()
F._has_foreach_support([t, None], t.device), F._has_foreach_support([p], t.device)
own.Optimizer._group_tensors_by_device_and_dtype([[t, t.double(), t], [None, t, t], []], True).items()
F._group_tensors_by_device_and_dtype([[t, t.double(), t]]).items()
F._group_tensors_by_device_and_dtype([[], []])
F._group_tensors_by_device_and_dtype([[t], [t, t]])
F._group_tensors_by_device_and_dtype([[t, None]])
Mine([p], {"differentiable": True}).step(), Mine([p], {"differentiable": False}).step(), Mine.step.__name__
own._disable_dynamo_if_unsupported(single_tensor_fn=None)(lambda a: a + 1)(2)
"""


@pytest.mark.parametrize("text", PRIVATE.strip().splitlines())
def test_what_optimizers_of_others_own_import_is_there(text: str) -> None:
    def story(m: Any) -> Any:
        own = importlib.import_module(f"{m.__name__}.optim.optimizer")
        F = importlib.import_module(f"{m.__name__}.utils._foreach_utils")

        class Mine(m.optim.Optimizer):  # type: ignore[misc, name-defined]
            @own._use_grad_for_differentiable  # type: ignore[untyped-decorator]
            def step(self) -> bool:
                return bool(m.is_grad_enabled())

        return eval(text, {"m": m, "own": own, "F": F, "Mine": Mine, "t": m.ones(1), "p": m.nn.Parameter(m.ones(2))})

    assert said(autograd_lab, story)[0] == said(torch, story)[0]
