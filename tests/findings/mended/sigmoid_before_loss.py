"""The loss is given logits."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.BCEWithLogitsLoss()
x, target = torch.randn(4, 2), torch.tensor([0.0, 1.0, 1.0, 0.0])
for _ in range(2):
    output = model(x).squeeze(1)
    loss = criterion(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
