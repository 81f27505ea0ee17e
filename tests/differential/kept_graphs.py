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
    "the copies of a repeated tensor are added up as PyTorch adds them": """
a = torch.ones(3, 2, requires_grad=True)
b = torch.autograd.grad(a.tile((2,)).exp().sum(), a, create_graph=True)[0]
c = torch.autograd.grad(a.repeat(2, 1, 1).exp().sum(), a, create_graph=True)[0]
d = torch.autograd.grad(a.repeat(0, 1).exp().sum(), a, create_graph=True)[0]
""",
    "what is found in a number is scattered back, too": """
a = torch.tensor(2.0, requires_grad=True)
b = torch.autograd.grad((a * a).sort(0)[0].sigmoid(), a, create_graph=True)[0]
c = torch.autograd.grad((a * a).max(0)[0].sigmoid(), a, create_graph=True)[0]
d = torch.autograd.grad((a * a).cummax(0)[0].sigmoid(), a, create_graph=True)[0]
""",
    "powers of 0 have a graph of their own": """
a = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
b = torch.autograd.grad((0 ** a).sum(), a, create_graph=True)[0]
""",
    "what stands for the slope of a deviation without freedom is in single precision": """
a = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
b = torch.autograd.grad(a.std(), a, create_graph=True)[0]
c = torch.ones(0, dtype=torch.float16, requires_grad=True)
d = torch.autograd.grad(c.std(), c, create_graph=True)[0]
""",
    "max_pool1d of what needs no gradient is no view": """
a = torch.ones(1, 2, 4)
b = torch.nn.functional.max_pool1d(a, 2)
c = b[0]
""",
    "a dimension of nothing is saved as it was given": """
a = torch.ones(2, 0, requires_grad=True)
b, c = (a * 1).cummax(3)
b.sum().backward()
""",
    "data and detached tensors of inference tensors are such, but may be written to": """
with torch.inference_mode(): a = torch.ones(2)
b, c = a.data, a.detach()
b.add_(1)
c.mul_(2)
d = b.is_inference(), c.is_inference(), b._version, c._version, b.view(-1).is_inference()
b.view(-1).add_(1)
c[0] = 3
e = c * torch.ones(2, requires_grad=True)
f = torch.zeros(2)
f.add_(1)
f.data = b
g = f.is_inference(), f._version
""",
    "a loss of two dtypes sends each gradient in its own, but Huber's refuses": """
a = torch.tensor([0.3, -1.7], dtype=torch.float16, requires_grad=True)
b = torch.tensor(0.3, requires_grad=True)
c, d = torch.autograd.grad(torch.nn.functional.smooth_l1_loss(a, b), [a, b], create_graph=True)
torch.nn.functional.huber_loss(a, torch.tensor([1, 0])).backward()
torch.nn.functional.huber_loss(a.detach(), b).backward()
""",
    "a vector beside a batch is a column that is taken out again; dimensions of a number are exchanged, too": """
a = torch.ones(2, 2, 3, 3, requires_grad=True)
b = a.transpose(1, 3) @ torch.ones(2)
c = torch.tensor(0.5, requires_grad=True)
d, = torch.autograd.grad(c.transpose(0, -1).sinh(), c, create_graph=True)
""",
    "a power's exponent of whole numbers stays one in its gradient, a variance without freedom is one of float32": """
a = torch.ones(2, dtype=torch.float16, requires_grad=True)
b, = torch.autograd.grad((a ** torch.tensor([2, 3])).sum(), a, create_graph=True)
c = torch.ones(1, dtype=torch.float64, requires_grad=True)
d, = torch.autograd.grad(c.std(), c, create_graph=True)
""",
    "running extremes of nothing send back their input, with its history": """
a = torch.ones(2, 0, requires_grad=True)
b = (a * 1).cummax(0)[0]
b.sum().backward(create_graph=True)
c = torch.autograd.grad(torch.nn.functional.huber_loss(a, b), a, create_graph=True)
""",
    "a view in inference mode requires no grad": """
with torch.inference_mode(): a, b = torch.ones(2, requires_grad=True).chunk(2)
with torch.inference_mode(): c = torch.atleast_3d(torch.ones(2, requires_grad=True))
""",
    "whether a view is a leaf is not asked of its base where grad is asked for, or given up": """
a = torch.tensor([-1.0, -1.2], requires_grad=True)
b = a * 1
with torch.no_grad(): c = b[:]
b.exp_()
c.retain_grad()
c.requires_grad_(False)
with torch.no_grad(): d = a[:]
d.requires_grad = True
d.requires_grad_(False)
e = Same.apply(d, 1)
""",
    "attention over rows that lie apart has no node of its own, weights that lie apart are shaped with another": """
a = torch.ones(2, 2, 3, 3, requires_grad=True)
b = torch.nn.functional.scaled_dot_product_attention(a, a.mT, a)
c = torch.nn.functional.prelu(a[0, 0], torch.ones(6, requires_grad=True)[::2])
""",
    "the gradient of a mean may be written to": """
a = torch.ones(2, 3, requires_grad=True)
b, = torch.autograd.grad(a.mean(), a)
b.mul_(2)
""",
    "least squares of another number of right sides keep these as they are": """
a = torch.tensor([[[0.5, 1.0], [1, 3]], [[1.1, 0.0], [1, 4]]], dtype=torch.float64, requires_grad=True)
b = torch.tensor([[[1.0], [2.0]]], dtype=torch.float64, requires_grad=True)
c = torch.linalg.lstsq(a, b)[0]
c.sum().backward()
""",
    "a view that a write to its base made part of the graph is a leaf until it is asked": """
a = torch.tensor([-1.2], requires_grad=True)
b = torch.ones(1)
c = b[:]
c[...] += a
d = torch.ones(1)[:]
d[...] += a
""",
    "a function of the user's that would write to a view of several takes its gradient away": """
a, b = (torch.ones(2, requires_grad=True) * 1).unbind()
a.retain_grad()
a.backward(retain_graph=True)
c = Doubled_.apply(a)
""",
    "products with two zeros have no slope, whatever else is in them": """
a = torch.tensor([0.0, float('nan'), 0.0, 2.0], requires_grad=True)
a.prod().backward()
""",
    "of two values that were written to, a second graph tells the one that is unpacked first": """
a = torch.tensor([2.0, -1.0], requires_grad=True)
b = torch.outer(a, a)
with torch.no_grad(): a.cos_()
b.sum().backward(create_graph=True)
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
    "a sum to a number is a node, also of a number": """
