"""REINFORCE with a baseline on a walk: actions are drawn, returns normalized, an episode is a loss."""

import autograd_lab as torch

nn = torch.nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.actor, self.critic = nn.Linear(2, 8), nn.Linear(8, 2), nn.Linear(8, 1)

    def forward(self, state):
        hidden = torch.relu(self.body(state))
        return torch.softmax(self.actor(hidden), dim=-1), self.critic(hidden).squeeze(-1)


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
running = 0.0
for _episode in range(3):
    position, log_probs, values, rewards = 0.0, [], [], []
    for step in range(8):
        probs, value = policy(torch.tensor([position, step / 8]))
        chosen = torch.multinomial(probs.detach(), 1).item()
        log_probs.append(torch.log(probs[chosen]))
        values.append(value)
        position += 0.5 if chosen == 1 else -0.5
        rewards.append(1.0 if position > 0 else -1.0)
    returns, following = [], 0.0
    for reward in reversed(rewards):
        following = reward + 0.9 * following
        returns.insert(0, following)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    values = torch.stack(values)
    advantage = returns - values.detach()
    loss = -(torch.stack(log_probs) * advantage).sum() + nn.functional.smooth_l1_loss(values, returns)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    optimizer.step()
    running = 0.05 * sum(rewards) + 0.95 * running
