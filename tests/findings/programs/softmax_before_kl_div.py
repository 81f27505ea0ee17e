"""warning: softmax-before-loss

kl_div is given the probabilities of the student instead of their logarithms

kl_div takes its input for logarithms, and its target for probabilities. Of two probabilities it makes no distance: it
is negative, and least where the student is sure of the teacher's favourite.
"""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
student = torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
x, teacher = torch.randn(4, 2), torch.randn(4, 3)
for _ in range(2):
    guessed = F.softmax(student(x), dim=1)  # <-- here
    loss = F.kl_div(guessed, F.softmax(teacher, dim=1), reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `log_softmax`
