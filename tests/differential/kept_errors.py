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
    "an operand that was detached in place since it was saved is refused": """
a = torch.ones(2, requires_grad=True)
b = a * 1
c = b * b
d = a * b
b.detach_()
c.sum().backward()
d.sum().backward()
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
    "a convolution asks for the dtype of its bias first, and for the size of its window before the dtype of that": """
a = torch.nn.functional.conv2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 0).double())
b = torch.nn.functional.conv2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 3, 3), torch.ones(1).double())
c = torch.nn.functional.conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 1), torch.ones(1).double())
d = torch.nn.functional.conv2d(torch.ones(0, 1, 2, 2), torch.ones(1, 1, 1, 1).double())
""",
    "whole numbers have no solution, whatever is asked of them besides": """
a = torch.linalg.solve(torch.ones(2, 3).long(), torch.ones(2))
b = torch.linalg.solve(torch.eye(2), torch.ones(2), left=False)
c = torch.linalg.solve_triangular(torch.ones(2, 2).long(), torch.ones(2, 2), upper=True)
d = torch.linalg.solve_triangular(torch.ones(2, 2), torch.ones(2, 2).double(), upper=True)
e = torch.linalg.matrix_power(torch.ones(2, 2).long(), -1)
""",
    "of a chain of matrices two that have no product are named": """
a = torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 1), torch.ones(2, 1)])
b = torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(2, 1).double()])
c = torch.chain_matmul(torch.ones(2, 3), torch.ones(2, 1))
""",
    "dtypes of slices are told before how many there are, and what dimensions they have before positions": """
a = torch.ones(2, 3).index_copy_(0, torch.tensor([0]), torch.ones(2, 3).bool())
b = torch.ones(3, 1, 2).index_add_(2, torch.tensor([-1]), torch.ones(2, 1))
""",
    "what is scattered has the dimensions of its index, which are counted from the front": """
a = torch.ones(2, 2).scatter_add(-2, torch.zeros((2, 2)).long(), torch.ones(2))
b = torch.ones(2, 3).scatter_reduce(-2, torch.zeros((2, 3)).long(), torch.ones(1, 1), 'amax')
c = torch.ones(2, 3).scatter(-2, torch.zeros((0,)).long(), torch.ones(()))
d = torch.ones(2, 3).gather(-1, torch.tensor([[5]]))
""",
    "positions where there is nothing to take or put are not looked at": """
a = torch.ones(1, 0).index_fill_(0, torch.tensor([0, 1]), 2)
b = torch.ones(1, 0)[[0, 1]]
c = torch.ones(1, 0).index_put_((torch.tensor([0, 1]),), torch.ones(1, 0))
d = torch.ones(0).roll(1, 2)
""",
    "a position of no dimensions is one": """
a = torch.zeros(2, 2).index_put_((torch.tensor(0),), torch.ones(2))
b = torch.zeros(2, 2).index_put((torch.tensor(0), torch.tensor(1)), torch.ones(()))
c = torch.ones(2, 3, 4)[:, :, torch.tensor([5])]
""",
    "where a tensor is written to by itself is refused before its kind": """
a = torch.ones(2)
a[a] = 2
b = torch.ones(2, 2).bool()
b[b[0]] = False
c = torch.ones(1)
c[None] = c
""",
    "what is written to repeated memory is refused before shapes and dtypes, and after what an op cannot do at all": """
a = torch.ones(1).expand(2)
a.copy_(torch.ones(3))
b = torch.ones(1).bool().expand(2)
b.relu_()
b.sub_(torch.ones(3).bool())
b.nan_to_num_()
c = torch.ones(1).expand(3)
c.tril_()
c.add_(torch.ones(2), alpha=True)
""",
    "a gradient does not flow back to what was written to repeated memory": """
a = torch.ones(1, requires_grad=True) * 1
a.expand(3).fill_(2)
a.sum().backward()
""",
    "a view of several that was made unrecorded is refused before whole numbers, and shapes": """
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, 2).long()
b.unbind(0)[0].mul_(a)
b.split(1, 0)[0].add_(torch.ones(3, requires_grad=True))
b.unbind(0)[0].fill_(a)
""",
    "truth values have no difference in a gradient, either, but they are divided as numbers there": """
a = torch.ones(2, requires_grad=True)
torch.logaddexp(a, a > 0).sum().backward()
((a > 0) % a).sum().backward()
""",
    "what is no number is no probability of a target": """
a = torch.nn.functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([float('nan')]))
b = torch.nn.functional.binary_cross_entropy(torch.tensor([0.5, 1.5]), torch.tensor([-0.1, 0.0]))
""",
    "kernels that truth values have not are told after shapes": """
