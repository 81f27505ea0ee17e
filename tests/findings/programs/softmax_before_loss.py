"""warning: softmax-before-loss

The model ends in Softmax, and CrossEntropyLoss applies it once more

CrossEntropyLoss wants logits, any numbers. Numbers between 0 and 1 are close to each other as logits, so the loss stays
far from 0 even where the model is sure and right, and what it sends back is weak.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Softmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.CrossEntropyLoss()
x, target = torch.randn(4, 2), torch.tensor([0, 1, 2, 0])
for _ in range(2):
    output = model(x)  # <-- here
    loss = criterion(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `cross_entropy(logits, target)`
