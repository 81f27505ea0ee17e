"""A variational autoencoder: reparametrized samples, a sum of two losses, evaluation in each epoch."""

import autograd_lab as torch

nn, F = torch.nn, torch.nn.functional


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.mean, self.log_var = nn.Linear(6, 5), nn.Linear(5, 2), nn.Linear(5, 2)
        self.decoder = nn.Sequential(nn.Linear(2, 5), nn.ReLU(), nn.Linear(5, 6))

    def encode(self, x):
        hidden = F.relu(self.body(x))
        return self.mean(hidden), self.log_var(hidden)

    def reparameterize(self, mean, log_var):
        if not self.training:
            return mean
        std = torch.exp(0.5 * log_var)
        return mean + torch.randn_like(std) * std

    def forward(self, x):
        mean, log_var = self.encode(x)
        return torch.sigmoid(self.decoder(self.reparameterize(mean, log_var))), mean, log_var


def loss_of(made, x, mean, log_var):
    bce = F.binary_cross_entropy(made, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
    return bce + kld


torch.manual_seed(0)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data, held = torch.rand(16, 6), torch.rand(4, 6)
for _epoch in range(2):
    model.train()
    total = 0.0
    for x in data.split(4):
        optimizer.zero_grad()
        made, mean, log_var = model(x)
        loss = loss_of(made, x, mean, log_var)
        loss.backward()
        total += loss.item()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(total / 16, loss_of(model(held)[0], held, *model.encode(held)).item() / 4)
