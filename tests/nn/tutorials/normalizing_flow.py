"""Flows: affine coupling layers (RealNVP) and planar ones, with distributions and transforms; diffusion by DDPM."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import distributions

from tests.nn.tutorials.drawn import draws

numbers, noise, settle = draws(torch)


class RealNVP(nn.Module):
    def __init__(self, nets, nett, mask, prior):
        super().__init__()
        self.prior = prior
        self.mask = nn.Parameter(mask, requires_grad=False)
        self.t = torch.nn.ModuleList([nett() for _ in range(len(mask))])
        self.s = torch.nn.ModuleList([nets() for _ in range(len(mask))])

    def g(self, z):
        x = z
        for i in range(len(self.t)):
            x_ = x * self.mask[i]
            s = self.s[i](x_) * (1 - self.mask[i])
            t = self.t[i](x_) * (1 - self.mask[i])
            x = x_ + (1 - self.mask[i]) * (x * torch.exp(s) + t)
        return x

    def f(self, x):
        log_det_J, z = x.new_zeros(x.shape[0]), x
        for i in reversed(range(len(self.t))):
            z_ = self.mask[i] * z
            s = self.s[i](z_) * (1 - self.mask[i])
            t = self.t[i](z_) * (1 - self.mask[i])
            z = (1 - self.mask[i]) * (z - t) * torch.exp(-s) + z_
            log_det_J -= s.sum(dim=1)
        return z, log_det_J

    def log_prob(self, x):
        z, logp = self.f(x)
        return self.prior.log_prob(z) + logp


def nets():
    return settle(nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 2), nn.Tanh()))


def nett():
    return settle(nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 2)))


masks = torch.tensor([[0, 1], [1, 0]] * 2, dtype=torch.get_default_dtype())
prior = distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
flow = RealNVP(nets, nett, masks, prior)
optimizer = torch.optim.Adam([p for p in flow.parameters() if p.requires_grad], lr=1e-2)
angle = torch.linspace(0, math.pi, 24)
moons = torch.stack([torch.cos(angle), torch.sin(angle)], 1)
for t in range(6):
    loss = -flow.log_prob(moons).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    print(f"iter {t}: loss = {loss:.3f}")
z, _ = flow.f(moons[:3])
print(torch.allclose(flow.g(z), moons[:3], atol=1e-5), flow.g(noise(2, 2)))


class PlanarFlow(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(noise(1, dim) * 0.5)
        self.bias = nn.Parameter(torch.zeros(1))
        self.scale = nn.Parameter(noise(1, dim) * 0.5)
        self.tanh = nn.Tanh()

    def forward(self, z):
        activation = F.linear(z, self.weight, self.bias)
        return z + self.scale * self.tanh(activation)

    def log_det(self, z):
        activation = F.linear(z, self.weight, self.bias)
        psi = (1 - self.tanh(activation) ** 2) * self.weight
        return torch.log((1 + torch.mm(psi, self.scale.t())).abs() + 1e-7)


planar = nn.ModuleList([PlanarFlow(2) for _ in range(3)])
optimizer = torch.optim.Adamax(planar.parameters(), lr=2e-2)
target = distributions.MixtureSameFamily(
    distributions.Categorical(torch.tensor([0.3, 0.7])),
    distributions.Independent(
        distributions.Normal(torch.tensor([[-1.0, 0.0], [1.0, 0.5]]), torch.full((2, 2), 0.5)), 1
    ),
)
for step in range(4):
    z, log_det = noise(16, 2), 0
    for layer in planar:
        log_det = log_det + layer.log_det(z).squeeze(1)
        z = layer(z)
    loss = (-log_det - target.log_prob(z)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

base = distributions.Normal(torch.zeros(3), torch.ones(3))
loc, scale = torch.zeros(3, requires_grad=True), torch.ones(3, requires_grad=True)
made = distributions.TransformedDistribution(
    base, [distributions.transforms.AffineTransform(loc, scale), distributions.transforms.SigmoidTransform()]
)
log_prob = made.log_prob(torch.tensor([0.2, 0.5, 0.9]))
log_prob.sum().backward()
print(log_prob, loc.grad, scale.grad)

# a diffusion model of points on an arc
T = 20
betas = torch.linspace(1e-3, 0.2, T)
alphas = 1.0 - betas
alphas_cumprod = torch.cumprod(alphas, dim=0)
alphas_cumprod_prev = F.pad(alphas_cumprod[:-1], (1, 0), value=1.0)
posterior_variance = betas * (1.0 - alphas_cumprod_prev) / (1.0 - alphas_cumprod)


def extract(a, t, x_shape):
    out = a.gather(-1, t)
    return out.reshape(t.shape[0], *((1,) * (len(x_shape) - 1)))


denoiser = settle(nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 2)))
ema = {name: p.detach().clone() for name, p in denoiser.named_parameters()}
optimizer = torch.optim.AdamW(denoiser.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
for step in range(5):
    t = torch.tensor(numbers.randint(0, T, len(moons)))
    eps = noise(*moons.shape)
    x_noisy = (
        extract(alphas_cumprod.sqrt(), t, moons.shape) * moons
        + extract((1 - alphas_cumprod).sqrt(), t, moons.shape) * eps
    )
    predicted = denoiser(torch.cat([x_noisy, t[:, None] / T], dim=1))
    loss = F.smooth_l1_loss(predicted, eps)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    with torch.no_grad():
        for name, p in denoiser.named_parameters():
            ema[name].lerp_(p, 0.1)
    print(loss.item())


@torch.no_grad()
def p_sample(x, i):
    t = torch.full((x.shape[0],), i, dtype=torch.long)
    mean = extract(1 / alphas.sqrt(), t, x.shape) * (
        x - extract(betas / (1 - alphas_cumprod).sqrt(), t, x.shape) * denoiser(torch.cat([x, t[:, None] / T], dim=1))
    )
    return mean if i == 0 else mean + extract(posterior_variance, t, x.shape).sqrt() * noise(*x.shape)


x = noise(3, 2)
for i in reversed(range(T)):
    x = p_sample(x, i)
print(x, sum(v.norm().item() for v in ema.values()))
