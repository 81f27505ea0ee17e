"""warning: no-gradient-none-sent

The backward() of a custom Function returns None for an input

What a Function returns from backward() is the gradient of each of its inputs, in order. None says that there is none.
"""

import autograd_lab as torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx, gradient):
        factor = ctx.saved_tensors[1]
        return gradient * factor, None  # <-- here


torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
factor = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([*model.parameters(), factor], lr=0.1)
for _ in range(2):
    loss = Scale.apply(model(torch.randn(4, 2)), factor).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
