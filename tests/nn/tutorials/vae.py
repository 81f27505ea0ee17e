"""A variational autoencoder of bars in small pictures."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

from tests.nn.tutorials.drawn import draws

_, noise, settle = draws(torch)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 40)
        self.fc21 = nn.Linear(40, 4)
        self.fc22 = nn.Linear(40, 4)
        self.fc3 = nn.Linear(4, 40)
        self.fc4 = nn.Linear(40, 64)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = noise(*std.shape).type_as(std)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 64))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 64), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


pictures = torch.zeros(16, 1, 8, 8)
for i in range(8):
    pictures[i, 0, i] = 1
    pictures[8 + i, 0, :, i] = 1
model = settle(VAE())
optimizer = optim.Adam(model.parameters(), lr=1e-2)
model.train()
for epoch in range(12):
    train_loss = 0
    for data in pictures.split(8):
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print(f"====> Epoch: {epoch} Average loss: {train_loss / len(pictures):.4f}")
model.eval()
with torch.no_grad():
    sample = model.decode(noise(2, 4)).view(2, 1, 8, 8)
    print(sample.mean((1, 2, 3)), sample[0, 0, :2])
q = torch.distributions.Normal(mu.detach(), (0.5 * logvar.detach()).exp())
print(torch.distributions.kl_divergence(q, torch.distributions.Normal(0.0, 1.0)).sum(1))
