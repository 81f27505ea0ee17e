"""The gradients of the critic are cleared right before its own backward()."""

import autograd_lab as torch

torch.manual_seed(0)
generator, critic = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
for_generator = torch.optim.SGD(generator.parameters(), lr=0.01)
for_critic = torch.optim.SGD(critic.parameters(), lr=0.01)
for _ in range(3):
    real, made = torch.randn(4, 2), generator(torch.randn(4, 2))
    for_critic.zero_grad()
    loss = critic(made.detach()).mean() - critic(real).mean()
    loss.backward()
    for_critic.step()
    for_generator.zero_grad()
    (-critic(made).mean()).backward()
    for_generator.step()
