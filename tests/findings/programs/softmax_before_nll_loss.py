"""warning: softmax-before-loss

softmax() before nll_loss, which wants logarithms

nll_loss takes one number of each row and changes its sign. Of a probability that gives a loss between -1 and 0, which
falls as it should, and hardly anything is sent back where the model is sure and wrong.
"""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.tensor([0, 1, 2, 0])
for _ in range(2):
    output = torch.softmax(model(x), dim=1)  # <-- here
    loss = F.nll_loss(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `log_softmax`