a = torch.ones(3).bool() // torch.ones(2).bool()
b = torch.nn.functional.threshold(torch.ones(0).bool(), 1, 0.5)
c = torch.ones(2, 2).bool().renorm(2, 0, 1.0)
d = torch.ones(2).bool().clamp(torch.ones(2).bool(), torch.ones(2).bool())
e = torch.ones(2).bitwise_and_(torch.ones(3))
""",
    "numbers are no tensors to blend with": """
a = torch.ones(2).addcmul_(torch.ones(2), 2)
b = torch.ones(2).lerp_(2, 0.5)
c = torch.ones(2).masked_fill_(2, 1)
d = torch.addcdiv(torch.ones(2), torch.ones(2).long(), torch.ones(3).long())
e = torch.max(torch.nn.Parameter(torch.ones(2)), True)
""",
    "dimensions are asked for one by one": """
a = torch.ones(0).amax((0, 1))
b = torch.nn.functional.embedding(torch.tensor([0]), torch.ones(0, 2))
c = torch.cdist(torch.ones(3, 1, 2).double(), torch.ones(2, 3, 2))
""",
    "a bias of one row is added together with the product": """
a = torch.nn.functional.linear(torch.ones(3), torch.ones(2, 3), torch.ones(1, 2))
b = torch.nn.functional.linear(torch.ones(2), torch.ones(2), torch.ones(1, 3).half())
c = torch.ones(2, 3).addmm_(torch.ones(3, 3), torch.ones(3, 2))
d = torch.addmm(torch.ones(2), torch.ones(2).long(), torch.ones(2))
""",
    "positions that were written to are told in the words of tensors": """
a = torch.ones(2, 2, requires_grad=True)
b, c = a.max(1)
c.data.fill_(5)
b.sum().backward()
""",
    "softmax asks for its dimension before the dtype, and has a loop for the last one": """
a = torch.ones(2, 3).long().softmax(5)
b = torch.ones(2, 3).long().log_softmax(0)
""",
    "a gradient on a diagonal may be written to": """
a = torch.ones(3, requires_grad=True)
b = a.diag()
c, = torch.autograd.grad([b.sum(), b.sum()], a)
c.clamp_(0.5)
""",
    "a leaf that got a history is told when its gradient comes": """
a = torch.ones(2, requires_grad=True)
b = a.sum()
with torch.no_grad(): a.detach_()
a += b
a.sum().backward()
""",
    "a gradient does not fit a leaf that was turned since": """
a = torch.ones(3, 2, requires_grad=True)
b = a * 1
with torch.no_grad(): a.t_()
b.sum().backward(retain_graph=True)
b.sum().backward(create_graph=True)
c = torch.ones(1, 2, requires_grad=True)
d = c.sum()
with torch.no_grad(): c.t_()
d.backward()
""",
    "a power of truth values has no graph of gradients": """
a = torch.ones(2, 2, requires_grad=True)
b = a ** (torch.ones(2) != 2)
b.sum().backward(create_graph=True)
c = a * 1
c **= torch.ones(2) != 2
c.sum().backward(create_graph=True)
""",
    "views of a view made in inference mode are told to be such": """
a = torch.ones(3, requires_grad=True)
with torch.inference_mode(): b = a.view(-1)
c, d, e = b.unbind()
d.mul_(2)
""",
    "of a Bool that is to be added up, the dimension is asked first": """
a = torch.tensor([True])
a.cumsum_(-3)
a.cumprod_(-3)
a.cumsum_(0)
""",
    "a derivative that nobody asks for is not refused": """
a = torch.ones(3, dtype=torch.float16, requires_grad=True)
b = torch.special.i1e(a)
b.backward(b.detach(), inputs=[b])
c = 2 // (a * 1)
c.sum().backward(inputs=[c])
""",
    "a module that was cast has weights of another dtype than its gradient": """
a = linear(2, 2)
b = a.weight @ a.bias
a.double()
b.sum().backward()
""",
    "batches are asked for their shapes before their dtypes": """
a = torch.baddbmm(torch.ones(2, 2, 3), torch.ones(2, 2, 3), torch.ones(2, 2, 2) > 2)
b = torch.linalg.matrix_norm(torch.ones(2, 2) > 1)
""",
    "a gradient that repeats elements may be written to where it does not": """
a = torch.ones(3, 2, requires_grad=True)
b, = torch.autograd.grad(a.sum(0).sum(), a)
b[1:, 0] /= 2
c = torch.tensor(0.7, requires_grad=True)
d, = torch.autograd.grad(c.scatter(-1, torch.tensor(0), c), c)
d.mul_(3)
""",
    "the one position of a number is 0": """
a = torch.tensor(0.5, requires_grad=True)
b, c = a.max(-1)
d = a.gather(0, torch.tensor(0))
c.data.add_(1)
b.backward()
""",
    "hooks of a gradient that was added see what the one before returned": """
