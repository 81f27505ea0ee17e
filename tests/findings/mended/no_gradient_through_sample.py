"""rsample() draws so that gradients get through."""

import autograd_lab as torch
from autograd_lab.distributions import Normal

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(3, 2), torch.nn.Linear(1, 3)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for _ in range(3):
    x = torch.randn(4, 3)
    mean, logarithm = encoder(x).chunk(2, dim=1)
    z = Normal(mean, (0.5 * logarithm).exp()).rsample()
    divergence = 0.5 * (mean**2 + logarithm.exp() - 1 - logarithm).sum()
    loss = (decoder(z) - x).pow(2).sum() + divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
