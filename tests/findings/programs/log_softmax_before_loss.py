"""note: softmax-before-loss

log_softmax() before cross_entropy, which applies it itself

Logarithms of probabilities are logits of the same probabilities, so nothing is wrong but the work that is done twice.
"""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.tensor([0, 1, 2, 0])
for _ in range(2):
    output = torch.log_softmax(model(x), dim=1)  # <-- here
    loss = F.cross_entropy(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
