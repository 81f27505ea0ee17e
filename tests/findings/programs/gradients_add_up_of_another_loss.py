"""warning: gradients-add-up

The loss of the generator leaves gradients in the critic

They are cleared, but too early: after that the loss of the generator, which goes through the critic, brings new ones.
The next step of the critic uses them as well, and so works against itself.
"""

import autograd_lab as torch

torch.manual_seed(0)
generator, critic = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
for_generator = torch.optim.SGD(generator.parameters(), lr=0.01)
for_critic = torch.optim.SGD(critic.parameters(), lr=0.01)
for _ in range(3):
    real, made = torch.randn(4, 2), generator(torch.randn(4, 2))
    loss = critic(made.detach()).mean() - critic(real).mean()
    loss.backward()  # <-- here
    for_critic.step()
    for_critic.zero_grad()
    for_generator.zero_grad()
    (-critic(made).mean()).backward()
    for_generator.step()
# remedy: `for_critic.zero_grad()`
