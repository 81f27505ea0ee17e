"""With `correction=0` it divides by n; what is added keeps the quotient finite where all rewards are equal."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rewards = torch.tensor([1.0])
for _ in range(2):
    probabilities = torch.softmax(model(torch.ones(2)), dim=0)
    chosen = torch.multinomial(probabilities.detach(), 1)
    gain = (rewards - rewards.mean()) / (rewards.std(correction=0) + 1e-8)
    loss = -(probabilities[chosen].log() * gain).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
