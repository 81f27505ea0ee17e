"""backward() returns a gradient for both inputs."""

import autograd_lab as torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx, gradient):
        x, factor = ctx.saved_tensors
        return gradient * factor, (gradient * x).sum()


torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
factor = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([*model.parameters(), factor], lr=0.1)
for _ in range(2):
    loss = Scale.apply(model(torch.randn(4, 2)), factor).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
