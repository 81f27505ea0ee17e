"""Programs that once gave other numbers than in PyTorch: at NaN, at 0 and infinity, between dtypes."""

from __future__ import annotations

KEPT_NUMBERS = {
    "beside the diagonal a trace has no slope, whatever comes": """
a = torch.ones(2, 3, requires_grad=True)
b = a.trace() * torch.tensor(float('nan'))
b.backward()
""",
    "digamma has the sign of the zero it is asked at": """
a = torch.tensor([-0.0, 0.0], requires_grad=True)
a.lgamma().sum().backward()
""",
    "the slope of I1 is a half at 0, and where there is no number": """
a = torch.tensor([0.3, float('nan'), 0.0, -2.0, 1e-9], requires_grad=True)
torch.special.i1(a).sum().backward()
torch.special.i1e(a).sum().backward()
""",
    "determinants and inverses of what is no number are none": """
a = torch.tensor([[0.0, 0.0], [0.0, float('inf')]])
b = torch.tensor([[float('nan'), 1.0], [1.0, 1.0]], requires_grad=True)
c = a.det()
d = b.det()
e = b.inverse()
f = b.matrix_power(-1)
d.backward()
g = torch.linalg.solve(b.detach(), torch.ones(2))
""",
    "pieces let a gradient through where there is no number": """
a = torch.full((3,), float('nan'), requires_grad=True)
torch.nn.functional.hardshrink(a).sum().backward()
torch.nn.functional.softshrink(a).sum().backward()
torch.nn.functional.hardtanh(a).sum().backward()
torch.nn.functional.hardswish(a).sum().backward()
torch.nn.functional.relu6(a).sum().backward()
""",
    "products of several zeros have no slope, whatever else is there": """
a = torch.tensor([0.0, 0.0, float('nan')], requires_grad=True)
a.prod().backward()
b = torch.tensor([[0.3, -1.0, 0.0]], requires_grad=True)
b.prod(-2).sum().backward(create_graph=True)
c = torch.tensor([0.0], requires_grad=True)
c.prod().backward(create_graph=True)
""",
    "distances of 0 have no slope, even to an infinite gradient": """
a = torch.tensor([[-0.5, -0.5], [0.25, -1.0]], requires_grad=True)
b = torch.cdist(a, a)
(1 / b).sum().backward()
""",
    "logarithms in a slope are taken in the wider dtype": """
a = torch.tensor([1.5, 0.75], dtype=torch.float16)
b = torch.tensor([2.0, 0.75], dtype=torch.float64, requires_grad=True)
a.pow_(b)
a.sum().backward()
c = torch.tensor([-0.5, 0.25], dtype=torch.float64, requires_grad=True)
d = torch.tensor([0.0, 2.0], dtype=torch.float16, requires_grad=True)
c.xlogy(d).sum().backward()
""",
    "weights of observations may not be what is no number": """
a = torch.tensor([-1.0, -0.75, 0.75])
b = torch.cov(a, aweights=a.sqrt())
""",
    "a gradient of a mean may be written to": """
a = torch.ones(2, 2, requires_grad=True)
a.register_hook(lambda g: g.mul_(3))
a.mean().backward()
""",
    "matrices of nothing have a solution in any precision": """
a = torch.zeros(0, 0, dtype=torch.float16)
b = torch.linalg.solve(a, a)
c = a.det()
d = torch.linalg.cholesky(a)
""",
    "a number that half precision is multiplied with or divided by is not rounded": """
a = torch.tensor([0.0, -1.2, 0.5, -0.8, 1.1, 0.9], dtype=torch.float16)
b = a * 1.1, a / 1.1, a // 0.3, a * torch.tensor(1.1), a / torch.tensor(1.1), a // torch.tensor(0.3), 0.3 // a
c = a.div(torch.tensor(-0.8, dtype=torch.float64), rounding_mode='floor')
d = a.div(torch.tensor(0.3, dtype=torch.float16), rounding_mode='trunc')
a *= 1.1
a /= torch.tensor(1.1)
a //= 0.3
""",
    "gelu of half precision is rounded in the end, and of infinity as a library has it": """
a = torch.tensor([1.0, 0.5, float('inf')], dtype=torch.float16)
b = torch.nn.functional.gelu(a, approximate='tanh')
c = torch.nn.functional.gelu(a.float())
""",
    "a huber loss has the dtype of its input, and no gradient if that of its target is another": """
a = torch.tensor([0.5, 2.0], dtype=torch.float16, requires_grad=True)
b = torch.nn.functional.huber_loss(a, torch.tensor([0.0, 1.0]))
b.backward()
c = torch.nn.functional.huber_loss(torch.tensor([1, 2]), torch.ones(2))
""",
    "integers have an inner product, and an angle with floats": """
a = torch.tensor([[1], [2]], dtype=torch.int32)
b = torch.inner(a, a)
c = torch.inner(torch.tensor([[True, False]]), torch.tensor([[True, False]]))
d = torch.tensor([1.0, 2.0], requires_grad=True)
e = torch.nn.functional.cosine_similarity(d, torch.tensor([2, 3]), -1)
e.backward()
""",
    "an infinite number has a deviation that is none": """
a = torch.std_mean(torch.tensor(float('inf')), -1)
""",
    "what has no gradient, but is computed by ops that have one, is refused of a view that lost its history": """
a = torch.tensor([0.3, 0.5], requires_grad=True)
b, c = (a * 1).unbind()
d, e = (a * 1).split(1)
with torch.no_grad(): d.mul_(2)
e = d.isfinite()
e = d.argsort()
e = d.isclose(a)
e = d & a
e = ~d
e = d.gcd(a)
e = d.bincount()
with torch.no_grad(): e = d.isfinite()
""",
    "cosine similarity takes integers and truth values together with floats": """
a = torch.tensor([0.7, -0.4], requires_grad=True)
b = torch.nn.functional.cosine_similarity(a, torch.tensor([2, 1]), 0)
c = torch.nn.functional.cosine_similarity(a > 0, a, -1)
c.backward()
d = torch.nn.functional.cosine_similarity(torch.ones(2), torch.tensor(3), -1)
""",
    "the Huber loss has the dtype of its input, and no gradient to another": """
a = torch.tensor([0.7, -0.4], requires_grad=True)
b = torch.nn.functional.huber_loss(a, torch.tensor([2.0, -0.3], dtype=torch.float64))
b.backward()
c = torch.nn.functional.huber_loss(torch.tensor([1, 2]), a)
d = torch.nn.functional.huber_loss(a.half(), torch.tensor([1, 2]), reduction="none")
""",
    "the mean of one infinite number along its dimension": """
a = torch.std_mean(torch.tensor(-float("inf")), 0)
b, c = torch.var_mean(torch.tensor(float("inf")), -1, keepdim=True)
""",
    "kernels refuse truth values and integers before they ask for one dtype": """
a = torch.tensor([[1, 0, 2], [0, 1, 3]])
b = a.bool()
c = b[None] @ a[None].mT
c = torch.inner(b[0, :1], b[0, :1])
c = torch.einsum("ij,kj->ik", b, a)
c = torch.nn.functional.conv2d(b[None, None], a[None, None])
c = torch.nn.functional.conv_transpose1d(a.int()[None], a[:, None])
c = torch.addmm(b, b[:, :2], b)
c = torch.baddbmm(b[None], b[None, :, :2], a[None])
c = torch.nn.functional.max_pool1d(a, 2)
c = torch.nn.functional.max_pool1d(b, 2)
c = torch.nn.functional.avg_pool1d(a, 2)
c = torch.nn.functional.avg_pool1d(b, 2)
c = torch.nn.functional.avg_pool1d(a.int(), 2)
c = torch.nn.functional.adaptive_max_pool1d(a, 2)
""",
    "half precision is computed in float32 and rounded once": """
a = torch.tensor([[2.1, 1.0, -1.2], [0.9, 1.0, -0.8]], dtype=torch.float16, requires_grad=True)
b = a.div(torch.tensor([0.3], dtype=torch.float16), rounding_mode="trunc")
c = a.rad2deg()
d = c.cos()
d.sum().backward()
e = torch.nn.functional.selu(a).lgamma()
e.sum().backward()
f = torch.nn.functional.batch_norm(a, None, None, training=True)
g = torch.tensor([-float("inf"), 2.0], dtype=torch.float16).pow(0.5)
""",
    "infinities give no warning": """
a = torch.tensor([[0.3, 0.5], [-1.0, -2.3]], requires_grad=True)
b = a / 0
c = b.renorm(2, 0, 1.0)
c.sum().backward()
d = torch.tensor([[float("inf"), 0.0], [2.0, -float("inf")]]).trace()
e = torch.eye(3).reciprocal().matrix_power(-1)
""",
    "batches of triangles that do not fit are refused by their sizes": """
a = torch.cholesky_solve(torch.ones(2, 2, 3), torch.eye(2).expand(3, 2, 2))
b = torch.nn.functional.batch_norm(torch.ones(2).bool(), None, None, training=True)
""",
    "the length of gradients of half precision is not too large for it": """
a = torch.nn.Parameter(torch.ones(2).half())
(a * torch.tensor([200.0, 300.0]).half()).sum().backward()
b = torch.nn.utils.clip_grad_norm_([a], 1.0)
""",
    "distances of 0 have no slope, whatever comes back": """
a = torch.tensor([[-0.8, 1.0], [2.1, -0.8]], requires_grad=True)
b = torch.cdist(a, a)
c = b.hypot(b)
c.sum().backward()
""",
    "a matrix that is singular for float32 is told as one": """
a = torch.tensor([[1.0, 0.9, 1.1]]).t()
b = torch.linalg.inv(a @ a.mT)
""",
    "of two zeros a bound leaves the one that was there": """
a = torch.tensor([0.0, 1.0], requires_grad=True)
b = (a * -1).clamp(0)
c = b.sqrt()
c.sum().backward()
""",
    "running products let nothing through a zero, not even infinity": """
a = torch.tensor([[-1.0, 0.0, 2.0, 0.0, 5.0]], requires_grad=True)
a.cumprod(1).backward(torch.tensor([[1.0, 2.0, 4.0, float('inf'), float('inf')]]))
""",
    "whole numbers to a power below any that can be turned round": """
a = torch.tensor([-2147483648, -3, 2, -1], dtype=torch.int32)
b = torch.tensor([1, -1, 2, -1], dtype=torch.int32).pow(a)
a.pow_(a)
""",
    "a smoothed surprise of no classes divides by nothing": """
a = torch.tensor([], dtype=torch.float64, requires_grad=True)
b = torch.nn.functional.cross_entropy(torch.diag_embed(a), torch.zeros(0, dtype=torch.int64), label_smoothing=0.1)
""",
    "a convolution of no channels has none": """
a = torch.ones(1, 0, 2, requires_grad=True)
b = torch.ones(3, requires_grad=True)
c = torch.nn.functional.conv1d(a, torch.ones(3, 0, 2), b)
c.sum().backward()
""",
    "blocks of a diagonal send gradients of their own memory": """
a = torch.tensor([2.0, 2.0], requires_grad=True)
b = torch.block_diag(torch.ones(3), a)
c, d = torch.autograd.grad([b.sum(), b.sum()], [a, b])
c.log_()
""",
    "whole powers in a slope stay whole, incomplete gammas have no slope for truth values": """
a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
torch.ldexp(a, torch.tensor([1, 2, -3])).sum().backward()
torch.igamma(torch.tensor([True]), a).sum().backward()
b = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
torch.tensor([[0], [-2]]).igamma(b).sum().backward()
""",
    "what is subtracted from a number may be written to": """
a = torch.tensor(1.0, requires_grad=True)
b = torch.rsub(a, a)
b.reciprocal_()
""",
    "optimizers make steps in inference mode": """
a = linear(1, 2)
a(torch.ones(1)).sum().backward()
b = torch.optim.AdamW(a.parameters())
with torch.inference_mode(): b.step()
""",
    "mantissas of numbers may be written to, their slopes are of float32": """
a = torch.tensor(-0.8, requires_grad=True)
b = torch.frexp(a)[0]
b.round_()
c = torch.ones(2, dtype=torch.float64, requires_grad=True)
d = torch.autograd.grad((torch.frexp(c)[0] * c).sum(), c, create_graph=True)
""",
    "the gradient of a determinant that is 0 is 0, and has one of its own where that is asked for": """
a = torch.tensor([[0.7, -1.2], [0.7, -1.2]], requires_grad=True)
b = a.det()
b.backward(retain_graph=True)
a.grad = None
c = torch.autograd.grad(b, a, create_graph=True)[0].detach()
d = torch.eye(3, requires_grad=True) * torch.tensor([1.0, 2.0, 0.0])
d.det().backward()
""",
    "a slope of prelu that is no number, or infinite, does not reach what is positive": """
a = torch.tensor([2.0, -0.8, 0.0, 3.0], requires_grad=True)
b = torch.tensor([float("nan"), 0.5, 0.5, float("inf")], requires_grad=True)
c = torch.nn.functional.prelu(a.reshape(1, 4), b)
d = torch.autograd.grad(c.sum(), [a, b], create_graph=True)
(d[0] * 3 + d[1] * 5).sum().backward()
e = torch.nn.functional.leaky_relu(a, float("inf"))
e.sum().backward()
""",
    "the second gradient of igamma by whole numbers keeps these": """
a = torch.tensor([1.1, 0.5, 0.9], requires_grad=True)
b = torch.tensor([1, 2, 0]).igamma(a)
c = torch.autograd.grad(b.sum(), a, create_graph=True)[0]
""",
    "powers of two are exact in ldexp, and bfloat16 has neighbours and hypotenuses": """
a = torch.tensor([1.0, -3.0, 5e-324], dtype=torch.float64)
b = torch.ldexp(a, torch.tensor([1, 3, 5]))
c = torch.ldexp(a, torch.tensor(-1074))
d = torch.tensor([1.0, 0.0, -2.0])
e = torch.nextafter(d.bfloat16(), torch.tensor([2.0, -1.0, -2.0]).bfloat16()).float()
f = torch.hypot(d.bfloat16(), e.bfloat16()).float()
""",
    "quotients of half precision are rounded before they are cut off, but not those by one number": """
a = torch.tensor([3.0, 0.9], dtype=torch.float16)
b = torch.tensor([0.3, 0.3], dtype=torch.float16)
c = a.div(b, rounding_mode="trunc")
d = a.div(b[0], rounding_mode="trunc")
e = a.div(b[:1], rounding_mode="trunc")
""",
    "the gradient of a determinant that is 0 is no number where what comes to it is none": """
a = torch.tensor([[0.7, 0.7], [0.7, 0.7]], requires_grad=True)
(a.det() * torch.tensor(float("nan"))).backward()
""",
}
