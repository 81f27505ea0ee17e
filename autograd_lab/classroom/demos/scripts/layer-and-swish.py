"""Layer and swish

Five minutes. A layer, an activation written by hand, and an error that names neither. Vote on what is wrong, then look
at the picture: no line leads from `loss` to `W`. Let the class find the one word to change; the second half runs it.

Payoff: "does not require grad" is a question about paths. The formula of swish is right (show it: `gradcheck` on it is
green); the error is that it was applied to `x`, which leads nowhere, instead of `y`.

Ask next: would `x.requires_grad_()` make the error go away? Would it train W? To check the formula live, type
`torch.autograd.gradcheck(swish, torch.randn(3, dtype=torch.float64, requires_grad=True))`.
"""

import autograd_lab as torch


def swish(z):
    return z * torch.sigmoid(z)


x = torch.tensor([[1.0, 2.0]])
W = torch.tensor([[0.5, -0.5], [1.0, 0.0]], requires_grad=True)
y = x @ W
out = swish(x)
loss = out.sum()

# ? loss.backward() is going to fail. Why?
#   a) the formula of swish is wrong      -- looks for the mistake in the formula, because it is the newest code
#   b) W is no leaf                        -- mixes up "requires grad" and "is a leaf"
#   c) no path leads from loss to W *      -- reads the graph from its end
#   d) loss has to be called with a gradient -- remembers another error of backward, that of tensors with many elements
try:
    loss.backward()
except RuntimeError as error:
    print(error)

out = swish(y)
loss = out.sum()
loss.backward()
print(W.grad)
