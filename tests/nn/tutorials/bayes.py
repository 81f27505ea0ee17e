"""Uncertainty: a Gaussian process, a mixture density net, Bayes by backprop, Laplace, Langevin dynamics."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.distributions as D
from torch.func import hessian, jacrev, vmap

from tests.nn.tutorials.drawn import draws

_, noise, settle = draws(torch)


X = torch.linspace(-3, 3, 12)[:, None]
Y = torch.sin(X) + 0.1 * noise(12, 1)


class GP(nn.Module):
    def __init__(self):
        super().__init__()
        self.length_scale_ = nn.Parameter(torch.tensor(math.log(1.0)))
        self.noise_scale_ = nn.Parameter(torch.tensor(math.log(0.3)))
        self.amplitude_scale_ = nn.Parameter(torch.tensor(0.0))

    def kernel_mat(self, a, b):
        a, b = a / self.length_scale_.exp(), b / self.length_scale_.exp()
        sq = (a * a).sum(-1, keepdim=True) - 2 * a @ b.T + (b * b).sum(-1)
        return self.amplitude_scale_.exp() * torch.exp(-0.5 * sq.clamp_min(0))

    def nll(self, X, y):
        K = self.kernel_mat(X, X) + self.noise_scale_.exp() * torch.eye(len(X))
        L = torch.linalg.cholesky(K)
        alpha = torch.cholesky_solve(y, L)
        return 0.5 * (y * alpha).sum() + torch.log(torch.diagonal(L)).sum() + len(X) * 0.5 * math.log(2 * math.pi)

    def forward(self, x, X, y):
        K = self.kernel_mat(X, X) + self.noise_scale_.exp() * torch.eye(len(X))
        L, k = torch.linalg.cholesky(K), self.kernel_mat(x, X)
        v = torch.linalg.solve_triangular(L, k.mT, upper=False)
        return k @ torch.cholesky_solve(y, L), self.kernel_mat(x, x) - v.mT @ v


gp = GP()
opt = torch.optim.Adam(gp.parameters(), lr=0.1)
for i in range(8):
    opt.zero_grad()
    nll = gp.nll(X, Y)
    nll.backward()
    opt.step()
with torch.no_grad():
    mu, var = gp(torch.tensor([[0.0], [1.5], [5.0]]), X, Y)
print(nll.item(), mu.flatten(), var.diagonal().sqrt())
print(D.MultivariateNormal(torch.zeros(12), gp.kernel_mat(X, X) + 0.1 * torch.eye(12)).log_prob(Y[:, 0]))


class MDN(nn.Module):
    def __init__(self, n_hidden=10, n_gaussians=3):
        super().__init__()
        self.z_h = nn.Sequential(nn.Linear(1, n_hidden), nn.Tanh())
        self.z_pi, self.z_sigma, self.z_mu = (nn.Linear(n_hidden, n_gaussians) for _ in range(3))

    def forward(self, x):
        z_h = self.z_h(x)
        return F.softmax(self.z_pi(z_h), -1), torch.exp(self.z_sigma(z_h)), self.z_mu(z_h)


mdn = settle(MDN())
opt = torch.optim.Rprop(mdn.parameters(), lr=0.01)
for epoch in range(5):
    pi, sigma, mu = mdn(Y)
    m = D.Normal(loc=mu, scale=sigma)
    loss = torch.mean(-torch.log(torch.sum(torch.exp(m.log_prob(X)) * pi, dim=1)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), -torch.logsumexp(pi.log() + m.log_prob(X), 1).mean().item())


class BayesLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.mu, self.rho = nn.Parameter(torch.empty(o, i)), nn.Parameter(torch.empty(o, i))

    def forward(self, x):
        sigma = F.softplus(self.rho)
        self.kl = D.kl_divergence(D.Normal(self.mu, sigma), D.Normal(0, 1)).sum()
        return F.linear(x, self.mu + sigma * noise(*self.mu.shape))


net = settle(nn.Sequential(BayesLinear(1, 8), nn.Softplus(), BayesLinear(8, 1)))
opt = torch.optim.Adagrad(net.parameters(), lr=0.1)
for step in range(4):
    opt.zero_grad()
    elbo = F.gaussian_nll_loss(net(X), Y, torch.full_like(Y, 0.1)) + sum(l.kl for l in net if hasattr(l, "kl")) / 120
    elbo.backward()
    opt.step()
    print(elbo.item())

weights = torch.zeros(3, requires_grad=True)
design = torch.cat([torch.ones_like(X), X, X**2], 1)
truth = (X[:, 0] > 0.2).to(X.dtype)
energy = lambda w: F.binary_cross_entropy_with_logits(design @ w, truth, reduction="sum") + 0.5 * (w**2).sum()  # noqa: E731
opt = torch.optim.LBFGS([weights], line_search_fn="strong_wolfe", max_iter=20)


def closure():
    opt.zero_grad()
    loss = energy(weights)
    loss.backward()
    return loss


opt.step(closure)
H = hessian(energy)(weights.detach())
covariance = torch.linalg.inv(H)
J = jacrev(lambda w: design[:3] @ w)(weights.detach())
print(weights.detach(), torch.logdet(H), torch.einsum("ni,ij,nj->n", J, covariance, J))
print(torch.linalg.slogdet(H), torch.linalg.cond(H), torch.trace(H @ covariance))
w = weights.detach().clone()
for step in range(5):
    w.requires_grad_(True)
    (g,) = torch.autograd.grad(energy(w), w)
    w = (w - 0.01 * g + 0.1 * noise(3)).detach()
print(w, vmap(lambda r: torch.dot(r, w).sigmoid())(design)[:3])
q, r = torch.linalg.qr(design)
print(torch.linalg.lstsq(design, Y).solution.flatten(), (r.T @ r - design.T @ design).abs().max() < 1e-4)
beta = D.Beta(torch.tensor(2.0, requires_grad=True), torch.tensor(3.0))
print(
    beta.log_prob(torch.tensor([0.2, 0.7])),
    beta.entropy(),
    D.Gamma(2.0, 1.5).log_prob(torch.tensor(0.7)),
    D.Poisson(torch.tensor(3.0)).log_prob(torch.tensor(2.0)),
)
print(
    D.Dirichlet(torch.tensor([1.0, 2.0, 3.0])).log_prob(torch.tensor([0.2, 0.3, 0.5])),
    D.StudentT(3.0).log_prob(torch.tensor(0.4)),
    D.Bernoulli(logits=torch.tensor(0.3)).entropy(),
)
