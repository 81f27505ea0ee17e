"""The log-probabilities are joined with their histories."""

import autograd_lab as torch
from autograd_lab.distributions import Categorical

torch.manual_seed(0)
policy = torch.nn.Linear(3, 2)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
for _ in range(2):
    log_probs, rewards = [], []
    for _ in range(3):
        chosen = Categorical(logits=policy(torch.randn(3)))
        action = chosen.sample()
        rewards.append(1.0 + action.item())
        log_probs.append(chosen.log_prob(action))
    log_probs = torch.stack(log_probs)
    loss = -(log_probs * torch.tensor(rewards)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
