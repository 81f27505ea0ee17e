"""warning: no-gradient-other-way

The loss compares the input with itself, not with what was decoded

The decoder runs, and nothing that it gives is part of the loss. After each turn it runs under no_grad(), as it should.
"""

import autograd_lab as torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(3, 2), torch.nn.Linear(2, 3)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
x = torch.randn(4, 3)
for _ in range(3):
    code = encoder(x)
    decoded = decoder(code)  # <-- here
    loss = (x - x).pow(2).mean() + code.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        decoder(encoder(x))
