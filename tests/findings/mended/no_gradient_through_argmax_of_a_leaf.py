"""The loss is computed of the outputs of the model themselves."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, labels = torch.randn(4, 2), torch.tensor([0, 1, 2, 1])
for _ in range(3):
    loss = torch.nn.functional.cross_entropy(model(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        model(x)
