"""All slopes of several results by several inputs: forward mode takes a run an input, reverse mode a pass a result."""

import time
from itertools import pairwise

import autograd_lab as torch
from autograd_lab.autograd import forward_ad

LAYERS, WIDTH = 6, 32
done = dict.fromkeys(("layer", "tangent", "gradient"), 0)


class Layer(torch.autograd.Function):
    """tanh(w h) that counts how often it is computed, how often its tangent, how often its gradient."""

    @staticmethod
    def forward(ctx, h, w):
        done["layer"] += 1
        result = torch.tanh(w @ h)
        ctx.save_for_backward(w, result)
        ctx.save_for_forward(w, result)
        return result

    @staticmethod
    def jvp(ctx, h, w):
        done["tangent"] += 1
        weight, result = ctx.saved_tensors
        return (1 - result * result) * (weight @ h)

    @staticmethod
    def backward(ctx, g):
        done["gradient"] += 1
        weight, result = ctx.saved_tensors
        return weight.t() @ ((1 - result * result) * g), None


def forward_mode(f, x):
    columns = []
    for direction in torch.eye(x.numel()):
        with forward_ad.dual_level():
            columns.append(forward_ad.unpack_dual(f(forward_ad.make_dual(x, direction))).tangent)
    return torch.stack(columns, 1)


def reverse_mode(f, x):
    y = f(x.requires_grad_())
    return torch.stack([torch.autograd.grad(y, x, g, retain_graph=True)[0] for g in torch.eye(y.numel())])


def measured(mode, inputs, outputs):
    """The Jacobian, how many layers, tangents and gradients were computed for it, and the seconds, best of three."""
    sizes = [inputs, *[WIDTH] * (LAYERS - 1), outputs]
    weights = [torch.sin(torch.arange(1.0, n * k + 1)).reshape(k, n) / n**0.5 for n, k in pairwise(sizes)]

    def f(h):
        for w in weights:
            h = Layer.apply(h, w)
        return h

    seconds = []
    for _ in range(3):
        done.update(layer=0, tangent=0, gradient=0)
        start = time.perf_counter()
        found = mode(f, torch.linspace(-1, 1, inputs))
        seconds.append(time.perf_counter() - start)
    return found, sum(done.values()), min(seconds)


print("inputs  results   forward mode   reverse mode   time, forward / reverse")
for inputs, outputs in ((64, 1), (1, 64), (64, 64)):
    one, steps, seconds = measured(forward_mode, inputs, outputs)
    other, fewer, other_seconds = measured(reverse_mode, inputs, outputs)
    assert torch.allclose(one, other, atol=1e-5)
    print(f"{inputs:6} {outputs:8} {steps:8} steps {fewer:8} steps {seconds / other_seconds:14.2f}")
