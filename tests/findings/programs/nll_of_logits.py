"""warning: nll-of-logits

NLLLoss is given logits

nll_loss takes one number of each row and changes its sign. Of logits, which may grow as they like, that is a loss which
falls below 0 and on and on, while the model learns to shout.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 3)
criterion = torch.nn.NLLLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.tensor([0, 1, 2, 0])
for _ in range(2):
    loss = criterion(model(x), target)  # <-- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `cross_entropy(logits, target)`
