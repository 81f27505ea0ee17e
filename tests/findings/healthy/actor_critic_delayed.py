import copy

import torch

torch.manual_seed(0)
actor = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2), torch.nn.Tanh())
critic = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
later_actor, later_critic = copy.deepcopy(actor), copy.deepcopy(critic)
of_actor, of_critic = torch.optim.Adam(actor.parameters()), torch.optim.Adam(critic.parameters())
for number in range(6):
    state, action, reward, then = torch.randn(5, 4), torch.randn(5, 2), torch.randn(5, 1), torch.randn(5, 4)
    with torch.no_grad():
        goal = reward + 0.9 * later_critic(torch.cat([then, later_actor(then)], 1))
    loss = (critic(torch.cat([state, action], 1)) - goal).pow(2).mean()
    of_critic.zero_grad()
    loss.backward()
    of_critic.step()
    if number % 2 == 0:
        loss = -critic(torch.cat([state, actor(state)], 1)).mean()
        of_actor.zero_grad()
        loss.backward()
        of_actor.step()
        with torch.no_grad():
            for later, now in ((later_actor, actor), (later_critic, critic)):
                for a, b in zip(later.parameters(), now.parameters(), strict=True):
                    a.lerp_(b, 0.005)
