"""Programs as people write them, for the pictures that they know: each is run with the module to use as `torch`."""

from __future__ import annotations

from typing import Any


def mlp(torch: Any) -> None:
    """Three steps of training."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.ones(5, 3), torch.ones(5, 1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()


def by_hand(torch: Any) -> None:
    """Two steps of gradient descent without an optimizer."""
    w = torch.tensor(1.0, requires_grad=True)
    for _ in range(2):
        loss = (w - 3) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None


def rnn(torch: Any, turns: int = 3) -> None:
    """A cell by hand, the same weights at each turn."""
    W, U = torch.eye(4).requires_grad_(), torch.eye(4).requires_grad_()
    h = torch.zeros(4)
    for x in torch.ones(turns, 4):
        h = torch.tanh(W @ x + U @ h)
    loss = h.sum()
    loss.backward()


def lstm_cells(torch: Any) -> None:
    """One cell, called six times."""
    cell = torch.nn.LSTMCell(3, 4)
    h = c = torch.zeros(1, 4)
    for x in torch.ones(6, 1, 3):
        h, c = cell(x, (h, c))
    h.sum().backward()


def attention(torch: Any) -> None:
    """Masked attention by hand."""
    x = torch.arange(40.0).reshape(5, 8) / 40
    Wq, Wk, Wv = (torch.eye(8).requires_grad_() for _ in range(3))
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scores = q @ k.t() / 2.5
    future = torch.ones(5, 5).triu(1) > 0
    weights = scores.masked_fill(future, float("-inf")).softmax(-1)
    out = weights @ v
    loss = out.pow(2).mean()
    loss.backward()


def u_net(torch: Any) -> None:
    """Three levels down, three up, and skips between."""
    nn, functional = torch.nn, torch.nn.functional

    def block(inputs: int, outputs: int) -> Any:
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())

    class UNet(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.d1, self.d2, self.d3, self.mid = block(1, 4), block(4, 8), block(8, 16), block(16, 16)
            self.u3, self.u2, self.u1 = block(32, 8), block(16, 4), block(8, 4)
            self.out = nn.Conv2d(4, 1, 1)

        def forward(self, x: Any) -> Any:
            a = self.d1(x)
            b = self.d2(functional.max_pool2d(a, 2))
            c = self.d3(functional.max_pool2d(b, 2))
            y = self.mid(functional.max_pool2d(c, 2))
            y = self.u3(torch.cat([c, functional.interpolate(y, scale_factor=2)], 1))
            y = self.u2(torch.cat([b, functional.interpolate(y, scale_factor=2)], 1))
            y = self.u1(torch.cat([a, functional.interpolate(y, scale_factor=2)], 1))
            return self.out(y)

    net, x = UNet(), torch.ones(2, 1, 16, 16)
    loss = functional.mse_loss(net(x), x)
    loss.backward()


def res_net(torch: Any) -> None:
    """Six alike blocks, each added to what it takes."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 4)

        def forward(self, x: Any) -> Any:
            return x + self.fc2(torch.relu(self.fc1(x)))

    net = nn.Sequential(*[Block() for _ in range(6)])
    x = torch.ones(2, 4)
    loss = net(x).sum()
    loss.backward()


def narrowing_net(torch: Any) -> None:
    """Blocks of which some make what goes around them narrower, too."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self, of: int, to: int) -> None:
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(of, to), nn.Linear(to, to)
            self.narrow = nn.Linear(of, to) if of != to else None

        def forward(self, x: Any) -> Any:
            out = self.fc2(torch.relu(self.fc1(x)))
            around = x if self.narrow is None else self.narrow(x)
            return torch.relu(out + around)

    net = nn.Sequential(*[Block(*sizes) for sizes in ((8, 8), (8, 4), (4, 4), (4, 2), (2, 2))])
    head = nn.Linear(2, 2)
    x = torch.ones(2, 8)
    loss = head(net(x)).sum()
    loss.backward()


def siamese(torch: Any) -> None:
    """One encoder for two inputs."""
    nn = torch.nn
    enc = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    a, b = torch.ones(2, 3), torch.zeros(2, 3)
    ea, eb = enc(a), enc(b)
    dist = (ea - eb).pow(2).sum(1)
    loss = dist.mean()
    loss.backward()


def triplet(torch: Any) -> None:
    """One encoder for three inputs, which takes nothing of what it has made."""
    nn = torch.nn
    enc = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    a, p, n = torch.ones(2, 3), torch.zeros(2, 3), -torch.ones(2, 3)
    ea, ep, en = enc(a), enc(p), enc(n)
    loss = torch.relu((ea - ep).norm(dim=1) - (ea - en).norm(dim=1) + 1).mean()
    loss.backward()


def blocks_in_a_row(torch: Any) -> None:
    """Blocks in a container, between layers of their own."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.up, self.down = nn.LayerNorm(4), nn.Linear(4, 8), nn.Linear(8, 4)

        def forward(self, x: Any) -> Any:
            return x + self.down(torch.relu(self.up(self.norm(x))))

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Linear(3, 4), nn.Linear(4, 2)
            self.blocks = nn.Sequential(*[Block() for _ in range(4)])

        def forward(self, x: Any) -> Any:
            return self.last(self.blocks(self.first(x) * 2))

    Net()(torch.ones(2, 3)).pow(2).mean().backward()


