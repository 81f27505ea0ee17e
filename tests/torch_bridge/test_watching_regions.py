"""Parts of torch that are worlds of their own run inside a recording as without it, recorded or not."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from tests.torch_bridge.watching import assert_unchanged  # noqa: E402
from tests.worlds import Stories  # noqa: E402

torch.set_num_threads(1)
region = Stories()


def net(*sizes: int) -> Any:
    """A small network with weights that are always the same."""
    torch.manual_seed(1)
    return nn.Sequential(*[part for a, b in pairwise(sizes) for part in (nn.Linear(a, b), nn.Tanh())])


def gradients(model: Any) -> list[Any]:
    return [parameter.grad for parameter in model.parameters()]


def x(*shape: int) -> Any:
    count = torch.Size(shape).numel()
    return torch.linspace(-1, 1, count).reshape(shape)


# --- torch.func and forward mode ------------------------------------------------------------------------------------


@region
def func_grad() -> Any:
    return torch.func.grad(lambda a: (a.sin() * a).sum())(x(3))


@region
def func_grad_of_grad() -> Any:
    return torch.func.grad(torch.func.grad(lambda a: a.sin().sum() ** 2))(x(1).reshape(()))


@region
def func_vmap() -> Any:
    return torch.vmap(lambda a, b: a @ b)(x(4, 3), x(4, 3))


@region
def func_vmap_of_grad() -> Any:
    model = net(3, 2)
    parameters = dict(model.named_parameters())

    def loss(found: Any, one: Any) -> Any:
        return torch.func.functional_call(model, found, (one,)).sum()

    return torch.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, x(5, 3))


@region
def func_jacobians() -> Any:
    return torch.func.jacrev(torch.sin)(x(3)), torch.func.jacfwd(torch.sin)(x(3)), torch.func.hessian(torch.sum)(x(2))


@region
def func_jvp_and_vjp() -> Any:
    made, pull = torch.func.vjp(torch.sin, x(3))
    return torch.func.jvp(torch.sin, (x(3),), (torch.ones(3),)), made, pull(torch.ones(3))


@region
def functional_call_with_backward() -> Any:
    model = net(3, 2)
    weights = {name: one.detach().clone().requires_grad_() for name, one in model.named_parameters()}
    torch.func.functional_call(model, weights, (x(2, 3),)).sum().backward()
    return [one.grad for one in weights.values()]


@region
def forward_mode() -> Any:
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x(3), torch.ones(3))
        return tuple(torch.autograd.forward_ad.unpack_dual(dual.sin() * 2))


@region
def autograd_functional() -> Any:
    functional = torch.autograd.functional
    return (
        functional.jacobian(torch.sin, x(3)), functional.hessian(lambda a: (a**3).sum(), x(3)),
        functional.jacobian(torch.sin, x(3), vectorize=True), functional.vhp(lambda a: (a**3).sum(), x(3), x(3)),
    )  # fmt: skip


@region
def batched_gradients() -> Any:
    a = x(3).requires_grad_()
    return torch.autograd.grad(a.sin(), a, torch.eye(3), is_grads_batched=True)


# --- modules with ways of their own ---------------------------------------------------------------------------------


def encoder() -> Any:
    torch.manual_seed(2)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2)


@region
def encoder_in_eval_without_gradients() -> Any:
    model = encoder().eval()
    with torch.no_grad():
        return model(x(2, 5, 8))


@region
def encoder_in_eval_with_a_mask() -> Any:
    model, mask = encoder().eval(), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    with torch.inference_mode():
        return model(x(2, 5, 8), src_key_padding_mask=mask)


@region
def encoder_layer_in_eval() -> Any:
    model = encoder().layers[0].eval()
    with torch.no_grad():
        return model(x(2, 5, 8))


@region
def encoder_in_training() -> Any:
    model = encoder()
    model(x(2, 5, 8)).pow(2).mean().backward()
    return gradients(model)


@region
def attention_in_eval() -> Any:
    torch.manual_seed(3)
    model = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    a = x(2, 5, 8)
    with torch.no_grad():
        return model(a, a, a), model(a, a, a, need_weights=False)


@region
def attention_in_training() -> Any:
    torch.manual_seed(3)
    model = nn.MultiheadAttention(8, 2, dropout=0.5)
    a = x(5, 2, 8)
    model(a, a, a)[0].sum().backward()
    return gradients(model)


@region
def recurrent_layers() -> Any:
    found = []
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        torch.manual_seed(4)
        model = kind(3, 4, num_layers=2, bidirectional=True, dropout=0.3)
        out, _ = model(x(5, 2, 3))
        out.sum().backward()
        packed = nn.utils.rnn.pack_padded_sequence(x(5, 2, 3), [5, 3])
        found.append([out, gradients(model), model(packed)[0].data])
    return found


@region
def normalisation_and_dropout() -> Any:
    torch.manual_seed(5)
    model = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(True), nn.Dropout(), nn.Flatten(), nn.LazyLinear(3)
    )
    model(x(2, 1, 5, 5)).sum().backward()
    return gradients(model), dict(model.named_buffers())


@region
def parametrizations() -> Any:
    torch.manual_seed(6)
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    spectral = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2))
    (layer(x(2, 3)).sum() + spectral(x(2, 3)).sum()).backward()
    return gradients(layer), gradients(spectral)


# --- modes ----------------------------------------------------------------------------------------------------------


@region
def autocast() -> Any:
    model = net(3, 4, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x(2, 3))
        loss = out.float().sum()
    loss.backward()
    return out, gradients(model)


@region
def inference_mode() -> Any:
    model = net(3, 2)
    with torch.inference_mode():
        out = model(x(2, 3))
    return out, out.is_inference()


@region
def no_grad_as_a_decorator_and_on_a_generator() -> Any:
    weight = x(3).requires_grad_()

    @torch.no_grad()
    def halved() -> Any:
        return weight / 2

    @torch.no_grad()
    def each() -> Any:
        for number in range(3):
            yield weight * number, torch.is_grad_enabled()

    return halved(), [(one, mode, torch.is_grad_enabled()) for one, mode in each()]


@region
def default_device() -> Any:
    torch.set_default_device("meta")
    try:
        model = nn.Linear(3, 2)
        out = model(torch.ones(2, 3))
        out.sum().backward()
        return out, gradients(model)
    finally:
        torch.set_default_device(None)


@region
def device_as_a_context() -> Any:
    with torch.device("meta"):
        return nn.Linear(3, 2).weight, torch.ones(2) + 1


@region
def default_dtype() -> Any:
    torch.set_default_dtype(torch.float64)
    try:
        return torch.ones(2) / 3
    finally:
        torch.set_default_dtype(torch.float32)


@region
def deterministic_and_anomaly_modes() -> Any:
    a = x(3).requires_grad_()
    with torch.autograd.detect_anomaly(check_nan=False):
        a.sin().sum().backward()
    return a.grad


@region
def anomaly_in_a_formula() -> Any:
    a = torch.zeros(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        (a.sqrt() * 0).sum().backward()


class Names(TorchFunctionMode):
    """Writes down which functions are called."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


