"""warning: no-gradient-whole-numbers

argmax on the path to the loss

argmax gives whole numbers. They do not change when the scores change a little, so there is no gradient to pass on.
"""

import autograd_lab as torch

torch.manual_seed(0)
scorer, table = torch.nn.Linear(2, 3), torch.nn.Embedding(3, 1)
optimizer = torch.optim.SGD([*scorer.parameters(), *table.parameters()], lr=0.1)
for _ in range(2):
    choice = scorer(torch.randn(4, 2)).argmax(1)  # <-- here
    loss = table(choice).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
