"""The loss compares what was decoded with the input."""

import autograd_lab as torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(3, 2), torch.nn.Linear(2, 3)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
x = torch.randn(4, 3)
for _ in range(3):
    code = encoder(x)
    decoded = decoder(code)
    loss = (decoded - x).pow(2).mean() + code.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        decoder(encoder(x))
