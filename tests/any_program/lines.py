"""What the random programs here are written of, beside the surface of `tests.differential`: odd tensors, changes of
shape and memory in place, modules inside modules, loops, hooks that do things, and ways to end.

Holes are filled as there; `{width}` is the width of what was made of the tensor chosen last for a module to take.
"""

from __future__ import annotations

DEFINITIONS = {
    "Head": """
class Head(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.value = (torch.nn.Linear(width, 2) for _ in range(3))
    def forward(self, x):
        return torch.softmax(self.query(x) @ self.key(x).transpose(-2, -1), -1) @ self.value(x)
""",
    "Heads": """
class Heads(torch.nn.Module):
    def __init__(self, width, count=2):
        super().__init__()
        self.heads = torch.nn.ModuleList([Head(width) for _ in range(count)])
    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], -1)
""",
    "Block": """
class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.mix = torch.nn.LayerNorm(width), torch.nn.Linear(width, width)
    def forward(self, x):
        return x + torch.relu_(self.mix(self.norm(x)))
""",
    "Model": """
class Model(torch.nn.Module):
    def __init__(self, width, depth=3):
        super().__init__()
        self.blocks = torch.nn.Sequential(*[Block(width) for _ in range(depth)])
        self.register_buffer("scale", torch.full((width,), 0.5))
        self.last = torch.nn.Linear(width, 1, bias=False)
    def forward(self, x):
        self.scale.mul_(0.9)
        return self.last(self.blocks(x) * self.scale)
""",
    "Again": """
class Again(torch.nn.Module):
    def __init__(self, width, times=4):
        super().__init__()
        self.cell, self.times = torch.nn.Linear(width, width), times
    def forward(self, x):
        for _ in range(self.times):
            x = torch.tanh(self.cell(x))
        return x
""",
    "Fails": """
class Fails(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = torch.nn.Linear(width, 2)
    def forward(self, x):
        return self.inner(self.inner(x))
""",
    "Wrong": """
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        raise ValueError("wrong <b>on purpose</b>")
""",
    "Nothing": """
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        return None, g
""",
}
"""What lines may use beside torch."""
NEEDED_BY = {"Heads": ["Head"], "Model": ["Block"]}

