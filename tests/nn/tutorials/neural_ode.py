"""A neural ODE by Euler and Runge-Kutta, with the adjoint by hand; a physics-informed net; a parameter found."""

import torch
import torch.nn as nn

from tests.nn.tutorials.drawn import draws

_, _, settle = draws(torch)


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y**3)


def euler(func, y, ts):
    ys = [y]
    for t0, t1 in zip(ts[:-1], ts[1:]):
        y = y + (t1 - t0) * func(t0, y)
        ys.append(y)
    return torch.stack(ys)


def rk4(func, y, ts):
    ys = [y]
    for t0, t1 in zip(ts[:-1], ts[1:]):
        h = t1 - t0
        k1 = func(t0, y)
        k2 = func(t0 + h / 2, y + h * k1 / 2)
        k3 = func(t0 + h / 2, y + h * k2 / 2)
        k4 = func(t1, y + h * k3)
        y = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        ys.append(y)
    return torch.stack(ys)


true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
true_y0 = torch.tensor([[2.0, 0.0]])
ts = torch.linspace(0.0, 1.0, 11)
with torch.no_grad():
    true_y = rk4(lambda t, y: torch.mm(y**3, true_A), true_y0, ts)
print(true_y[-1])
func = settle(ODEFunc())
optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-2)
for itr in range(6):
    optimizer.zero_grad()
    solver = euler if itr % 2 else rk4
    loss = torch.mean(torch.abs(solver(func, true_y0, ts) - true_y))
    loss.backward()
    optimizer.step()
    print(f"Iter {itr:04d} | Total Loss {loss.item():.6f}")


class Adjoint(torch.autograd.Function):
    """Euler's steps without a graph; backward goes through them from the end."""

    @staticmethod
    def forward(ctx, func, y0, ts, *params):
        ctx.func = func
        with torch.no_grad():
            ys = euler(func, y0, ts)
        ctx.save_for_backward(ts, ys, *params)
        return ys[-1]

    @staticmethod
    def backward(ctx, adj):
        ts, ys, *params = ctx.saved_tensors
        grads = [torch.zeros_like(p) for p in params]
        for i in range(len(ts) - 2, -1, -1):
            with torch.enable_grad():
                y = ys[i].detach().requires_grad_(True)
                dy = (ts[i + 1] - ts[i]) * ctx.func(ts[i], y)
                to_y, *to_params = torch.autograd.grad(dy, (y, *params), adj, allow_unused=True)
            adj = adj + to_y
            grads = [a if b is None else a + b for a, b in zip(grads, to_params)]
        return (None, adj, None, *grads)


y0 = true_y0.clone().requires_grad_()
params = tuple(func.parameters())
Adjoint.apply(func, y0, ts, *params).sum().backward()
by_hand = [y0.grad.clone(), *(p.grad.clone() for p in params)]
y0.grad = None
func.zero_grad()
euler(func, y0, ts)[-1].sum().backward()
print([torch.allclose(a, b, atol=1e-5) for a, b in zip(by_hand, [y0.grad, *(p.grad for p in params)])])

# u'' = -u with u(0) = 0, u'(0) = 1
net = settle(nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 1)))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for step in range(6):
    x = torch.linspace(0, 3, 16).view(-1, 1).requires_grad_(True)
    u = net(x)
    du = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
    d2u = torch.autograd.grad(du, x, torch.ones_like(du), create_graph=True)[0]
    loss = torch.mean((d2u + u) ** 2) + (u[0] ** 2).sum() + ((du[0] - 1) ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

k = nn.Parameter(torch.tensor(0.5, dtype=torch.float64))
times = torch.linspace(0, 2, 9, dtype=torch.float64)
observed = torch.exp(-1.3 * times)
optimizer = torch.optim.SGD([k], lr=0.5, momentum=0.9, nesterov=True)
for _ in range(10):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(torch.exp(-k * times), observed)
    loss.backward()
    optimizer.step()
print(
    k.item(),
    torch.autograd.functional.hessian(lambda k: nn.functional.mse_loss(torch.exp(-k * times), observed), k.detach()),
)
