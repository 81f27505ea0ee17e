"""A list of losses

Five minutes. Two loops that differ in one word: the first keeps its losses for a plot, the second their numbers. Vote,
step to the end of the first loop, and watch how much is held; then vote on the second loop, and compare.

Payoff: references decide how long a graph lives. No backward runs here, and none would help: it would free the saved
values, but the nodes stay with whoever holds the loss. Each entry of `history` is the end of a whole graph; `.item()`
is a number that hangs on to nothing.

Ask next: why does `total += loss` leak, too? What does `loss.detach()` keep?
"""

import autograd_lab as torch

w = torch.tensor(3.0, requires_grad=True)
history = []

# ? history.append(loss) in three turns: how many graphs are in memory after the third?
#   a) none   -- thinks that a graph ends with the line that made it
#   b) one    -- thinks that the new loss replaces the old one, which the list still holds
#   c) three *  -- sees that each entry of the list holds on to its loss, and the loss to its graph
for target in (0.0, 1.0, 2.0):
    loss = (w - target) ** 2
    history.append(loss)

# ? The same with history.append(loss.item()): how many now?
#   a) none   -- forgets the name `loss` itself, which holds the last one
#   b) one *  -- sees that only the name `loss` is left, and that it moves on at each turn
#   c) three  -- thinks that item() keeps a link to where the number came from
history.clear()
for target in (0.0, 1.0, 2.0):
    loss = (w - target) ** 2
    history.append(loss.item())
print(history)
