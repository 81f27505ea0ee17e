"""Programs whose graphs `make_dot` draws: each takes the module to use as `m` and returns its output and named tensors.

`EVERYWHERE` run in our engine and in PyTorch and have one graph in both; `IN_TORCH` are PyTorch's alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Program = Callable[[Any], tuple[Any, dict[str, Any]]]

EVERYWHERE: list[Program] = []
IN_TORCH: list[Program] = []


def everywhere(program: Program) -> Program:
    EVERYWHERE.append(program)
    return program


def in_torch(program: Program) -> Program:
    IN_TORCH.append(program)
    return program


def named(net: Any) -> dict[str, Any]:
    return dict(net.named_parameters())


def leaf(m: Any, *shape: int) -> Any:
    return m.ones(*shape, requires_grad=True)


@everywhere
def product(m: Any) -> Any:
    a, b = m.tensor(2.0, requires_grad=True), m.tensor(3.0, requires_grad=True)
    return (a + b) * (b + 1), {"a": a, "b": b}


@everywhere
def square(m: Any) -> Any:
    x = m.tensor([1.0, 2.0], requires_grad=True)
    return (x * x).sum(), {"x": x}


@everywhere
def regression(m: Any) -> Any:
    x, y = m.tensor([[1.0, 2.0], [3.0, 4.0]]), m.tensor([[1.0], [2.0]])
    w, b = m.tensor([[0.5], [0.1]], requires_grad=True), m.tensor([0.0], requires_grad=True)
    return ((x @ w + b - y) ** 2).mean(), {"w": w, "b": b}


@everywhere
def several_outputs(m: Any) -> Any:
    x = m.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x.exp()
    return (y.sum(), y * 2, y), {}


@everywhere
def outputs_of_one_node(m: Any) -> Any:
    x = leaf(m, 4, 2)
    largest, _ = x.max(dim=1)
    first, second = x.unbind(1)
    return (largest, first, *x.chunk(2), second * first), {"x": x}


@everywhere
def the_same_output_twice(m: Any) -> Any:
    x = leaf(m, 2)
    y = x * 2
    return (y, y, x), {"x": x, "again": x}


@everywhere
def leaf_alone(m: Any) -> Any:
    x = m.tensor([1.0], requires_grad=True)
    return x, {"x": x}


@everywhere
def without_gradient(m: Any) -> Any:
    x = leaf(m, 2)
    with m.no_grad():
        y = x * 2
    return (y, x.detach() * 3, m.ones(3)), {"x": x, "y": y}


@everywhere
def view_of_a_result(m: Any) -> Any:
    x = m.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    return (x * 2)[0], {"x": x}


@everywhere
def views_of_leaves(m: Any) -> Any:
    x = leaf(m, 2, 3)
    return (x.t(), x.view(3, 2)[0], x[:, None].squeeze(1), m.ones(2, 2)[0]), {"x": x}


@everywhere
def several_views_of_one_base(m: Any) -> Any:
    x = leaf(m, 6)
    base = x * 2
    return (base[:3], base.view(2, 3).t(), base), {"x": x}


@everywhere
def write_in_place(m: Any) -> Any:
    x = leaf(m, 3)
    y = x * 2
    y.add_(1).mul_(x)
    return y.relu_(), {"x": x}


@everywhere
def write_through_a_view(m: Any) -> Any:
    x = leaf(m, 2, 3)
    base = x.clone()
    base[0].mul_(2)
    base[:, 1] = 0
    return (base.sum(), base[1]), {"x": x}


@everywhere
def gradient_of_a_gradient(m: Any) -> Any:
    x = leaf(m, 3)
    y = (x**3).sum() * x.sin().mean()
    (slope,) = m.autograd.grad(y, x, create_graph=True)
    return (slope * slope).sum(), {"x": x}


@everywhere
def backward_with_a_graph(m: Any) -> Any:
    x = leaf(m, 2)
    (x.exp() * x).sum().backward(create_graph=True)
    return x.grad, {"x": x}


@everywhere
def concatenation(m: Any) -> Any:
    a, b = leaf(m, 2), leaf(m, 3)
    return m.cat([a, b, a]).prod() + m.stack([a, a * 2]).sum(), {"a": a}


@everywhere
def positions(m: Any) -> Any:
    x = leaf(m, 3, 4)
    rows = m.tensor([0, 2])
    return (x[rows].sum() + x[:, rows].gather(1, m.tensor([[0], [1], [0]])).mean() + x[x > 0].sum()), {"x": x}


@everywhere
def choices(m: Any) -> Any:
    x = leaf(m, 3)
    y = m.where(x > 0, x * 2, x.abs()).clamp(0.1, 3.0)
    return y.masked_fill(y > 2, 0.0).norm() + m.nn.functional.softmax(y, 0).var(), {"x": x}


@everywhere
def dtypes(m: Any) -> Any:
    x = leaf(m, 3)
    return x.double().half().float().sum(), {"x": x}


@everywhere
def loop(m: Any) -> Any:
    w, h = leaf(m, 2, 2), m.zeros(2)
    for _ in range(5):
        h = m.tanh(w @ h + 1)
    return h.sum(), {"w": w}


@everywhere
def mlp(m: Any) -> Any:
    net = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.ReLU(), m.nn.LayerNorm(4), m.nn.Linear(4, 2))
    return net(m.ones(5, 3)).pow(2).mean(), named(net)


@everywhere
def classifier(m: Any) -> Any:
    net = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.GELU(), m.nn.Dropout(0.5), m.nn.Linear(4, 3))
    return m.nn.functional.cross_entropy(net(m.ones(2, 3)), m.tensor([0, 2])), named(net)


@everywhere
def cnn(m: Any) -> Any:
    nn = m.nn
    net = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)
    )
    return net(m.ones(2, 1, 6, 6)), named(net)


@everywhere
def residual(m: Any) -> Any:
    conv = m.nn.Conv2d(2, 2, 3, padding=1)
    x = m.ones(1, 2, 4, 4)
    return m.nn.functional.avg_pool2d(m.relu(conv(conv(x)) + x), 2).mean((2, 3)), named(conv)


@everywhere
def rnn(m: Any) -> Any:
    cell = m.nn.RNNCell(2, 3)
    h = m.zeros(1, 3)
    for _ in range(3):
        h = cell(m.ones(1, 2), h)
    return h.sum(), named(cell)


@everywhere
def gates(m: Any) -> Any:
    x, c = leaf(m, 2, 8), m.zeros(2, 2)
    i, f, g, o = x.chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return (o.sigmoid() * c.tanh(), c), {"x": x}


@everywhere
def embedding(m: Any) -> Any:
    net = m.nn.Embedding(5, 3)
    return net(m.tensor([[0, 1], [2, 2]])).sum(), named(net)


@everywhere
def encoder(m: Any) -> Any:
    net = m.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return net(m.ones(1, 4, 8)).sum(), named(net)


@everywhere
def custom(m: Any) -> Any:
    class Cube(m.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x, x * 2)
            ctx.number = 3
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 3 * ctx.saved_tensors[0] ** 2

    x = leaf(m, 2)
    return Cube.apply(x * 2).sum(), {"x": x}


@everywhere
def custom_with_two_outputs(m: Any) -> Any:
    class Both(m.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, x: Any, times: float) -> Any:
            sine, product = x.sin(), x * times
            ctx.save_for_backward(x, sine)
            ctx.mark_non_differentiable(product)
            return sine, product

        @staticmethod
        def backward(ctx: Any, grad: Any, _: Any) -> Any:
            return grad * ctx.saved_tensors[0].cos(), None

    x = leaf(m, 2)
    return Both.apply(x, 2.0), {"x": x}


@everywhere
def hooks(m: Any) -> Any:
    x = leaf(m, 2)
    y = x * 2
    y.register_hook(lambda grad: grad * 2)
    y.retain_grad()
    return y.sum(), {"x": x}


@everywhere
def reentrant_checkpoint(m: Any) -> Any:
    x = leaf(m, 2)
    from importlib import import_module

    checkpoint = import_module(f"{m.__name__}.utils.checkpoint").checkpoint
    return checkpoint(lambda x: x.exp() * 2, x, use_reentrant=True).sum(), {"x": x}


@everywhere
def kept_graph(m: Any) -> Any:
    x = leaf(m, 2)
    y = (x.exp() * x).sum()
    y.backward(retain_graph=True)
    return y, {"x": x}


@in_torch
def lstm(m: Any) -> Any:
    net = m.nn.LSTM(2, 3, num_layers=2)
    output, (h, c) = net(m.ones(4, 1, 2))
    return (output, h, c), named(net)


@in_torch
def gru(m: Any) -> Any:
    net = m.nn.GRU(2, 3, bidirectional=True)
    return net(m.ones(4, 1, 2))[0].sum(), named(net)


@in_torch
def transformer(m: Any) -> Any:
    net = m.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    return net(m.ones(1, 4, 8), m.ones(1, 3, 8)), named(net)


@in_torch
def attention(m: Any) -> Any:
    q = leaf(m, 1, 2, 4, 8)
    return m.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True), {"q": q}


@in_torch
def complex_numbers(m: Any) -> Any:
    x = leaf(m, 4)
    return m.fft.ifft(m.fft.fft(x) * 2j).abs().sum(), {"x": x}


@in_torch
def sparse(m: Any) -> Any:
    weight, x = m.eye(3).to_sparse().requires_grad_(), leaf(m, 3)
    return (m.sparse.mm(weight, x[:, None]), weight.to_dense().sum()), {"x": x, "weight": weight}


@in_torch
def half_precision(m: Any) -> Any:
    net = m.nn.Linear(2, 2)
    with m.autocast("cpu", m.bfloat16):
        return net(m.ones(1, 2)).float().sum(), named(net)


@in_torch
def on_no_device(m: Any) -> Any:
    x = m.ones(2, 3, device="meta", requires_grad=True)
    return x.exp()[0], {"x": x}


@in_torch
def lists_of_tensors(m: Any) -> Any:
    x = leaf(m, 2)
    return tuple(m._foreach_mul([x, x.exp()], 2.0)), {"x": x}


@in_torch
def decompositions(m: Any) -> Any:
    x = leaf(m, 3, 3)
    return (m.linalg.svd(x)[1].sum(), m.linalg.qr(x + m.eye(3)).R, m.einsum("ij,jk->k", x, x)), {"x": x}


@in_torch
def hooks_of_a_module(m: Any) -> Any:
    net = m.nn.Linear(2, 2)
    net.register_full_backward_hook(lambda *_: None)
    return net(leaf(m, 1, 2)).sum(), named(net)


@in_torch
def inference(m: Any) -> Any:
    x = leaf(m, 3)
    with m.inference_mode():
        return (x * 2, x[:2]), {"x": x}


@in_torch
def compiled(m: Any) -> Any:
    x = leaf(m, 3)
    return m.compile(lambda x: (x.exp() * x).sum(), backend="eager")(x), {"x": x}


@in_torch
def normalized_weight(m: Any) -> Any:
    net = m.nn.utils.parametrizations.weight_norm(m.nn.Linear(2, 2))
    return net(m.ones(1, 2)), named(net)
