"""A worker computes gradients with a copy of its own and hands them to the shared model, which an optimizer updates."""

import autograd_lab as torch

torch.manual_seed(0)
shared = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(shared.parameters(), lr=0.01)
local = torch.nn.Linear(3, 1)
for _ in range(3):
    local.load_state_dict(shared.state_dict())
    local.zero_grad()
    local(torch.randn(4, 3)).pow(2).mean().backward()
    for given, taken in zip(shared.parameters(), local.parameters(), strict=True):
        given.grad = taken.grad.clone()
    optimizer.step()
