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
}
