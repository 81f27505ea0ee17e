"""The input is logarithms, the target probabilities."""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
student = torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
x, teacher = torch.randn(4, 2), torch.randn(4, 3)
for _ in range(2):
    guessed = F.log_softmax(student(x), dim=1)
    loss = F.kl_div(guessed, F.softmax(teacher, dim=1), reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