a = torch.tensor(0.3, requires_grad=True)
b = torch.broadcast_to(a * a, ())
b.backward(create_graph=True)
c = (a * a).index_select(0, torch.tensor([0]))
c.backward(create_graph=True)
d = (a * a).var(0, unbiased=False)
d.backward(create_graph=True)
""",
    "the terms of softmax's second graph come from the last to the first": """
a = torch.tensor([[2.1], [0.5]], requires_grad=True)
b = (a * a).softmax(-2)
c = torch.autograd.grad(b, a, torch.ones_like(b), create_graph=True)[0]
d = torch.autograd.grad(c, a, torch.ones_like(b), create_graph=True)[0]
e = (a.sum().double() ** 2).softmax(-1)
e.sum().backward(create_graph=True)
""",
    "a view that was given a node keeps it when its base is detached": """
a = torch.ones(2)
b = a.swapaxes(0, -1)
a[None].mul_(torch.ones(1, requires_grad=True))
a.detach_()
""",
    "a leaf that is a view keeps its accumulator when it is switched off and on": """
a = torch.tensor([0.7, 1.1]).t().requires_grad_()
b = a * 2
a.requires_grad_(False)
a.requires_grad_()
c = a * 3
""",
    "cosine_similarity casts nothing that is floating": """
a = torch.tensor([0.7, 1.1], dtype=torch.float64, requires_grad=True)
b = torch.tensor([2.0, -0.5], requires_grad=True)
c = torch.nn.functional.cosine_similarity(a, b, 0)
d = torch.nn.functional.cosine_similarity(torch.arange(2), b, 0)
""",
    "igamma tells of what has no derivative only if that is wanted": """
a = torch.tensor([2.1, 0.9], requires_grad=True)
b = a.log()
c = torch.igamma(a, b)
c.sum().backward(inputs=[b], retain_graph=True)
c.sum().backward()
""",
}
