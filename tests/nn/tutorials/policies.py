"""PPO with generalised advantages, SAC with squashed normals, Gumbel-softmax, a VQ-VAE, NeRF."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform
from torch.optim.swa_utils import AveragedModel

from tests.nn.tutorials.drawn import draws

numbers, noise, settle = draws(torch)


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    settle(layer)
    layer.weight.data.mul_(float(std))
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(layer_init(nn.Linear(3, 8)), nn.Tanh(), layer_init(nn.Linear(8, 1), std=1.0))
        self.actor_mean = nn.Sequential(layer_init(nn.Linear(3, 8)), nn.Tanh(), layer_init(nn.Linear(8, 2), std=0.01))
        self.actor_logstd = nn.Parameter(torch.zeros(1, 2))

    def get_action_and_value(self, x, action=None):
        mean = self.actor_mean(x)
        probs = Normal(mean, torch.exp(self.actor_logstd.expand_as(mean)))
        if action is None:
            action = mean + probs.stddev * noise(*mean.shape)
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.critic(x)


agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3, eps=1e-5)
obs, dones, rewards = noise(12, 3), torch.zeros(12), noise(12)
dones[[4, 9]] = 1
with torch.no_grad():
    actions, logprobs, _, values = agent.get_action_and_value(obs)
    values = values.flatten()
    advantages, lastgaelam = torch.zeros_like(rewards), 0
    for t in reversed(range(11)):
        nextnonterminal = 1.0 - dones[t + 1]
        delta = rewards[t] + 0.99 * values[t + 1] * nextnonterminal - values[t]
        advantages[t] = lastgaelam = delta + 0.99 * 0.95 * nextnonterminal * lastgaelam
    returns = advantages + values
for epoch in range(3):
    for mb_inds in np.arange(12).reshape(2, 6):
        _, newlogprob, entropy, newvalue = agent.get_action_and_value(obs[mb_inds], actions[mb_inds])
        logratio = newlogprob - logprobs[mb_inds]
        ratio = logratio.exp()
        with torch.no_grad():
            approx_kl = ((ratio - 1) - logratio).mean()
        mb_advantages = advantages[mb_inds]
        mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
        pg_loss = torch.max(-mb_advantages * ratio, -mb_advantages * torch.clamp(ratio, 0.8, 1.2)).mean()
        v_clipped = values[mb_inds] + torch.clamp(newvalue.view(-1) - values[mb_inds], -0.2, 0.2)
        v_loss = (
            0.5 * torch.max((newvalue.view(-1) - returns[mb_inds]) ** 2, (v_clipped - returns[mb_inds]) ** 2).mean()
        )
        loss = pg_loss - 0.01 * entropy.mean() + v_loss * 0.5
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()
    print(loss.item(), approx_kl.item(), ((ratio - 1.0).abs() > 0.2).float().mean().item())

mean, log_std = noise(4, 2).requires_grad_(), torch.zeros(4, 2, requires_grad=True)
log_std_ = -5 + 0.5 * (2 + 5) * (torch.tanh(log_std) + 1)
x_t = mean + log_std_.exp() * noise(4, 2)
y_t = torch.tanh(x_t)
log_prob = (Normal(mean, log_std_.exp()).log_prob(x_t) - torch.log(1 - y_t.pow(2) + 1e-6)).sum(1, keepdim=True)
log_alpha = torch.zeros(1, requires_grad=True)
(log_alpha.exp() * log_prob - y_t.sum(1, keepdim=True)).mean().backward()
print(mean.grad, log_std.grad.norm(), log_alpha.grad)
squashed = TransformedDistribution(Normal(torch.zeros(2), torch.ones(2)), [TanhTransform(cache_size=1)])
print(squashed.log_prob(torch.tensor([0.3, -0.9])))

logits = noise(3, 4).requires_grad_()
gumbels = -torch.log(-torch.log(torch.tensor(numbers.rand(3, 4), dtype=logits.dtype)))
y_soft = ((logits + gumbels) / 0.7).softmax(-1)
y_hard = torch.zeros_like(logits).scatter_(-1, y_soft.max(-1, keepdim=True)[1], 1.0)
ret = y_hard - y_soft.detach() + y_soft
(ret * torch.arange(4.0)).sum().backward()
print(ret.sum(-1), logits.grad)


class VectorQuantizer(nn.Module):
    def __init__(self, num, dim, beta=0.25):
        super().__init__()
        self.embedding, self.beta = nn.Embedding(num, dim), beta

    def forward(self, z):
        z = z.permute(0, 2, 3, 1).contiguous()
        flat = z.view(-1, z.shape[-1])
        d = (flat**2).sum(1, keepdim=True) + (self.embedding.weight**2).sum(1) - 2 * flat @ self.embedding.weight.t()
        index = torch.argmin(d, dim=1)
        encodings = F.one_hot(index, self.embedding.num_embeddings).type(flat.dtype)
        z_q = (encodings @ self.embedding.weight).view(z.shape)
        loss = torch.mean((z_q.detach() - z) ** 2) * self.beta + torch.mean((z_q - z.detach()) ** 2)
        z_q = z + (z_q - z).detach()
        e_mean = torch.mean(encodings, dim=0)
        return z_q.permute(0, 3, 1, 2), loss, torch.exp(-torch.sum(e_mean * torch.log(e_mean + 1e-10)))


vq, z = settle(VectorQuantizer(5, 3)), noise(2, 3, 2, 2).requires_grad_()
quantized, loss, perplexity = vq(z)
(quantized.pow(2).mean() + loss).backward()
print(loss.item(), perplexity.item(), z.grad.norm(), vq.embedding.weight.grad.norm(dim=1))


def positional_encoding(x, L=3):
    return torch.cat([x] + [f(2.0**i * math.pi * x) for i in range(L) for f in (torch.sin, torch.cos)], dim=-1)


nerf = settle(nn.Sequential(nn.Linear(21, 16), nn.ReLU(), nn.Linear(16, 4)))
average = AveragedModel(nerf, multi_avg_fn=None, avg_fn=lambda a, b, n: 0.9 * a + 0.1 * b)
optimizer = torch.optim.Adam(nerf.parameters(), lr=5e-3, betas=(0.9, 0.99))
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 4], gamma=0.5)
rays_o, rays_d = (
    torch.zeros(5, 3),
    F.normalize(torch.stack([torch.linspace(-1, 1, 5), torch.ones(5), torch.zeros(5)], -1), dim=-1),
)
t_vals = torch.linspace(0.5, 2.0, 8).expand(5, 8)
for step in range(5):
    pts = rays_o[..., None, :] + rays_d[..., None, :] * t_vals[..., :, None]
    raw = nerf(positional_encoding(pts))
    dists = torch.cat([t_vals[..., 1:] - t_vals[..., :-1], torch.full((5, 1), 1e10)], -1)
    alpha = 1.0 - torch.exp(-F.relu(raw[..., 3]) * dists)
    transmittance = torch.cumprod(torch.cat([torch.ones((5, 1)), 1.0 - alpha + 1e-10], -1), -1)[:, :-1]
    weights = alpha * transmittance
    rgb = torch.sum(weights[..., None] * torch.sigmoid(raw[..., :3]), -2)
    loss = F.mse_loss(rgb, torch.linspace(0, 1, 15).view(5, 3))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    average.update_parameters(nerf)
    print(loss.item(), -10 * math.log10(loss.item()))
cdf = torch.cumsum((weights + 1e-5) / torch.sum(weights + 1e-5, -1, keepdim=True), -1).detach()
print(torch.searchsorted(cdf, torch.linspace(0, 0.99, 4).expand(5, 4).contiguous(), right=True), average.n_averaged)
print(sum(p.sum() for p in average.module.parameters()))
