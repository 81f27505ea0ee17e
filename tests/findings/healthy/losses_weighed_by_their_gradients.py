"""Gradients of two losses as constants, with respect to a weight or detached; and a layer used twice on purpose."""

import autograd_lab as torch

torch.manual_seed(0)
body, last, critic = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam([*body.parameters(), *last.parameters(), *critic.parameters()], lr=1e-3)
for _ in range(3):
    x = torch.randn(5, 4, requires_grad=True)
    made = last(torch.relu(body(torch.relu(body(x)))))
    one, two = (made - x).abs().mean(), critic(made).mean()
    first = torch.autograd.grad(one, last.weight, retain_graph=True)[0]
    second = torch.autograd.grad(two, last.weight, retain_graph=True)[0]
    share = first.norm() / (second.norm() + 1e-4)
    slope = torch.autograd.grad(two, x, retain_graph=True)[0].norm().detach()
    loss = one + share * two + slope * (made**2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
