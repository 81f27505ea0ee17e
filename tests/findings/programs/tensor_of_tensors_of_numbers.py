"""warning: tensor-of-tensors

A policy's log-probabilities are kept by .item(), and the tensor of them is told to require a gradient

`.item()` gives a number, which has no history. requires_grad=True silences the error of backward(), and gives none
back: the policy learns nothing.
"""

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
        log_probs.append(chosen.log_prob(action).item())
    log_probs = torch.tensor(log_probs, requires_grad=True)  # <-- here
    loss = -(log_probs * torch.tensor(rewards)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `log_probs.append(chosen.log_prob(action))`, and join them: `torch.stack(log_probs)`
