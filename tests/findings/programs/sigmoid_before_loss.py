"""warning: softmax-before-loss

sigmoid() before BCEWithLogitsLoss

"WithLogits" says that the loss applies sigmoid itself. What is between 0 and 1 already becomes a number between 0.5 and
0.73: no output can say "no".
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.BCEWithLogitsLoss()
x, target = torch.randn(4, 2), torch.tensor([0.0, 1.0, 1.0, 0.0])
for _ in range(2):
    output = torch.sigmoid(model(x)).squeeze(1)  # <-- here
    loss = criterion(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `binary_cross_entropy_with_logits(logits, target)`
