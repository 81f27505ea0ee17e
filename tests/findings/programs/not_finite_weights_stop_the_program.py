"""error: not-finite

A NaN in the weights stops the program an iteration later

The standard deviation of one number is NaN, for it divides by n - 1 = 0. The step takes the NaN into the weights, and
only `torch.multinomial` in the next iteration refuses it.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rewards = torch.tensor([1.0])
for _ in range(2):
    probabilities = torch.softmax(model(torch.ones(2)), dim=0)
    chosen = torch.multinomial(probabilities.detach(), 1)
    gain = (rewards - rewards.mean()) / rewards.std()  # <-- here
    loss = -(probabilities[chosen].log() * gain).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `(rewards.std(correction=0) + 1e-8)`
