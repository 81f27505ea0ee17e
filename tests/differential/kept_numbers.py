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
}
