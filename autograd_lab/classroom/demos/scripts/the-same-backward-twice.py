"""The same backward twice

Five minutes. Four losses, and backward twice on each. Most of the class expects all four to fail, since "the graph is
freed". Vote first, then step through the four; watch the pockets below the cards, not the cards.

Payoff: what backward frees is the saved values. The nodes stay as long as somebody holds the loss. `x + x` and
`x.sum()` need no value for their derivatives, so there is nothing to free, and a second pass finds all that it needs.

Ask next: what does `retain_graph=True` retain? And what stands in `x.grad` at the end, after all these passes?
"""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
square = (x * x).sum()
triple = (3 * x).sum()
double = (x + x).sum()
total = x.sum()

# ? Which of these survive a second backward: x * x, 3 * x, x + x, x.sum()?
#   a) none          -- holds that backward frees the graph itself
#   b) x + x and x.sum() *  -- knows that pockets are emptied, and that sums save no tensor
#   c) all but x * x -- thinks that only products of tensors save something; 3 * x saves the 3
#   d) all four      -- has not met the error yet, or thinks that it comes from the optimizer
for loss in (square, triple, double, total):
    loss.backward()
    try:
        loss.backward()
        print("again")
    except RuntimeError:
        print("once only")
