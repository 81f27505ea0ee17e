"""Programs at edges in which the engine once differed: nothing, no numbers, truth values, two mistakes in a line."""

from __future__ import annotations

KEPT_EDGES = {
    "a division of nothing by 0 is nothing": """
a = torch.zeros(0, dtype=torch.int64)
b = a // 0
c = a % 0
a.fmod_(0)
""",
    "half precision over a number is rounded down once": """
a = torch.tensor([0.7, -1.0], dtype=torch.float16)
b = a // -0.7
""",
    "truth values are neither clamped to numbers nor multiplied as matrices": """
a = torch.ones(2, 2, dtype=torch.bool)
b = a.clamp(min=True)
c = a.clamp_max(True)
d = a.clamp(True, True)
e = a @ a[0]
f = a[0] @ a[0]
g = a[None] @ a[None]
h = a.median(0)
i = a.fmod(a)
j = a.dist(a)
""",
    "running totals of truth values that are nothing or one stay truth values": """
a = torch.tensor(True)
a.cumsum_(0)
b = torch.ones(0, dtype=torch.bool)
b.cumsum_(0)
c = torch.ones(2, dtype=torch.bool)
c.cumsum_(0)
""",
    "what does not fit is said before what a kernel refuses": """
a = torch.tensor([True, False])
a.remainder_(torch.tensor([0, 1]))
a.fmod_(0)
b = torch.tensor([2, 2], dtype=torch.int32)
b %= b.diag()
c = torch.tensor([0, 1]).expand(2, 2)
c.fmod_(c)
d = torch.tensor(True)
d.pow_(a)
torch.ones(2, 3).add_(torch.ones(2, 2), alpha=True)
e = torch.ones(2, 1)
e.t().add_(e)
""",
    "the first operand of several that does not fit is named": """
a = torch.ones(2, 3)
a.addcmul_(a, torch.ones(2))
a.addcdiv_(torch.ones(2), a)
b = a.masked_fill(torch.tensor([0.0, 1.0]), 1.5)
""",
    "a copy onto itself changes nothing, also where elements are one in memory": """
a = torch.ones(3).expand(2, 3)
a.copy_(a)
a[...] = a
""",
    "one value fills a mask, also if it lies in what is filled": """
a = torch.ones(1) * 2
a[[True]] = a
b = torch.ones(2)
b[[True, False]] = b[:1]
""",
    "whether a leaf may be written to is asked before what the index is": """
a = torch.ones(2, requires_grad=True)
a[torch.tensor([0.5])] = 1.5
b = torch.tensor(1.0)
c = b[b]
""",
    "a gradient made in inference mode is added to inside of it alone": """
a = torch.tensor(0.5, requires_grad=True)
with torch.inference_mode(): a.backward()
with torch.inference_mode(): a.backward()
a.backward()
""",
    "a triangle with a 0 on its diagonal solves to what is no number": """
a = torch.cholesky_solve(torch.ones(2, 2), torch.zeros(2, 2))
b = torch.cholesky_solve(torch.ones(2, 2), torch.tensor([[1.0, 0.0], [2.0, 0.0]]))
c = torch.cholesky_solve(torch.ones(2, 2), torch.tensor([[1.0, 0.0], [2.0, 0.0]]), upper=True)
d = torch.cholesky_solve(torch.ones(1, 1).half(), torch.ones(1, 1).half())
""",
    "of least squares with a dimension less the rows are systems": """
a = torch.tensor([[[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]], [[2.0, 1.0, 0.0], [1.0, 0.0, 1.0]]])
b = torch.linalg.lstsq(a, torch.ones(2, 1)).solution
c = torch.linalg.lstsq(a[:1], torch.ones(2, 2)).solution
d = torch.linalg.lstsq(a, torch.ones(3))
e = torch.linalg.lstsq(a[0], torch.ones(2, 2, 3))
f = torch.linalg.lstsq(a, torch.ones(3, 2, 1))
""",
    "distances of no rows are of the first operand's dtype": """
a = torch.cdist(torch.ones(2, 0), torch.ones(2, 0).half())
b = torch.cdist(torch.ones(2, 2).half(), torch.ones(2, 2))
""",
    "normalisation of nothing": """
a = torch.ones(2, 0, requires_grad=True)
b = torch.nn.functional.batch_norm(a[:, :0], None, None, training=True)
c = torch.nn.functional.layer_norm(a, (0,))
d = torch.nn.functional.batch_norm(torch.ones(0), None, None, training=True)
""",
    "of several that are no numbers a window takes the last": """
a = torch.tensor([[2.0, -2.3], [0.5, 2.0], [2.0, 0.5]], requires_grad=True)
b = torch.nn.functional.max_pool1d(a.asin(), 2)
""",
    "an expanded truth value is called as in PyTorch": """
a = torch.ones(3, dtype=torch.bool)
b = a.expand(())
""",
    "clipping asks for the gradients of tensors that keep none, and is warned of it": """
a = torch.ones(2, requires_grad=True)
b = a * 2
c = torch.nn.utils.clip_grad_norm_([b], 1.0)
""",
    "the number of an output that was saved by another node is not told": """
a, b = torch.ones(2, 3, requires_grad=True).unbind()
c, d = (a * 1).topk(2)
e = c * d
f, g = torch.ones(2, requires_grad=True).sort()
h = f * f
f.detach().mul_(2)
h.sum().backward()
""",
    "a gradient that does not fit the root is nobody's": """
a = torch.ones(2, 3, requires_grad=True)
b = a * 1
with torch.inference_mode(): b.t_()
b.backward(torch.ones(3, 2))
""",
    "the next number after one may be written to": """
a = torch.tensor(0.5, requires_grad=True)
b = torch.nextafter(a, a)
b.relu_()
b.sub_(a)
""",
    "attention over vectors of no elements": """
a = torch.ones(2, 0)
b = torch.nn.functional.scaled_dot_product_attention(a, a, a)
""",
    "positions in a table of nothing": """
a = torch.ones(2, 0)
b = torch.nn.functional.embedding(torch.tensor([-1]), a)
c = a.index_select(-2, torch.tensor([-1]))
""",
    "a variance with no degree of freedom has a slope without a history": """
a = torch.tensor(2.0, requires_grad=True)
b = (a * 2).var(0, keepdim=True)
c, = torch.autograd.grad(b, a, create_graph=True)
""",
    "the quantile of one number is taken along a new dimension": """
a = torch.tensor(2.1, requires_grad=True)
b = a.quantile(0.6, 0, interpolation='nearest')
c = a.quantile(torch.tensor([0.2, 0.7]), 0, True)
""",
    "greatest of what is scattered, where more is there than is used": """
a = torch.tensor([[-1.2], [-2.3]], requires_grad=True)
b = (a * 1).scatter_reduce_(1, torch.tensor([[0]]), torch.ones(2, 1), 'amax')
b.sum().backward()
""",
    "half precision has no gradient of i1": """
a = torch.ones(1, dtype=torch.float16, requires_grad=True)
torch.special.i1(a).backward()
torch.special.i1e(a).backward()
""",
    "the inner product makes the view of its second operand first": """
a = torch.ones(1, 3, requires_grad=True)
b = torch.inner(a, a)
c = torch.tensordot(a, a, 2)
""",
    "turns are counted without a sign in the graph of a gradient": """
a = torch.ones(2, 2, requires_grad=True)
b = a.rot90().abs().sum()
b.backward(create_graph=True)
""",
    "what is told of norms, slopes and products that cannot be": """
a = torch.ones(0, requires_grad=True)
b = a.norm(-1, -1)
c = torch.gradient(torch.ones(2, 3), spacing=(torch.ones(1),), dim=1)
d = torch.gradient(torch.ones(2, 3), spacing=(torch.ones(1),), dim=1, edge_order=2)
e = torch.ones(2, 2).mv(torch.ones(2, dtype=torch.float64))
f = torch.nn.functional.max_pool1d(torch.ones(0, 2), 2)
""",
    "sinc at infinity warns of nothing": """
a = torch.tensor([float('inf'), 0.0])
b = a.sinc()
""",
    "x ln k with k below 0 is flat at 0": """
a = torch.tensor([0.0, 1.0], requires_grad=True)
b = a.xlogy(-1)
b.sum().backward(create_graph=True)
""",
    "a function of the user's may not write to a view of a leaf that is a view itself": """
a = torch.tensor([2.0]).t().requires_grad_()
b = Doubled_.apply(a.unsqueeze(-1))
""",
    "attention over half precision is computed in float32": """
a = torch.tensor([[1.6, -0.8], [2.0, 1.6]], dtype=torch.float16, requires_grad=True)
b = torch.nn.functional.scaled_dot_product_attention(a, a, a)
b.sum().backward()
""",
    "of truth values none is the greatest few": """
a = torch.tensor([True, False])
b = a.topk(1)
""",
    "what is kept of a tensor that is turned later is the gradient from before": """
a = torch.ones(2, 3, requires_grad=True)
b = a * 1
b.retain_grad()
b.t_()
c = torch.autograd.grad((b * torch.arange(6.0).reshape(3, 2)).sum(), [a])
d = torch.autograd.grad(b.sum(), [b])
""",
    "where no element is the greatest any more, slopes are no numbers": """
a = torch.tensor([[-2.3, 1.0, 1.1]], requires_grad=True)
b = a.scatter_reduce(1, torch.zeros((1, 3), dtype=torch.int64), a, 'amax')
b.data.add_(1)
b.sum().backward()
""",
    "an op without a derivative refuses before the leaves behind it have their gradients": """
a, b, c = (torch.ones(2, requires_grad=True) for _ in range(3))
d = (-0.7 % b) + a
d.sum().backward()
e = c + (-0.7 % b)
e.sum().backward()
""",
    "an input that a function wrote to has no gradient of what it was": """
a = torch.ones(3, requires_grad=True)
b = a * 1
b.sum().backward(inputs=[b], retain_graph=True)
c = Doubled_.apply(b)
(c * 3).sum().backward()
""",
    "what a function returned unrecorded is no view to be written to": """
a = torch.ones(3)
b = Same.apply(a, 1.5)
b.neg_()
a.requires_grad = True
c = torch.ones(3)
d = Same.apply(c, 1.5)
c.requires_grad = True
d.mul_(2)
""",
    "that elements are one in memory is told before that they are read": """
a = torch.ones(1).expand(1, 3)
a.scatter_add_(-1, torch.zeros((1, 3), dtype=torch.int64), a)
b = torch.ones(1).expand(3)
b.index_add_(0, torch.zeros(3, dtype=torch.int64), b)
""",
    "what a function wrote to in inference mode counts no versions": """
with torch.inference_mode(): a = Doubled_.apply(torch.ones(3, requires_grad=True))
""",
    "what was detached is refused only by the formula of a node that runs": """
a = torch.tensor(-1.2, requires_grad=True)
b = a * 1
c = torch.remainder(b, b)
b.detach_()
d = torch.autograd.grad(c, c, create_graph=True)[0]
""",
    "a node refuses what was detached once its gradient was kept": """
a = torch.tensor([[1.1, 0.3, -0.8]], requires_grad=True)
b = a.sum()
c = b.sgn() * b
b.detach_()
(c * 1).backward(inputs=[c])
""",
    "a density of gammas takes a number away in the order that PyTorch does": """
a = torch.tensor([0.4, 2.3], requires_grad=True)
b = torch.special.gammainc(torch.tensor([0.5, 1.5]), a)
c = torch.autograd.grad(b.sum(), a, create_graph=True)[0]
""",
    "norms that are no numbers scale gradients without a warning": """
a = torch.tensor([float("inf"), 1.0], requires_grad=True)
a.grad = torch.tensor([float("inf"), 0.0])
torch.nn.utils.clip_grad_norm_([a], 1.0)
""",
}
