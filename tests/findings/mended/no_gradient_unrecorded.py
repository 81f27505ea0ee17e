"""The gradient is passed through as if there were no rounding: a straight-through estimator."""

import autograd_lab as torch


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


torch.manual_seed(0)
model, head = torch.nn.Linear(2, 1), torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
for _ in range(2):
    loss = head(Rounded.apply(model(torch.randn(4, 2)))).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
