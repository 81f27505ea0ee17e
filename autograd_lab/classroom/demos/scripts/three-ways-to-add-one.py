"""Three ways to add one

Five minutes, three votes. The same write, `+= 1`, to a tensor that a product has saved, in three spellings. Vote
before each; the choices are the same three times, and one of them is never right.

Payoff: the version counter is a witness. `x += 1` on a leaf is refused before anything changes, under `no_grad` the
write is allowed and counted, so backward catches it; `.data` walks past the counter, and the gradient is wrong
without a word: 2x was 2, 4, 6 when the loss was computed.

Ask next: which of the three would you rather have in a training run of a week? When is `.data` ever right?
"""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = (x * x).sum()
# ? First way: x.data += 1. What happens then at loss.backward()?
#   a) a wrong gradient, without a word *  -- knows that .data has a version counter of its own
#   b) an error, right at the write        -- thinks that every write to a leaf is refused
#   c) an error, at backward               -- thinks that every write is counted
#   d) the right gradient               -- thinks that a pocket holds a copy of x
x.data += 1
loss.backward()
print(x.grad)

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = (x * x).sum()
# ? Second way: x += 1, with nothing around it?
#   a) a wrong gradient, without a word   -- has generalised from .data
#   b) an error, right at the write *     -- knows that a leaf that requires grad refuses
#   c) an error, at backward              -- forgets that x is a leaf; for other tensors this would be right
#   d) the right gradient               -- thinks that a pocket holds a copy of x
try:
    x += 1
except RuntimeError as error:
    print(error)

# ? Third way: x += 1 inside torch.no_grad(), then loss.backward()?
#   a) a wrong gradient, without a word   -- thinks that no_grad hides the write from the counter
#   b) an error, right at the write       -- thinks that the refusal knows no exception
#   c) an error, at backward *            -- knows that no_grad stops recording, not counting
#   d) the right gradient               -- thinks that a pocket holds a copy of x
with torch.no_grad():
    x += 1
try:
    loss.backward()
except RuntimeError as error:
    print(error)
