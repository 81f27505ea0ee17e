"""What programs ask of the machine is answered as PyTorch answers it where there is no GPU."""

from __future__ import annotations

import importlib
import inspect
import warnings
from typing import Any

import pytest

import autograd_lab
from autograd_lab.engine.tensor import methods_as_functions
from tests.programs import error
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")

answers = Stories()


@answers
def devices_can_be_named_but_not_be_had(m: Any) -> Any:
    x = m.ones(2)
    names = ("cuda", "cuda:1", "xpu", "foo", "cpu:0", "cuda:", "cuda:-1", 0)
    told = [said(m, lambda m, name=name: m.device(name)) for name in names]
    told += [said(m, lambda m, name=name: m.ones(2, device=name)) for name in ("cuda", "cuda:0", "xpu", "foo", "cpu")]
    told += [said(m, lambda m: x.cuda()), said(m, lambda m: m.nn.Linear(1, 1).cuda()), said(m, lambda m: x.to("cuda"))]
    return told, m.device("cuda", 1), m.device(type="cuda", index=0) == m.device("cuda:0"), x.is_pinned(), x.device


@answers
def a_gpu_is_not_there(m: Any) -> Any:
    cuda = m.cuda
    return (
        cuda.is_available(), cuda.device_count(), cuda.memory_allocated(), cuda.max_memory_allocated(),
        cuda.is_initialized(), cuda.get_arch_list(), cuda.empty_cache(), cuda.manual_seed_all(3),
        said(m, lambda m: cuda.current_device()), said(m, lambda m: cuda.synchronize()),
        said(m, lambda m: cuda.get_device_name(0)), said(m, lambda m: cuda.FloatTensor([1.0])),
        said(m, lambda m: cuda.Stream()), cuda.get_rng_state_all(), cuda.set_rng_state_all([]), cuda.seed(),
        cuda.seed_all(), said(m, lambda m: cuda.initial_seed()), said(m, lambda m: cuda.init()), cuda._initialized,
        cuda.memory_cached(), cuda.random.manual_seed(1), cuda.memory.memory_allocated(),
        said(m, lambda m: cuda.device(0).__enter__()),
        cuda.device(-1).__enter__(), cuda.stream(None).__enter__(), cuda.device_of(m.ones(1)).__enter__(),
    )  # fmt: skip


@answers
def classes_of_tensors_on_a_gpu_have_no_members(m: Any) -> Any:
    x, kind, parallel = m.ones(2), m.cuda.FloatTensor, m.nn.parallel
    told = [isinstance(x, kind), isinstance(x, (m.FloatTensor, kind)), isinstance(x, m.cuda.LongTensor)]
    told += [str(kind), kind.__name__, kind.__module__, str(kind.dtype), kind.is_cuda, kind is m.cuda.FloatTensor]
    made = (
        lambda m: kind(3), lambda m: kind([1.0]), lambda m: x.type(kind), lambda m: x.type("torch.cuda.LongTensor"),
        lambda m: x.type("torch.cuda.FooTensor"), lambda m: m.set_default_tensor_type(kind),
        lambda m: m.set_default_tensor_type("torch.cuda.FloatTensor"),
        lambda m: parallel.data_parallel(m.nn.Linear(2, 2), x), lambda m: parallel.data_parallel(None, x, [0]),
    )  # fmt: skip
    return told, [said(m, one)[0] for one in made], hasattr(m.cuda, "FooTensor")


@answers
def an_old_way_to_train_policies_is_told_of_with_the_new_one(m: Any) -> Any:
    try:
        return m.ones(1).reinforce(1.0)
    except RuntimeError as error:
        return str(error)


@answers
def a_factor_of_the_inverse_is_where_libraries_look_for_it(m: Any) -> Any:
    module = importlib.import_module(f"{m.__name__}.distributions.multivariate_normal")
    return module._precision_to_scale_tril(m.tensor([[2.0, 0.5], [0.5, 1.0]]))


@answers
def the_default_device_can_be_set_and_entered(m: Any) -> Any:
    m.set_default_device("cuda")
    refused = said(m, lambda m: m.ones(1))
    m.set_default_device(None)
    with m.device("cpu"):
        inside = m.ones(1), m.get_default_device()
    return refused, inside, m.get_default_device()


