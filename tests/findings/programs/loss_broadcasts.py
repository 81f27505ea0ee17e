"""warning: loss-broadcasts

The output has the shape (4, 1), and the target (4,)

Broadcasting makes a 4 × 4 table of both: each output is compared with every target. The model learns to say the mean of
all targets, whatever it is asked.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.randn(4)
for _ in range(2):
    output = model(x)
    loss = ((output - target) ** 2).mean()  # <-- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `target.unsqueeze(1)`
