"""A training loop with a place where gradients are cleared, or not, and one after the loop."""

from __future__ import annotations

TRAINING = """
import autograd_lab as torch
torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for turn in range(3):
    loss = model(torch.ones(4, 2)).pow(2).mean()
    {clear}
    loss.backward()
    optimizer.step()
{after}
"""
