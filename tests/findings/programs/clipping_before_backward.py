"""warning: clipping-before-backward

clip_grad_norm_ is called before loss.backward()

There are no gradients yet: zero_grad() has just removed them. Those that backward() brings are used at full size.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <-- here
    loss.backward()
    optimizer.step()
