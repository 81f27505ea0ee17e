"""Backward, clipping and step on one line, in this order."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    # fmt: off
    loss.backward(); torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0); optimizer.step(); optimizer.zero_grad()  # noqa: E702
    # fmt: on
