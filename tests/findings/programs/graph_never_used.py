"""note: graph-never-used

model.eval() without torch.no_grad()

eval() changes what dropout and batch norm do. It does not switch recording off: the model saves all that a backward
pass would need.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout(0.1), torch.nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    model.train()
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.eval()
    print(model(torch.randn(4, 2)).mean().item())  # <-- here
# remedy: torch.no_grad()
