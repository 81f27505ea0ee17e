"""Programs in which the engine once differed from PyTorch. Their names say what is the same by now."""

from __future__ import annotations

KEPT = {
    "integers and truth values made of what requires grad require none": """
b = torch.tensor(2.1, requires_grad=True)
c, d, e = b.long(), b.bool(), b.half().double()
""",
    "a write through an index of everything is a copy with PyTorch's name": """
b = torch.tensor([2.1, 3.0], requires_grad=True)
c = b * 1
c[...] *= 0
""",
    "a view made under no_grad requires grad as its base does, and leads nowhere": """
a = torch.tensor([[1.0, 2.0]]).t().requires_grad_()
with torch.no_grad(): b = a[:]
c = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad(): d = c[:]
e = d.exp()
e.sum().backward()
d.backward(torch.ones(2))
""",
    "a view requires grad as soon as its base does": """
a = torch.tensor([1.0, 2.0])
b = a[:]
a.requires_grad_()
c = b.exp()
a.requires_grad_(False)
d = b * 3
""",
    "a view of a view is looked at anew after a write, also where the base requires no grad": """
a = torch.tensor([1.0, 2.0])
b = a[:]
b.requires_grad_()
c = b[0]
a.zero_()
c.backward()
""",
    "a view that is a leaf is not written to": """
a = torch.tensor([[-1.0], [0.7]]).t().requires_grad_()
a[:] -= 0.5
a.zero_()
""",
    "a view that can no longer tell its history says so, but for its number": """
a = torch.ones(3, 2, requires_grad=True)
b, c = a.split(1, 1)
c.detach().mul_(2.25)
d = b * 2
""",
    "the positions that max saves are those that it returned": """
a = torch.tensor([[-1.0, 2.0], [0.7, 3.0]], requires_grad=True)
b, c = a.max(0)
d, e = a.min(1, keepdim=True)
""",
    "a slot that was never filled is None also after backward": """
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = 0.5 * a
b.sum().backward()
""",
    "one gradient asked for twice is one tensor": """
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = (a * a).sum()
c, d = torch.autograd.grad(b, [a, a])
""",
    "no gradient is stored in a leaf that no longer requires it": """
a = torch.ones(2, requires_grad=True)
b = a[None]
a.requires_grad_(False)
b.sum().backward()
""",
    "backward without a graph fails before it warns of one": """
a = torch.ones(2, requires_grad=True)
with torch.no_grad(): a.sum().backward(create_graph=True)
""",
    "a truth value as an index is the whole, or nothing": """
a = torch.tensor(2.0, requires_grad=True)
b = a[True]
c = a * 2
c[torch.tensor(True)] = 0.5
c[False] = 3.0
d = c[None, True]
d.sum().backward()
e = torch.tensor([[2.0, 3.0], [1.0, 0.0]], requires_grad=True) * 1
e[True, 0] = 3
e[0, True] = 4
""",
    "a list of lists is one index for each dimension, with a warning": """
a = torch.tensor([[2.0, 3.0], [1.0, 0.0]], requires_grad=True)
b = a[[[0], [0]]]
c = a[[0, 1]]
d = a[[slice(0, 1), None]]
e = a[[True, False]]
""",
    "positions are written to where the dtypes match, numbers through masks always": """
a = torch.tensor([[2.1, 1.1], [0.5, -0.8]], dtype=torch.float16)
a[[0, 0]] = torch.tensor([1, 2])
a[[0, 0]] = 1
a[[True, False]] = torch.tensor(1)
a[[0, 0]] = torch.ones(3, 2, dtype=torch.float16)
a[0, [0]] += 1
""",
    "a tensor of integers gets no history from what is copied into it": """
a = torch.tensor([0.7, -1.2], requires_grad=True)
b = torch.zeros(2, dtype=torch.int64)
b.copy_(a)
b.copy_(3)
""",
    "numbers promote what clamp, remainder and powers are taken of": """
a = torch.tensor([True, False])
b = a.clamp(min=1)
c = a.clamp(False, 1.5)
d = a % 2
e = 2**a
f = torch.tensor([1, 2]).clamp_max(1.5)
""",
    "truth values are not subtracted": """
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a > 1
c = b - b
c = b - 1
c = 1 - b
c = a - True
c = a - b
c = a.sub(True)
c = a.add(a, alpha=True)
c = torch.tensor([1, 2]).add(1, alpha=0.5)
""",
    "maximum shares gradients in the dtype of the result, and gives NaN to both": """
a = torch.tensor([-2.3, 1.0, float("nan")], dtype=torch.float16, requires_grad=True)
b = torch.tensor(-2.3, requires_grad=True)
c = torch.maximum(a, b)
d = torch.minimum(a, b)
e, f = torch.autograd.grad((c + d).sum(), [a, b], create_graph=True)
""",
    "NaN stays NaN in softmax of a number, and has no sign": """
a = torch.tensor(float("nan"))
b, c, d = a.softmax(0), a.log_softmax(0), a.sign()
""",
    "variances of too few elements warn": """
a = torch.tensor([[1.0], [2.0]], requires_grad=True)
b = a.std(1)
c = a.var(0, correction=4)
d = torch.ones(2, 0).var(-2)
c.sum().backward()
""",
    "reductions of nothing answer or refuse": """
a = torch.zeros(0)
b = torch.zeros(2, 0, requires_grad=True)
c = a.amax()
c = b.amin(1)
c = b.max(1)
c = b.max(0)
c = a.argmax(0)
c = b.logsumexp(1)
c = a.softmax(0)
c = a.norm(float("inf"))
c = a.chunk(2)
c = torch.zeros(0, 2).unbind()
c = a.mean()
""",
    "ops that need dimensions refuse a number": """
a = torch.tensor(1.0, requires_grad=True)
b = a.unbind()
b = a.chunk(2)
b = a.split(1)
b = a.narrow(0, 0, 1)
b = a.select(0, 0)
b = a.T
b = torch.tensor([2.0]).mT
b = torch.tensor([2.0]).triu()
b = a.gather(-1, torch.zeros((), dtype=torch.int64))
b.backward()
""",
    "elements that are one in memory may be filled, not changed": """
a = torch.ones(1).expand(3)
a.zero_()
a.fill_(2)
a.add_(1)
b = torch.tensor(1.0)
b[None] = b
""",
    "products save the strides only of what needs a gradient": """
a = torch.ones(2, 2, requires_grad=True)
b = torch.ones(2, 2)
c, d = a @ b, b @ a
e = torch.addmm(b, b, a)
""",
    "gradients flow to nothing through a division that has no derivative": """
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a // 2
c = a // torch.tensor([1.0, 2.0])
b.sum().backward()
""",
    "hooks after accumulation return nothing": """
a = torch.ones(2, requires_grad=True)
a.register_post_accumulate_grad_hook(lambda p: p.detach())
(a * 2).sum().backward()
""",
    "exponents of gradients are floats": """
a = torch.ones(2, requires_grad=True)
b, = torch.autograd.grad((a**3).sum(), a, create_graph=True)
c, = torch.autograd.grad(b.sum(), a, create_graph=True)
""",
    "operands of three sizes do not go together": """
a = torch.where(torch.tensor([True, False, False]), 1, torch.ones(1, 2))
b = torch.ones(2, 1).copy_(torch.ones(2, 3))
c = torch.maximum(torch.ones(2), 1)
""",
    "a view that was made under no_grad is a leaf once it is asked to require grad": """
a = torch.ones(2, requires_grad=True) * 2
with torch.no_grad(): b = a[None]
b.requires_grad_()
c = b / a
c.sum().backward()
""",
    "writes by position reach all elements that are one in memory": """
a = torch.ones(2, 2, requires_grad=True)
b = torch.autograd.grad(a.sum(), a, create_graph=True)[0]
b[[0, -1]] = 1.5
b.index_fill_(0, torch.tensor([0]), 2)
c = torch.tensor([1.0, 2.0]).expand(3, 2)
c.masked_fill_(c > 1, 5)
c.tril_()
c[c > 0] = 7
""",
    "contracted dimensions of one element are summed first, and one number is a product of vectors": """
a = torch.ones(2, 1, requires_grad=True)
b = torch.tensordot(a, torch.ones(3, 2), 1)
c = torch.tensordot(torch.ones(1, 2, requires_grad=True), torch.ones(2), 1)
d = torch.inner(torch.ones(1, 3, requires_grad=True), torch.ones(1, 3))
e = torch.inner(torch.ones(2, 0), torch.ones(2, 0))
f = torch.tensordot(torch.ones(2, 3, requires_grad=True), torch.ones(3, 2, 1), ([-1, 0], [0, 1]))
g = torch.einsum("ij,jk->ik", a, torch.ones(1, 2, requires_grad=True))
""",
    "the dtype of what is put together or kept between bounds": """
a = torch.tensor([], dtype=torch.float64, requires_grad=True)
b = torch.cat([a, torch.ones(3, requires_grad=True)])
c = torch.ones(3).clamp(torch.tensor([1, 2, 3], dtype=torch.int32), None)
d = torch.tensor([True, False]) ** True
e = torch.nn.functional.cross_entropy(torch.ones(3, requires_grad=True), torch.tensor(0), reduction="none")
""",
    "what is unique has a history, but no derivative": """
a = torch.tensor([2.0, 1.0, 2.0], requires_grad=True)
b = a.unique()
b.sum().backward()
""",
    "truth values are written to any dtype": """
a = torch.ones(2, requires_grad=True)
b = a > a
b.logical_not_()
b.logical_and_(torch.tensor([0.5, 0.0]))
c = torch.tensor([2, 0])
c.logical_xor_(b)
""",
    "the dimensions of a number and of one element": """
a = torch.tensor(1.0, requires_grad=True)
b = a.movedim(0, 0)
c = torch.ones(3, 1, requires_grad=True).diff()
""",
    "hooks of a node see what it sends as it is received": """
a = torch.tensor([2.0, 4.0], requires_grad=True)
b = torch.ones(3, 2)
b[:].div_(a)
b.grad_fn.register_hook(note_node("b"))
c = a.sum(dtype=torch.float64)
c.grad_fn.register_hook(note_node("c"))
(b.sum() * c).backward()
""",
    "hooks at the only root are called, though it leads nowhere": """
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True) * 2
b.retain_grad()
b.register_hook(note("b"))
b.backward(torch.ones(2), inputs=[a])
""",
    "slices of what requires no grad are not written to either": """
a = torch.ones(4, 2)
b = a.chunk(2)[1]
b.mul_(torch.ones(2, requires_grad=True))
b.mul_(2)
""",
    "what has dimensions decides between two dtypes of where": """
a = torch.where(torch.tensor([True, False]), torch.ones(2), torch.tensor(2.0, dtype=torch.float64, requires_grad=True))
""",
    "what is written by position must not lie in what it is written to; where nothing is, nothing is written": """
a = torch.ones(2, 3)
a.index_add_(0, torch.tensor([0, 1]), a)
a.index_copy_(0, torch.tensor([0, 1]), a)
a.scatter_add_(0, torch.zeros(2, 3, dtype=torch.int64), a)
a.index_put_((torch.tensor([5]),), a)
a[[True]] = a
b = torch.ones(2, 0).aminmax(dim=0)
""",
    "a leaf is refused before the other arguments are looked at": """
a = torch.ones(2, 2, 3, requires_grad=True)
a.t_()
a.transpose_(0, 5)
a.index_add_(0, torch.tensor([5]), a)
a.sub_(True)
a.masked_fill_(a, 1)
""",
    "truth values are whole numbers for fmod; transposed matrices have a Kronecker product": """
a = torch.tensor([True, False]).fmod(3)
b = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).t()
c = torch.kron(b, b)
d = torch.linalg.det(torch.tensor([[float("inf"), 1.0], [1.0, float("nan")]]))
""",
    "a view made under no_grad comes to require grad with its base": """
a = torch.ones(3)
with torch.no_grad(): b = a[None]
a.mul_(torch.ones(3, requires_grad=True))
c = b * 2
""",
    "one gradient of two tensors is one tensor, the one given is itself, one that repeats its memory is a view": """
a = torch.ones(2, requires_grad=True)
b = a * 1
c, d = torch.autograd.grad(b.sum(), [b, b])
c.sin_()
d.detach_()
e = torch.ones(2)
f, = torch.autograd.grad(b, b, e)
f.mul_(2)
""",
    "a view that leads nowhere among the inputs of grad keeps nothing running": """
a = torch.ones(2, requires_grad=True)
b = a * 0.5
with torch.no_grad(): c = b.expand(3, 2)
d, e = torch.autograd.grad(b.sum(), [c, b], allow_unused=True)
b.sum().backward()
""",
    "a tensor, even of no dimensions, is not written to what is repeated in memory; a number may be": """
a = torch.ones(1).expand(4)
a.fill_(2)
a[0] = 2.0
a[::2] = 2.0
a.fill_(torch.tensor(3.0))
""",
}
