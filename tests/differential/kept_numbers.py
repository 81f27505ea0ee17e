"""Programs on whose numbers and dtypes the engine and PyTorch agree, and on which kernels refuse which dtypes."""

from __future__ import annotations

KEPT_NUMBERS = {
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
}
