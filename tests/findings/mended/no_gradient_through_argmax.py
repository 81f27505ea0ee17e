"""softmax gives a weight to each row of the table instead of choosing one."""

import autograd_lab as torch

torch.manual_seed(0)
scorer, table = torch.nn.Linear(2, 3), torch.nn.Embedding(3, 1)
optimizer = torch.optim.SGD([*scorer.parameters(), *table.parameters()], lr=0.1)
for _ in range(2):
    choice = scorer(torch.randn(4, 2)).softmax(1)
    loss = (choice @ table.weight).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
