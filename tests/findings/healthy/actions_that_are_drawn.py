import autograd_lab as torch
from autograd_lab.distributions import Normal

torch.manual_seed(0)
policy, critic = torch.nn.Linear(2, 1), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD([*policy.parameters(), *critic.parameters()], lr=0.01)
for _ in range(2):
    states = torch.randn(4, 2)
    chosen = Normal(policy(states), 0.5)
    actions = chosen.sample()
    values = critic(torch.cat([states, actions], dim=1))
    rewards = -(actions - states[:, :1]).pow(2)
    loss = (values - rewards).pow(2).mean() - (chosen.log_prob(actions) * (rewards - values.detach())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
