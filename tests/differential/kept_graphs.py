"""Programs on whose graphs the engine and PyTorch agree: what nodes save, what hooks see, how second graphs look."""

from __future__ import annotations

KEPT_GRAPHS = {
    "a node's own hook sees None for an input that needs no gradient, and all gradients of a list": """
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
b.add_(3)
b.grad_fn.register_hook(note_node("b"))
c = torch.cat([b, torch.ones(2)])
c.grad_fn.register_hook(note_node("c"))
d = torch.tensor([1.5]) % a
d.grad_fn.register_hook(note_node("d"))
(c.sum() + d.sum()).backward()
""",
    "a node's own hook sees all that a function of the user's returned": """
a = torch.ones(2, requires_grad=True)
b = Both.apply(a, torch.ones(2))[0]
b.grad_fn.register_hook(note_node("b"))
c, = torch.autograd.grad(b.sum(), a)
""",
    "a gradient gets its one dimension back as it was given, several as they are counted from the front": """
a = torch.tensor([[1.0, 2.0, 4.0], [0.5, 1.0, 3.0]], requires_grad=True)
b, = torch.autograd.grad((a.sum(-2) ** 2).sum(), a, create_graph=True)
c, = torch.autograd.grad((a.std(-1) ** 2).sum(), a, create_graph=True)
d, = torch.autograd.grad(a.logsumexp((-2, -1)), a, create_graph=True)
e, = torch.autograd.grad((a[0].var(-1) ** 2).sum(), a, create_graph=True)
f, = torch.autograd.grad((a[None].squeeze((-3,)) ** 2).sum(), a, create_graph=True)
""",
    "attention without queries or values is zeros, with an edge to all three": """
a = torch.ones(2, 0, requires_grad=True)
b = torch.nn.functional.scaled_dot_product_attention(a, a, a)
c = torch.nn.functional.scaled_dot_product_attention(torch.ones(2, 3), torch.ones(4, 5), torch.ones(0, 7))
d = torch.nn.functional.scaled_dot_product_attention(a[:, None], a[:, None], torch.ones(2, 1, 3))
""",
    "a power's gradient is taken in the dtype of the result; stretches go back together at their dimension": """
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor(0.5, dtype=torch.float16, requires_grad=True)
c, = torch.autograd.grad((b ** a).sum(), a, create_graph=True)
d = torch.ones(2, 2, requires_grad=True)
e, = torch.autograd.grad((d.split(1, -2)[0] ** 2).sum(), d, create_graph=True)
""",
    "running products of nothing send back the gradient that came": """
a = torch.ones(0, requires_grad=True)
b, = torch.autograd.grad(a.cumprod(0).sum(), a, create_graph=True)
c, = torch.autograd.grad(a.logcumsumexp(0).sum(), a, create_graph=True)
d = a.gather(0, torch.zeros(0, dtype=torch.int64))
e, = torch.autograd.grad((d ** d).sum(), a, create_graph=True)
""",
    "relu's gradient is 0 where its result was made negative behind its back": """
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a.relu()
b.data[0] = -1
b.sum().backward()
""",
    "what is written to repeated memory has no gradient": """
a = torch.ones(1, requires_grad=True)
b = a * 2
b.expand(2, 2).zero_()
(b * b).sum().backward()
""",
    "a gradient can be written to, wherever it comes from": """
a = torch.ones(3, requires_grad=True)
b = a.diag()
c, = torch.autograd.grad([b.sum(), b.sum()], a)
c.clamp_(0.5)
d = torch.ones(2, 2, requires_grad=True)
e, = torch.autograd.grad(d.rot90().sum(), d)
e.clamp_(0.5)
""",
    "one tensor under two shapes is not written to itself": """
a = torch.ones(1)
a[None] = a
a[::2] *= a
""",
    "half precision is computed in float32 and rounded once": """
a = torch.tensor([131.9], dtype=torch.float16)
b = a.norm(3, 0)
c = torch.tensor([1.0], dtype=torch.float16).sinc()
d = torch.addcmul(a, a, a / 100, value=-0.7)
e = torch.addcdiv(a, a, a / 100, value=-0.7)
""",
    "no gradient of a list is computed that nobody asks for": """
a = torch.ones(2, requires_grad=True)
b = torch.cat([a, a])
b.grad_fn.register_hook(note_node("b"))
b.sum().backward(inputs=[b])
""",
    "an optimizer warns of a parameter that is computed by now": """
a = torch.tensor([1.0, 2.0])
c = torch.optim.SGD([a], lr=0.1)
a.mul_(torch.ones(2, requires_grad=True))
c.step()
c.zero_grad()
""",
    "a logit of what is no number has no slope of 0": """
a = torch.tensor([float("nan"), 0.05, 0.5], requires_grad=True)
a.logit(0.1).sum().backward()
""",
    "parts are cut at dimensions from the front, diagonals at those given; sums of nothing send on what came": """
a = torch.ones(2, requires_grad=True)
b = torch.cat([a, a], -1)
c, = torch.autograd.grad((b ** 2).sum(), a, create_graph=True)
d, = torch.autograd.grad((torch.diag_embed(a) ** 2).sum(), a, create_graph=True)
e = torch.ones(2, 0, requires_grad=True)
f, = torch.autograd.grad(e.cumsum(-1).sum(), e, create_graph=True)
g = torch.ones(2, 1, requires_grad=True)
h, = torch.autograd.grad((g.cumsum(-1) ** 2).sum(), g, create_graph=True)
""",
    "no gradient times no number is none in xlogy": """
a = torch.tensor([0.5, 0.0], requires_grad=True)
b = a.xlogy(-1)
(b.detach() * 0).sum()
b.backward(torch.zeros(2))
""",
    "a normalised instance that lies otherwise is copied and viewed": """
a = torch.arange(24.0).reshape(2, 4, 3).transpose(1, 2).detach().requires_grad_()
b = torch.nn.functional.instance_norm(a)
c = torch.arange(12.0).reshape(1, 4, 3).transpose(1, 2).detach().requires_grad_()
d = torch.nn.functional.instance_norm(c)
""",
    "powers in place are differentiated in the dtype that base and exponent have together": """
a = torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)
b = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
c = a * 1
c **= b
d, e = torch.autograd.grad(c.sum(), [a, b], create_graph=True)
f = a * 1
f **= torch.tensor([2, 3])
g, = torch.autograd.grad(f.sum(), a, create_graph=True)
""",
    "half precision over one number is rounded down from that number in float32": """
a = torch.tensor([1.0, 5.0, -7.0, 0.3], dtype=torch.float16)
b = torch.tensor(0.1, dtype=torch.float64)
c = a // b
d = torch.div(a, b, rounding_mode="floor")
e = torch.div(a, 0.1, rounding_mode="floor")
f = a.bfloat16().div(b, rounding_mode="trunc").float()
a.floor_divide_(b)
""",
    "an outer product of other dtypes is computed, but its gradient is refused": """
a = torch.ones(2, requires_grad=True)
b = torch.addr(torch.ones(2, 2), a, torch.ones(2, dtype=torch.int64))
b.sum().backward()
""",
    "whole numbers do not hold the logarithm of a gamma function": """
a = torch.tensor([3, 4])
a.mvlgamma_(2)
""",
    "what a Kronecker product looks at in inference mode is not saved": """
with torch.inference_mode():
    a = torch.ones(2)
b = torch.kron(a, torch.ones(2, requires_grad=True))
""",
}
