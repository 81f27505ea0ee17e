"""Programs that the engine once refused where PyTorch does not, or did not refuse, or in other words."""

from __future__ import annotations

KEPT_ERRORS = {
    "what a node needed nothing for is not freed": """
a = torch.ones(3, requires_grad=True)
b = torch.fmod(a, torch.tensor([True, True, False]))
b.sum().backward()
b.sum().backward()
c = torch.ones(2, requires_grad=True)
d = torch.addmm(c, torch.ones(2, 2), torch.ones(2, 2))
d.sum().backward()
d.sum().backward()
e = torch.addcmul(c, torch.ones(2), torch.ones(2))
e.sum().backward()
e.sum().backward()
""",
    "what is still needed for another operand is freed": """
a = torch.ones(2, 2, requires_grad=True)
b = torch.addmm(torch.ones(2), a, torch.ones(2, 2))
b.sum().backward()
b.sum().backward()
""",
    "a derivative that nobody asks for is not missed": """
a = torch.ones(2, requires_grad=True) * 2
b = a.unique()
b.sum().backward(inputs=[b])
b.sum().backward()
""",
    "logarithms of sums are not taken of whole numbers": """
a = torch.logaddexp(torch.tensor([1]), torch.tensor([2]))
b = torch.logaddexp2(torch.tensor([True]), torch.tensor([True]))
""",
    "whole numbers have no distance": """
a = torch.tensor([1, 2]).dist(torch.tensor([1, 3]))
b = torch.tensor([1, 2]).dist(torch.tensor([1, 3, 4]))
""",
    "losses of classes are of floating numbers": """
a = torch.nn.functional.nll_loss(torch.arange(6), torch.tensor(0))
b = torch.nn.functional.nll_loss(torch.ones(1, 2, 1, 1).bool(), torch.zeros(1, 1, 1).long())
""",
    "of truth values none is the k-th least, unless there is but one": """
a = torch.tensor([True, False]).kthvalue(1)
b = torch.tensor(True).kthvalue(1)
""",
    "nothing is cut out of a number": """
a = torch.slice_scatter(torch.ones(()), torch.ones(2), 1, 0, 2)
b = torch.slice_scatter(torch.ones(()), torch.ones(()), 0, 0, 2)
""",
    "what does not broadcast is not close": """
a = torch.ones(3).isclose(torch.ones(2))
b = torch.allclose(torch.ones(3), torch.ones(2))
""",
    "a view of a view that was made unrecorded is called so": """
a = torch.ones(1, 3, requires_grad=True)
with torch.no_grad(): b = a.T
c = b.view((1, -1, 1))
c.erf_()
""",
    "an optimizer is no weight": """
a = linear(1, 1)
a.weight = torch.optim.SGD(a.parameters(), lr=0.1)
""",
    "the mean beside a variance is no number after an infinite one": """
a = torch.tensor([[1.0, float('inf'), 2.0], [1.0, 2.0, float('inf')]])
b, c = torch.var_mean(a, 1)
d, e = torch.std_mean(a)
f, g = torch.var_mean(a, (0, 1), keepdim=True)
""",
    "a sixth is one of single precision": """
a = torch.tensor([0.9, 0.7], dtype=torch.float64, requires_grad=True)
torch.nn.functional.hardsigmoid(a).backward(a.detach())
""",
    "tensors of two dtypes are not contracted": """
a = torch.tensordot(torch.ones(2).half(), torch.ones(3).long(), 1)
b = torch.tensordot(torch.ones(2).half(), torch.ones(2), 0)
""",
    "of three shapes the first that does not fit those before it is named": """
a = torch.where(torch.ones(3) > 0, torch.ones(2, 1), torch.ones(2))
b = torch.where(torch.ones(2, 1) > 0, torch.ones(3), torch.ones(4))
""",
    "shifts are saved without a sign": """
a = torch.ones(2, 3, requires_grad=True)
b = a.roll((-1, 2), (0, -1))
""",
    "dimensions are put back into a gradient one by one": """
a = torch.ones(1, 3, 1, requires_grad=True)
(a * 2).squeeze().pow(2).sum().backward(create_graph=True)
b = torch.ones(3, 1, requires_grad=True)
(b * 2).squeeze((0, 1)).pow(2).sum().backward(create_graph=True)
c = torch.ones(3, requires_grad=True)
(c * 2).squeeze().pow(2).sum().backward(create_graph=True)
""",
    "a view made unrecorded requires a gradient as long as its base does": """
a = torch.ones(2, 2, requires_grad=True)
with torch.no_grad(): b, c = a.unbind()[0], a.t()[0]
a.detach_()
d = torch.ones(2, 2, requires_grad=True)
with torch.no_grad(): e = d[:]
d.requires_grad_(False)
""",
    "what is made in inference mode gets no graph, also of gradients": """
a = torch.tensor([0.5, 1.5], requires_grad=True)
b = (a * a).sum()
with torch.inference_mode(): b.backward(create_graph=True)
with torch.inference_mode(): c = torch.autograd.grad((a * a).sum(), a, create_graph=True, allow_unused=True)
""",
    "tensors of nothing have all dimensions": """
a = torch.cat([torch.ones(0, requires_grad=True), torch.ones(0)], -3)
a.sum().backward()
b = torch.cat([torch.ones(0), torch.ones(2, 0)], 2)
""",
    "nothing has a greatest element so far along any dimension": """
a = torch.ones(0).cummax(1)
b = torch.ones(2, 0).cummin(2)
""",
    "of operands in another order the first is named first": """
a = torch.rsub(torch.ones(2), torch.ones(3))
""",
    "the data of an inference tensor may be written to": """
with torch.inference_mode(): a = torch.ones(2) * 2
a.data.add_(1)
""",
}