@answers
def what_is_set_is_what_is_asked_for(m: Any) -> Any:
    threads = m.get_num_threads()
    m.set_num_threads(2)
    told = m.get_num_threads(), said(m, lambda m: m.set_num_threads(0))
    m.set_num_threads(threads)
    m.set_float32_matmul_precision("high")
    m.set_default_tensor_type("torch.DoubleTensor")
    kind = m.tensor(1.0).dtype
    m.set_default_tensor_type("torch.FloatTensor")
    return told, m.get_float32_matmul_precision(), kind, m.typename(m.ones(1)), m.is_storage(1)


@answers
def random_numbers_go_on_from_where_they_were(m: Any) -> Any:
    m.manual_seed(1)
    m.randn(3)
    state = m.get_rng_state()
    first = m.randn(3)
    m.set_rng_state(state)
    with m.random.fork_rng():
        again = m.randn(3)
        m.manual_seed(7)
    return bool((first == again).all()), bool((m.randn(3) == first).all()), state.dtype


@answers
def memory_can_be_exchanged(m: Any) -> Any:
    x, y = m.ones(3), m.arange(4.0).view(2, 2)
    x.set_(y)
    x[0, 0] = 9
    z = m.arange(4.0)
    return x, y, y.new(2).shape, y.new([1, 2]), z.resize_as_(y), x.is_set_to(y), z.apply_(lambda one: one + 1), z.conj()


@answers
def what_is_close_passes_and_what_is_not_is_told(m: Any) -> Any:
    close = importlib.import_module(f"{m.__name__}.testing").assert_close
    pairs = ([1.0, 2.0], [1.0, 2.1]), ([1.0], [1.0]), (1.0, 2.0), ([1, 2], [1, 3]), ([1.0], [1.0, 2.0]), ([1.0], [1])
    told = []
    for one, other in pairs:
        try:
            told.append(close(m.tensor(one), m.tensor(other)))
        except AssertionError as error:
            told.append(str(error))
    return told


@answers
def old_hooks_of_modules_see_the_node_of_the_output(m: Any) -> Any:
    seen: list[Any] = []
    layer = m.nn.Linear(2, 1, bias=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        layer.register_backward_hook(lambda module, sent, received: seen.append((len(sent), received)))
        layer(m.ones(1, 2)).sum().backward()
    return seen


@pytest.mark.parametrize("answer", answers, ids=lambda answer: answer.__name__)
def test_the_machine_answers_as_it_does_for_pytorch(answer: Any) -> None:
    (ours, _), (theirs, _) = said(autograd_lab, answer), said(torch, answer)
    assert ours == theirs


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("nn.modules", "Linear"), ("nn.modules.conv", "Conv2d"), ("nn.modules.utils", "_pair"),
        ("nn.parallel", "DataParallel"),
        ("functional", "einsum"), ("utils.data.dataloader", "DataLoader"), ("utils.data.dataset", "IterableDataset"),
        ("utils.data.distributed", "DistributedSampler"), ("utils.data.sampler", "WeightedRandomSampler"),
        ("utils.benchmark", "Timer"), ("utils._pytree", "tree_map"), ("distributed", "is_available"),
        ("nn._reduction", "get_enum"), ("_C", "ScriptMethod"), ("_vmap_internals", "_vmap"),
        ("jit", "ScriptModule"), ("fx", "Tracer"), ("utils.hooks", "RemovableHandle"),
    ],
)  # fmt: skip
def test_things_are_also_where_pytorch_has_them(path: str, name: str) -> None:
    assert callable(getattr(importlib.import_module(f"autograd_lab.{path}"), name))
    assert callable(getattr(importlib.import_module(f"torch.{path}"), name))


def test_what_stays_away_says_why() -> None:
    for name, why in {"package": "as they are written", "hspmm": "dense", "eig": "svd, eigh"}.items():
        with pytest.raises(AttributeError, match=why):
            getattr(autograd_lab, name)
    for name, why in {"stft": "complex", "sparse_coo_tensor": "dense", "conv3d": "sequences and pictures"}.items():
        with pytest.raises(NotImplementedError, match=why):
            getattr(autograd_lab, name)(autograd_lab.ones(4))
    with pytest.raises(NotImplementedError, match="complex"):
        importlib.import_module("autograd_lab.fft").fft(autograd_lab.ones(4))
    with pytest.raises(NotImplementedError, match="complex"):
        getattr(autograd_lab, "complex")(autograd_lab.ones(2), autograd_lab.ones(2))  # noqa: B009
    assert not isinstance(autograd_lab.nn.Conv2d(1, 1, 1), autograd_lab.nn.Conv3d)
    with pytest.raises(NotImplementedError, match="sequences and pictures"):
        autograd_lab.nn.Conv3d(1, 1, 1)
    with pytest.raises(NotImplementedError, match="sequences and pictures"):
        autograd_lab.nn.functional.avg_pool3d(autograd_lab.ones(1, 1, 2, 2, 2), 2)
    with pytest.raises(NotImplementedError, match="nothing is loaded"):
        importlib.import_module("autograd_lab.hub").load_state_dict_from_url("https://example.org/weights.pth")


