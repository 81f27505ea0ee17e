"""A copy learns, and its gradients are set on the model by hand."""

import copy

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
outer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    outer.zero_grad()
    for _task in range(2):
        learner = copy.deepcopy(model)
        inner = torch.optim.SGD(learner.parameters(), lr=0.01)
        loss = (learner(torch.randn(4, 2)) - 1).pow(2).mean()
        inner.zero_grad()
        loss.backward()
        inner.step()
        query = (learner(torch.randn(4, 2)) - 1).pow(2).mean()
        for p, g in zip(model.parameters(), torch.autograd.grad(query, list(learner.parameters())), strict=True):
            p.grad = g if p.grad is None else p.grad + g
    outer.step()