ODD = [
    "torch.tensor([float('nan'), 1.0, float('-inf')], requires_grad=True)",
    "torch.tensor(float('nan'), requires_grad=True)",
    "torch.full({size}, float('inf'), requires_grad=True)",
    "torch.ones(2, 0, requires_grad=True)",
    "torch.ones(0, requires_grad=True)",
    "torch.zeros(0, 3, 2, requires_grad=True)",
    "torch.tensor([], requires_grad=True)",
    "torch.ones(9, 10, requires_grad=True)",
    "torch.linspace(-2, 2, 120, requires_grad=True)",
    "torch.full((3, 5, 7), float('nan'), requires_grad=True)",
    "torch.ones(2, 3, 4, 2, requires_grad=True)",
    "torch.tensor([True, False])",
    "torch.tensor(7)",
    "torch.arange(100)",
    "torch.ones(3, dtype=torch.bfloat16, requires_grad=True)",
    "torch.full((10, 10), 0.1, dtype=torch.float16, requires_grad=True)",
    "torch.full((3,), 1e300, dtype=torch.float64, requires_grad=True)",
    "torch.full((70,), 1e-310, dtype=torch.float64, requires_grad=True)",
    "torch.linspace(-1e308, 1e308, 80, dtype=torch.float64, requires_grad=True)",
    "torch.full((3,), 2**62, dtype=torch.int64)",
    "torch.tensor([1 + 2j], requires_grad=True)",
    "torch.nn.Parameter(torch.ones({size}))",
    "torch.ones(2).expand(40, 2).requires_grad_()",
]
RESHAPED = [
    "{w}.t_()",
    "{w}.squeeze_()",
    "{w}.squeeze_({dim})",
    "{w}.unsqueeze_({dim})",
    "{w}.transpose_({dim}, {dim})",
    "{w}.swapaxes_(0, -1)",
    "{w}.resize_({count})",
    "{w}.resize_({size})",
    "{w}.as_strided_((1,), (1,))",
    "{view}.t_()",
    "{view}.squeeze_()",
    "{x}.data = {x}",
    "{x}.data = {f}",
    "{leaf}.data = torch.zeros({size})",
    "{leaf}.data = {leaf}.data.double()",
    "{leaf}.data = {leaf}.data.t()",
    "{leaf}.data -= 0.1",
    "{leaf}.grad.data.t_()",
    "{leaf}.grad.data = torch.ones({size})",
    "{w}.set_({x})",
    "{w}.detach_()",
    "torch.add({x}, {y}, out={w})",
    "torch.mul({x}, 2, out=torch.ones(0))",
]
RESULTS = ["torch.ones({last}) @ {m}", "({f} @ {m}).squeeze()", "{f}.sum(()).expand(3)", "{f}.new_ones(0) * 2"]
MODULES = [
    "Head({last})({f})",
    "Heads({last})({f})",
    "Heads({last}, 3)({f})",
    "Heads({last}, 14)({f})",
    "Model({last})({f})",
    "Model({last}, 9)({f})",
    "Again({last}, {count})({f})",
    "Again({last}, 30)({f})",
    "Fails({last})({f})",
    "torch.nn.Linear({last}, 2, bias=False)({f})",
    "torch.nn.Sequential(torch.nn.Linear({last}, 3), torch.nn.BatchNorm1d(3), torch.nn.ReLU(True))({f})",
    "torch.nn.Dropout(0.5)({f})",
    "torch.nn.Identity()({f})",
    "torch.nn.LayerNorm({last})({f})",
    "torch.nn.LSTM({last}, 2)({f})[0]",
    "torch.nn.GRU({last}, 2, num_layers=2)({f})[1]",
    "torch.nn.RNNCell({last}, 2)({f})",
    "torch.nn.MultiheadAttention({last}, 1)({f}, {f}, {f})[0]",
    "torch.nn.TransformerEncoderLayer({last}, 1, 4)({f})",
    "torch.nn.Conv1d(1, 2, 1)({f}.reshape(1, 1, -1))",
    "torch.nn.Embedding(4, 2)(torch.tensor([0, 3, 3]))",
    "torch.nn.Flatten(0)({f})",
    "torch.nn.CrossEntropyLoss()({f}, {classes})",
    "torch.nn.Linear({last}, 2).double()({f}.double())",
    "torch.nn.Linear({last}, 2).half()({f}.half())",
]
BUILT = ["Heads({last})", "Model({last})", "Again({last})", "torch.nn.Sequential()", "torch.nn.Linear({last}, {last})"]
HELD = [
    "{model}.double()",
    "{model}.half()",
    "{model}.float()",
    "{model}.requires_grad_(False)",
    "{model}.train(False)",
]
LOOPS = [
    "for _ in range({count}): {w}.add_(1)",
    "for _ in range(70): {f}.sin()",
    "for turn in range(3): {root}.backward(retain_graph=True)",
    "for turn in range(30): torch.optim.SGD([{leaf}], lr=0.1).step()",
    "for row in {f}: row.sum()",
    "[{f} * k for k in range(5)]",
    "for _ in range(3): {model}({f}).sum().backward()",
    "for k in range(3): torch.autograd.grad({root}, {needy}, create_graph=True)[0].sum().backward()",
    "exec('for _ in range(2): {f}.exp()')",
]
GROWN = ["[t := {f}, *[t := torch.tanh(t * 0.9) for _ in range({many})]][-1]"]
ACTING = [
    "{hooked}.register_hook(lambda g: g.mul_(2))",
    "{hooked}.register_hook(lambda g: 1 / 0)",
    "{hooked}.register_hook(lambda g: g.t())",
    "{hooked}.register_hook(lambda g: torch.ones(1).requires_grad_().exp().backward())",
    "{leaf}.register_post_accumulate_grad_hook(lambda leaf: leaf.grad.mul_(3) and None)",
    "{leaf}.register_post_accumulate_grad_hook(lambda leaf: setattr(leaf, 'grad', None))",
    "{leaf}.register_post_accumulate_grad_hook(lambda leaf: leaf.data.sub_(1) and None)",
    "{made}.grad_fn.register_hook(lambda *gs: None)",
    "{made}.grad_fn.register_prehook(lambda gs: None)",
    "torch.autograd.graph.register_multi_grad_hook([{needy}, {needy}], lambda gs: None)",
    "{model}.register_forward_hook(lambda *of: None)",
    "{model}.register_full_backward_hook(lambda *of: None)",
    "torch.autograd.set_detect_anomaly({bool})",
    "torch.set_grad_enabled({bool})",
]
PASSES = [
    "{root}.backward(create_graph=True)",
    "{root}.backward(retain_graph=True)",
    "{made}.backward(torch.zeros_like({made}))",
    "torch.autograd.grad({root}, {needy}, create_graph=True)[0].sum().backward()",
    "torch.autograd.functional.hessian(lambda t: (t ** 3).sum(), {f})",
    "torch.autograd.functional.jacobian(lambda t: t * t, {f})",
    "torch.func.grad(lambda t: (t ** 2).sum())({f})",
    "torch.autograd.forward_ad.dual_level().__enter__()",
    "torch.autograd.backward([])",
    "{made}.grad_fn(torch.ones_like({made}))",
]
KEPT = [
    "torch.utils.checkpoint.checkpoint(lambda t: t.sin() * t, {needy}, use_reentrant=False)",
    "torch.utils.checkpoint.checkpoint(lambda t: t.exp(), {needy}, use_reentrant=True)",
    "Wrong.apply({f})",
    "Nothing.apply({f}, {f})",
]
PACKING = [
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 1, lambda t: t): ",
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: None, lambda t: 1 / 0): ",
    "with torch.autograd.graph.save_on_cpu(): ",
    "with torch.inference_mode(): ",
    "with torch.autograd.detect_anomaly(): ",
    "with torch.autocast('cpu', dtype=torch.bfloat16): ",
]
LAST = [
    "raise RuntimeError",
    "raise ValueError('')",
    "raise ValueError('one\\n\\n  two <b> & \\x1b[31m\\x00 \\u2028 \\ud800')",
    "raise KeyError({f})",
    "assert {f}.sum() == 12345",
    "raise SystemExit(3)",
    "1 / 0",
    "undefined_name",
    "{root}.backward(); {root}.backward()",
    "{w}[99]",
    "{f} @ torch.ones(97, 89)",
    "{f} @ torch.ones(97)",
    "del {x}",
    "",
]
"""How a program ends; what it raises there is not caught."""

NAMES = ["λ", "été", "x_" + "y" * 60, "_", "__", "self", "grad", "None_", "名前"]
"""Names that variables have now and then."""