@pytest.mark.parametrize("layer", methods_as_functions.LAYERS, ids=lambda layer: layer.__name__)
def test_layers_are_functions_where_they_are_in_pytorch(layer: Any) -> None:
    assert callable(getattr(torch, layer.__name__))
    assert inspect.unwrap(getattr(autograd_lab, layer.__name__)) is inspect.unwrap(layer)


@pytest.mark.parametrize("name", methods_as_functions.NAMES.split())
def test_methods_are_functions_where_they_are_in_pytorch(name: str) -> None:
    assert callable(getattr(torch, name))
    ours, method = (inspect.unwrap(getattr(where, name)) for where in (autograd_lab, autograd_lab.Tensor))
    assert ours is method  # but for `out=`, which only functions have


def test_special_functions_have_their_names_in_torch_special() -> None:
    special = importlib.import_module("autograd_lab.special")
    for name in special.__all__:
        x = [0.25, 0.5]
        args = (1,) if name == "polygamma" else ()
        more = {"logsumexp": (0,), "softmax": (0,), "log_softmax": (0,), "xlogy": (2.0,), "multigammaln": (1,)}.get(
            name, ()
        )
        more = (3,) if "_polynomial_" in name else more
        pairs = name in ("gammainc", "gammaincc", "xlog1py", "zeta")
        ours, theirs = (
            getattr(m.special, name)(*args, m.tensor(x), *(more or [m.tensor(x)] * pairs))
            for m in (autograd_lab, torch)
        )
        assert str(ours) == str(theirs)


def test_a_profile_counts_the_parts_that_have_names_and_says_that_it_measures_no_ops() -> None:
    with autograd_lab.profiler.profile(activities=[autograd_lab.profiler.ProfilerActivity.CPU]) as prof:
        for _ in range(3):
            with autograd_lab.profiler.record_function("forward"):
                autograd_lab.ones(2) + 1
    (part,) = prof.key_averages()
    assert (part.key, part.count) == ("forward", 3)
    _, line, note = prof.key_averages().table(sort_by="cpu_time_total", row_limit=10).splitlines()
    assert line.split()[0] == "forward"
    assert note.startswith("Single ops are not measured here")


CONDITIONS = """
m._check(True) | m._check(False) | m._check(False, lambda: "told") | m._check(False, "told") | m._check(1)
m._check(m.ones(1) > 0) | m._check_index(False) | m._check_value(False, lambda: m.arange(2)) | m._check_type(False)
m._check_not_implemented(False) | m._check_with(KeyError, False, lambda: "told") | m._check_tensor_all(True)
m._check_tensor_all(m.ones(2)) | m._check_tensor_all(m.tensor([True, False])) | m._check_tensor_all(m.ones(2) > 0)
m._check_tensor_all_with(IndexError, m.tensor([False]), lambda: "told")
"""
REFUSED = """
m.cdist(x, x, p=-1.0) | m.cdist(x, x, compute_mode="other") | m.cummax(m.tensor(1.0), 5) | m.cummin(m.tensor(1.0), -2)
m.linspace(x, 3, 2) | m.logspace(0, x, 2) | m.zeros(0).put_(m.tensor([0]), m.ones(1)) | m.Generator().get_offset()
m.unique(m.empty(0, 2), dim=1) | m.unique(m.empty(1, 0), dim=0) | m.histc(m.tensor([1.0, float("inf")]))
m.unique(m.empty(0, 2), dim=0) | m.unique(m.empty(0, 0), dim=0) | m.unique_consecutive(m.empty(0, 2), dim=1)
m.histc(x, 2, 0, float("inf")) | m.ones(2, dtype=m.int64).exponential_() | m.Generator().set_offset(1)
"""


@pytest.mark.parametrize(
    "line", [each.strip() for each in (CONDITIONS + REFUSED).replace("\n", "|").split("|") if each]
)
def test_conditions_and_refusals_are_told_as_in_pytorch(line: str) -> None:
    ours, theirs = (error(lambda m=m: eval(line, {"m": m, "x": m.ones(2, 2)})) for m in (autograd_lab, torch))
    assert ours == theirs