a = torch.tensor([-0.8], requires_grad=True)
a.register_post_accumulate_grad_hook(note('a', lambda p: p.grad.zero_()))
a.register_post_accumulate_grad_hook(note('a', lambda p: p.grad.zero_()))
a.backward(torch.ones(1))
""",
    "what has no derivative refuses, even if nobody asks, or no gradient comes": """
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.floor_divide(torch.ones(2), a)
b.norm(0).backward()
(b * 2).sum().backward(inputs=[b])
""",
    "a leaf refuses to be written to before its memory is looked at, shapes are before what is empty": """
a = torch.tensor([-0.8], requires_grad=True)
a[0] = a
b = torch.ones(1, 2, 0)
b[[0], [0]] = b
""",
    "whole numbers may be copied to in views of several, and truth values are refused before shapes in `rsub`": """
a = torch.ones(3, 2).int()
b = torch.tensor(-0.4, requires_grad=True)
a.split(1, 1)[0].copy_(b)
a.unbind(1)[0].copy_(torch.ones(4, requires_grad=True))
torch.rsub(torch.ones(2, 3), torch.ones(0).bool())
""",
    "a comparison that is written over truth values asks for the history of a view all the same": """
a = torch.tensor([-1.0, -1.2], requires_grad=True)
b, c = a.unbind()
with torch.no_grad(): b.mul_(-1)
torch.ones(0).bool().gt_(c)
""",
    "products of nothing take any dtypes, positions in nothing are looked at on the way back": """
a = torch.ones(0, 2) @ torch.ones(2, 2, 3, dtype=torch.float64)
b = torch.ones(1, 2, 0, requires_grad=True)
c = (b * 1).index_copy_(0, torch.tensor([-1]), b)
c.sum().backward()
""",
    "samples need a dimension before they need numbers; memory that is repeated is refused before masks": """
a = torch.trapezoid(torch.tensor(0.3), torch.tensor(True))
a = torch.ones(1).expand(2)
a.masked_scatter_(a, a)
b = torch.cholesky_solve(torch.ones(0, 0).half(), torch.ones(0, 0).half())
""",
    "younger names refuse half precision and no dimensions in PyTorch's words": """
a = torch.ones(2, dtype=torch.float16)
b = torch.special.erfcx(a)
b = torch.special.log_ndtr(a)
b = torch.nuclear_norm(torch.ones(2, 2, dtype=torch.float16))
b = torch.norm_except_dim(torch.tensor(1.0), 2, 0)
b = torch.constant_pad_nd(torch.tensor(1.0), (1, 1), 2.0)
b = torch.narrow_copy(torch.ones(3), 1, 1, 2)
b = torch.nuclear_norm(torch.tensor([[[1.0]], [[float('nan')]]]))
""",
    "lengths of whole numbers are refused by the older functions before dimensions are looked at": """
a = torch.arange(3)
b = torch.frobenius_norm(a, (0, 1))
c = torch.norm_except_dim(a, 2, 5)
d = torch.ones(2, 2, dtype=torch.bool)
e = torch.norm_except_dim(d, 2, -1)
""",
    "ldexp warns of what grows, and takes no booleans": """
a = torch.tensor(2.0)
b = torch.ldexp(a, torch.tensor([2, 3]))
c = torch.ldexp(a, torch.tensor([True]))
d = torch.ldexp(torch.tensor([3]), torch.tensor([True]))
""",
    "a view of several that was spoilt keeps no gradient": """
a = torch.ones(2, requires_grad=True)
b = a * 1
c = b.split(1)[0]
b.mul_(2)
c.retain_grad()
""",
    "subscripts are counted first, and then looked at one after the other": """
a = torch.arange(4.0).reshape(2, 2)
b = a[0, 1.5, 1]
b = a[0, 1.5]
b = a[5, 1.5]
b = a[..., ..., 0]
b = a[[0, -3, 7]]
b = a[torch.tensor([[0, 1], [2, -5]])]
c = torch.ones(0, 2)
c[False, [3]] = 1.0
c = c[[0, 0], [0, 1, 0]]
a[[False, False], [True, True, True]] = 1.0
a[[False, False], [0, 1]] = 1.0
""",
    "the Huber loss names dtypes in the order of the gradients that are wanted": """
a = torch.ones(1, dtype=torch.float16, requires_grad=True)
b = torch.ones(2, requires_grad=True)
torch.nn.functional.huber_loss(a, b).backward(inputs=[b])
torch.nn.functional.huber_loss(a, b).backward()
torch.nn.functional.huber_loss(b, a).backward(inputs=[b])
""",
    "addcdiv by whole numbers has no gradient for what is divided": """
a = torch.ones(3, requires_grad=True)
torch.addcdiv(a, a, torch.tensor([1, 2, 3])).sum().backward()
torch.addcdiv(a, a.detach(), torch.tensor([True, True, True])).sum().backward()
""",
}
