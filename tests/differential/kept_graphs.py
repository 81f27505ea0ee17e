"""Programs on whose graphs the engine and PyTorch agree: what nodes save, what their hooks see, how second ones look."""

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
}
