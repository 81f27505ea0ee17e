"""What arrives at b?

Four minutes. Show the graph after the forward pass and let everybody vote before the first step of backward.
Then step: backward sends 4 along the path through `c` and 5 along the path through `d`, and both arrive at `b`.
Stop at the second arrival and ask who is right, before `.grad` is filled in.

Payoff: gradients that meet are added in the graph, before the leaf stores anything. No optimizer is needed for that,
and an engine that stored the first arrival and did not wait for the second would leave 5.

Ask next: what would `a.grad` be, and why does `a` have only one arrival?
"""

import autograd_lab as torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
d = b + 1
y = c * d

# ? What is b.grad after y.backward()?
#   a) 4    -- follows the path through c alone, as if a tensor had one path out
#   b) 5    -- follows the path through d alone, or thinks that the last gradient to arrive replaces the first
#   c) 9 *  -- adds what arrives along both paths: 4 through c, 5 through d
#   d) 20   -- multiplies the paths as if they lay one behind the other, or takes the value of y for its gradient
y.backward()
print(b.grad)
