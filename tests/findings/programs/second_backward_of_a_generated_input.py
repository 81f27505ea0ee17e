"""error: second-backward

The discriminator's loss goes back into the generator

The loss of the discriminator needs what was generated, not how: its backward() frees the graph of the generator, which
the generator's own loss needs afterwards.
"""

import autograd_lab as torch

torch.manual_seed(0)
generator = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
judge = torch.nn.Linear(2, 1)
of_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
of_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
for _ in range(3):
    fake = generator(torch.randn(4, 2))
    loss_of_judge = judge(fake).sigmoid().mean()
    of_judge.zero_grad()
    loss_of_judge.backward()  # <-- here
    of_judge.step()
    loss_of_generator = -judge(fake).sigmoid().mean()
    of_generator.zero_grad()
    loss_of_generator.backward()
    of_generator.step()
# remedy: `fake.detach()` on the path to `loss_of_judge`