def vae(torch: Any) -> None:
    """A variational autoencoder, all of whose values have names."""
    nn, functional = torch.nn, torch.nn.functional
    enc, to_mu, to_lv = nn.Linear(6, 5), nn.Linear(5, 2), nn.Linear(5, 2)
    dec = nn.Sequential(nn.Linear(2, 5), nn.ReLU(), nn.Linear(5, 6))
    x = torch.ones(3, 6)
    h = torch.relu(enc(x))
    mu, lv = to_mu(h), to_lv(h)
    z = mu + torch.exp(0.5 * lv) * torch.ones(3, 2)
    rec = dec(z)
    bce = functional.binary_cross_entropy_with_logits(rec, x)
    kl = -0.5 * (1 + lv - mu**2 - lv.exp()).mean()
    loss = bce + kl
    loss.backward()


def gan(torch: Any) -> None:
    """Two rounds of a generator against a discriminator."""
    nn, softplus = torch.nn, torch.nn.functional.softplus
    G = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 3))
    D = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    of_g, of_d = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
    for _ in range(2):
        real = torch.ones(5, 3)
        fake = G(torch.ones(5, 2))
        d_loss = softplus(-D(real)).mean() + softplus(D(fake.detach())).mean()
        of_d.zero_grad()
        d_loss.backward()
        of_d.step()
        g_loss = softplus(-D(fake)).mean()
        of_g.zero_grad()
        g_loss.backward()
        of_g.step()


def two_losses(torch: Any) -> None:
    """Two backward passes from one hidden value."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = torch.tanh(w)
    first = h.sum()
    second = h.mean()
    first.backward(retain_graph=True)
    second.backward()


def losses_kept(torch: Any) -> None:
    """What a script does that sums losses with their graphs: backward begins at one, and never at the sum."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    loss = model(torch.ones(16, 4)).square().mean()
    loss.backward()
    total = loss + 1
    total.relu()


def double_backward(torch: Any) -> None:
    """The gradient of a gradient, without a .grad until the end."""
    x = torch.tensor(3.0, requires_grad=True)
    y = x**3
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    p = g**2
    p.backward()


def own_function(torch: Any) -> None:
    """An own Function, whose forward computes through other ops."""

    class Swish(torch.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            s = x.sigmoid()
            ctx.save_for_backward(x, s)
            return x * s

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, s = ctx.saved_tensors
            return g * (s + x * s * (1 - s))

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Swish.apply(x)
    loss = y.sum()
    loss.backward()


def fan_in(torch: Any) -> None:
    """Four paths from one leaf."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x**2 + 3 * x + torch.exp(x) + torch.sin(x)
    y.backward()


def views_and_writes(torch: Any) -> None:
    """A write to a part of a tensor, and ops with several outputs."""
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y[0].mul_(3)
    a, b = torch.ones(2, 2).requires_grad_().unbind()
    z = y.sum() + a.sum() * b.sum()
    z.backward()


def checkpointed(torch: Any, reentrant: bool = False) -> None:
    """A part that is run again in backward."""
    layer = torch.nn.Linear(3, 3)
    x = torch.ones(2, 3, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda x: torch.tanh(layer(x)), x, use_reentrant=reentrant)
    y.sum().backward()


def inference(torch: Any) -> None:
    """A model without a gradient."""
    model = torch.nn.Linear(3, 1)
    with torch.no_grad():
        model(torch.ones(2, 3))


def failing(torch: Any) -> None:
    """A training loop whose third iteration fails before its backward pass."""
    w = torch.ones(3, requires_grad=True)
    for size in (3, 3, 2):
        h = torch.tanh(w * 2)
        loss = (h * torch.ones(size)).sum()
        loss.backward()


def overwritten(torch: Any) -> None:
    """A long chain in which a saved value is overwritten: backward fails there."""
    w = torch.ones(3, requires_grad=True)
    h = torch.exp(w * 2 * 3 * 4)
    y = h * h
    h.add_(1)
    (y * 2 * 3).sum().backward()


PROGRAMS = [
    mlp, by_hand, rnn, lstm_cells, attention, u_net, res_net, siamese, triplet, blocks_in_a_row, vae, gan, two_losses,
    losses_kept, double_backward, own_function, fan_in, views_and_writes, checkpointed, inference, failing, overwritten,
]  # fmt: skip