class Ops(TorchDispatchMode):
    """Writes down which ops are run."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@region
def modes_of_the_programs_own() -> Any:
    names, ops = Names(), Ops()
    a = x(3).requires_grad_()
    with names, ops:
        (a.sin() * 2).sum().backward()
        b = torch.zeros_like(a)
        b[0] = 1
    return names.names, ops.names, a.grad


# --- kinds of tensors -----------------------------------------------------------------------------------------------


class Tagged(torch.Tensor):
    """A tensor that carries a word."""

    tag = "new"


class Logged(torch.Tensor):
    """Tells of the functions that are called with it."""

    log: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.log.append(getattr(func, "__name__", ""))
        return super().__torch_function__(func, types, args, kwargs or {})


class Wrapper(torch.Tensor):
    """A tensor that holds another one and no memory."""

    @staticmethod
    def __new__(cls, inner: Any) -> Any:
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad
        )

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"Wrapper({self.inner})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        opened = [one.inner if isinstance(one, Wrapper) else one for one in args]
        return cls(func(*opened, **(kwargs or {})))


@region
def subclasses() -> Any:
    Logged.log.clear()
    tagged, logged = x(3).as_subclass(Tagged), x(3).as_subclass(Logged)
    weight = x(3).requires_grad_()
    (tagged * weight).sum().backward()
    return tagged * 2, type(tagged + 1), type(logged.sin()), list(Logged.log), weight.grad


@region
def wrappers() -> Any:
    return str(Wrapper(x(3)) * 2), str((Wrapper(x(3)) + Wrapper(x(3))).sin())


@region
def buffers_and_parameters_of_subclasses() -> Any:
    layer = nn.Linear(2, 2)
    layer.register_buffer("extra", x(2).as_subclass(Tagged))
    layer.own = nn.Parameter(x(2).as_subclass(Tagged))
    (layer.own * layer.extra).sum().backward()
    return type(layer.own), layer.own.grad


@region
def sparse_tensors() -> Any:
    a = torch.eye(3).to_sparse().requires_grad_()
    embedding = nn.Embedding(4, 2, sparse=True)
    nn.init.ones_(embedding.weight)
    (torch.sparse.mm(a, x(3, 2)).sum() + embedding(torch.tensor([1, 1, 2])).sum()).backward()
    return a.grad, embedding.weight.grad, torch.eye(3).to_sparse_csr() @ x(3, 2)


@region
def complex_numbers() -> Any:
    a = torch.complex(x(3), x(3) ** 2).requires_grad_()
    (a * a.conj()).abs().sum().backward()
    return a.grad, torch.fft.fft(x(4)), torch.view_as_real(a), a.conj().imag, (a.conj() * 2).resolve_conj()


@region
def meta_tensors() -> Any:
    a = torch.ones(3, device="meta", requires_grad=True)
    (a * 2).sum().backward()
    return a.grad, a.sin()


@region
def quantized_tensors() -> Any:
    a = torch.quantize_per_tensor(x(3), 0.1, 0, torch.qint8)
    return a, a.dequantize(), a + 0


@region
def small_floats() -> Any:
    a = x(3).to(torch.bfloat16).requires_grad_()
    (a * 2).sum().backward()
    return a.grad, x(3).to(torch.float8_e4m3fn), x(3).to(torch.float8_e5m2).to(torch.float32), x(3).half().sin()


@region
def nested_tensors() -> Any:
    a = torch.nested.nested_tensor([x(2, 3), x(4, 3)], requires_grad=True)
    b = torch.nested.nested_tensor([x(2, 3), x(4, 3)], layout=torch.jagged, requires_grad=True)
    (b * 2).values().sum().backward()
    return torch.nested.to_padded_tensor(a, 0.0), (a * 2).unbind()[0], b.grad.values()


@region
def empty_tensors_and_other_dtypes() -> Any:
    a = torch.empty(0, 3, requires_grad=True)
    (a * 2).sum().backward()
    flags = torch.tensor([True, False]) | torch.tensor([False, False])
    return a.grad, flags, torch.arange(3) // 2, torch.ones(2, dtype=torch.uint16).to(torch.int64), torch.ones(()).item()


# --- copies, files, memory ------------------------------------------------------------------------------------------


@region
def copies_and_pickles() -> Any:
    model = net(3, 2)
    model(x(2, 3)).sum().backward()
    twin, again = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
    return twin.state_dict(), again.state_dict(), gradients(twin), copy.copy(x(3)), copy.deepcopy(x(3).requires_grad_())


@region
def files() -> Any:
    model, held = net(3, 2), io.BytesIO()
    optimizer = torch.optim.Adam(model.parameters())
    model(x(2, 3)).sum().backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "tensor": x(3)}, held)
    held.seek(0)
    return torch.load(held)


@region
def numpy_shares_memory() -> Any:
    a = x(4)
    a.numpy()[0] = 7
    return a, torch.from_numpy(a.numpy()) * 2, torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(a))


@region
def optimizers() -> Any:
    found = []
    for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad):
        for options in ({}, {"foreach": True}, {"foreach": False}):
            model = net(3, 2)
            optimizer = kind(model.parameters(), lr=0.1, **options)
            for _ in range(2):
                optimizer.zero_grad()
                model(x(2, 3)).pow(2).sum().backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
            found.append([list(model.parameters()), [p._version for p in model.parameters()], optimizer.state_dict()])
    return found


@region
def fused_and_closures() -> Any:
    model = net(3, 2)
    fused = torch.optim.AdamW(model.parameters(), fused=True)
    quasi = torch.optim.LBFGS(model.parameters(), max_iter=3)

    def closure() -> Any:
        quasi.zero_grad()
        loss = model(x(2, 3)).pow(2).sum()
        loss.backward()
        return loss

    quasi.step(closure)
    fused.step()
    return list(model.parameters()), [p._version for p in model.parameters()]


@region
def checkpoints_of_both_kinds() -> Any:
    found = []
    for reentrant in (True, False):
        model = nn.Sequential(net(3, 3), nn.Dropout(0.5))
        a = x(2, 3).requires_grad_()
        checkpoint(model, a, use_reentrant=reentrant).sum().backward()
        found.append([a.grad, gradients(model)])
    return found


@region
def checkpoints_in_a_row() -> Any:
    model, a = net(3, 3, 3, 3), x(2, 3).requires_grad_()
    torch.utils.checkpoint.checkpoint_sequential(model, 2, a, use_reentrant=False).sum().backward()
    return a.grad, gradients(model)


# --- compilers and profilers ----------------------------------------------------------------------------------------


@region
def tracing() -> Any:
    model = net(3, 2)
    traced = torch.jit.trace(model, x(2, 3))
    return traced(x(4, 3)), str(traced.code)


@region
def scripting() -> Any:
    scripted = torch.jit.script(net(3, 2))
    scripted(x(2, 3)).sum().backward()
    return scripted(x(4, 3)), gradients(scripted)


@region
def symbolic_tracing() -> Any:
    traced = torch.fx.symbolic_trace(net(3, 2))
    return traced(x(2, 3)), traced.code


@region
def export() -> Any:
    program = torch.export.export(net(3, 2), (x(2, 3),))
    return program.module()(x(2, 3))


@region
def profiler() -> Any:
    with torch.profiler.profile() as found:
        (x(3) * 2).sum()
    return any("aten::mul" in one.key for one in found.key_averages())


@region
def old_profiler() -> Any:
    with torch.autograd.profiler.profile() as found, torch.autograd.profiler.record_function("mine"):
        (x(3) * 2).sum()
    return any("mine" in one.key for one in found.key_averages())


@region
def control_flow_operators() -> Any:
    a = x(3).requires_grad_()
    found = torch.cond(a.sum() > 0, lambda b: b.sin(), lambda b: b.cos(), (a,))
    return found


@region
def custom_operators() -> Any:
    library = torch.library.Library("autograd_lab_watching", "FRAGMENT")
    if not hasattr(torch.ops.autograd_lab_watching, "twice"):
        library.define("twice(Tensor a) -> Tensor")
        library.impl("twice", lambda a: a * 2, "CompositeImplicitAutograd")
    a = x(3).requires_grad_()
    torch.ops.autograd_lab_watching.twice(a).sum().backward()
    return a.grad


@region
def ops_called_by_name() -> Any:
    a = x(3).requires_grad_()
    torch.ops.aten.sin(torch.ops.aten.mul.Tensor(a, 2)).sum().backward()
    return a.grad


@pytest.mark.parametrize("program", region, ids=lambda program: program.__name__)
def test_a_region_is_not_changed_by_a_recording(program: Callable[[], Any]) -> None:
    assert_unchanged(program)
