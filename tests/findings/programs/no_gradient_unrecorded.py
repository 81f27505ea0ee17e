"""warning: no-gradient-unrecorded

A custom Function marks its result as non-differentiable

After mark_non_differentiable() the result has no history, so nothing leads back from the loss to the model.
"""

import autograd_lab as torch


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.round()
        ctx.mark_non_differentiable(y)  # <-- here
        return y

    @staticmethod
    def backward(ctx, gradient):
        return None


torch.manual_seed(0)
model, head = torch.nn.Linear(2, 1), torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
for _ in range(2):
    loss = head(Rounded.apply(model(torch.randn(4, 2)))).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: Leave `ctx.mark_non_differentiable(y)` out
