"""Learning to learn: MAML over sine waves with weights as lists, by functional_call and by torch.func."""

from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap

from tests.nn.tutorials.drawn import draws

_, _, settle = draws(torch)


class MAMLModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            OrderedDict([("l1", nn.Linear(1, 12)), ("relu1", nn.ReLU()), ("l2", nn.Linear(12, 1))])
        )

    def forward(self, x):
        return self.model(x)

    def parameterised(self, x, weights):
        x = nn.functional.linear(x, weights[0], weights[1])
        x = nn.functional.relu(x)
        return nn.functional.linear(x, weights[2], weights[3])


def sine(task):
    amplitude, phase = 1 + task % 3, task * 0.7
    x = torch.linspace(-5, 5, 10).unsqueeze(1) + 0.1 * task
    return x, amplitude * torch.sin(x + phase)


model = settle(MAMLModel())
weights = list(model.parameters())
meta_optimiser = torch.optim.Adam(weights, 1e-2)
criterion = nn.MSELoss()
for iteration in range(4):
    metaloss = 0
    for task in range(3):
        x, y = sine(task)
        temp_weights = [w.clone() for w in weights]
        for step in range(2):
            loss = criterion(model.parameterised(x[:5], temp_weights), y[:5]) / 5
            gradients = torch.autograd.grad(loss, temp_weights, create_graph=True)
            temp_weights = [w - 0.05 * g for w, g in zip(temp_weights, gradients)]
        metaloss = metaloss + criterion(model.parameterised(x[5:], temp_weights), y[5:]) / 5
    metagrads = torch.autograd.grad(metaloss, weights)
    for w, g in zip(weights, metagrads):
        w.grad = g
    meta_optimiser.step()
    print(iteration, metaloss.item(), sum(g.norm().item() for g in metagrads))

params = {name: p.detach() for name, p in model.named_parameters()}


def loss_of(params, x, y):
    return F.mse_loss(functional_call(model, params, (x,)), y)


x, y = sine(1)
inner = grad(loss_of)(params, x, y)
print({name: g.norm().item() for name, g in inner.items()})


def adapted(params, x, y):
    inner = grad(loss_of)(params, x[:5], y[:5])
    return loss_of({name: p - 0.05 * inner[name] for name, p in params.items()}, x[5:], y[5:])


outer = grad(adapted)(params, x, y)
print({name: round(g.sum().item(), 4) for name, g in outer.items()})
each = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, x, y)
print({name: tuple(g.shape) for name, g in each.items()}, each["model.l1.weight"].norm())
lr = torch.tensor(0.05, requires_grad=True)
fast = [w.detach() - lr * g.detach() for w, g in zip(weights, metagrads)]
criterion(model.parameterised(x, fast), y).backward()
print(lr.grad)
