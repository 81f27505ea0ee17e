"""Nets on graphs: GCN with a normalised adjacency, GAT with softmax over edges, and message passing by index_add."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from tests.nn.tutorials.drawn import draws

_, noise, settle = draws(torch)


edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (3, 5), (5, 6), (6, 7), (5, 7)]
edge_index = torch.tensor(edges + [(b, a) for a, b in edges]).t().contiguous()
n = int(edge_index.max()) + 1
features, labels = noise(n, 4), torch.tensor([0, 0, 0, 0, 1, 1, 1, 1])
train_mask = torch.zeros(n, dtype=torch.bool)
train_mask[[0, 3, 4, 7]] = True


class GCNConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)
        self.bias = nn.Parameter(torch.empty(o))

    def forward(self, x, edge_index):
        adj = torch.zeros(n, n)
        adj[edge_index[0], edge_index[1]] = 1
        adj = adj + torch.eye(n)
        deg = adj.sum(1).pow(-0.5)
        deg[torch.isinf(deg)] = 0
        return torch.diag(deg) @ adj @ torch.diag(deg) @ self.lin(x) + self.bias


class GATConv(nn.Module):
    def __init__(self, i, o, heads):
        super().__init__()
        self.heads, self.o = heads, o
        self.lin = nn.Linear(i, heads * o, bias=False)
        self.att_src, self.att_dst = nn.Parameter(torch.empty(1, heads, o)), nn.Parameter(torch.empty(1, heads, o))

    def forward(self, x, edge_index):
        x = self.lin(x).view(-1, self.heads, self.o)
        src, dst = edge_index
        alpha = (x * self.att_src).sum(-1)[src] + (x * self.att_dst).sum(-1)[dst]
        alpha = F.leaky_relu(alpha, 0.2)
        top = torch.full((n, self.heads), -1e9).scatter_reduce(0, dst[:, None].expand(-1, self.heads), alpha, "amax")
        alpha = torch.exp(alpha - top[dst].detach())
        alpha = alpha / torch.zeros(n, self.heads).index_add(0, dst, alpha)[dst].clamp(min=1e-16)
        out = torch.zeros(n, self.heads, self.o).index_add_(0, dst, alpha.unsqueeze(-1) * x[src])
        return out.flatten(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gcn, self.gat = GCNConv(4, 8), GATConv(8, 4, 2)
        self.gru = nn.GRUCell(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x, edge_index):
        x = F.elu(self.gcn(x, edge_index))
        x = x + self.gat(x, edge_index)
        message = torch.zeros_like(x).scatter_add(0, edge_index[1][:, None].expand(-1, 8), x[edge_index[0]])
        x = self.gru(message, x)
        return F.log_softmax(self.head(x), dim=1), x


model = settle(Net())
optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
for epoch in range(6):
    model.train()
    optimizer.zero_grad()
    out, x = model(features, edge_index)
    loss = F.nll_loss(out[train_mask], labels[train_mask])
    loss.backward()
    optimizer.step()
    acc = (out.max(dim=1)[1][~train_mask] == labels[~train_mask]).float().mean()
    print(f"{epoch} {loss:.6f} {acc:.2f}")
deg = torch.bincount(edge_index[0], minlength=n)
print(deg, torch.unique(deg, return_counts=True))
neg = torch.nonzero(torch.triu(torch.ones(n, n) - torch.eye(n), 1)).t()[:, ::3]
score = lambda e: (x[e[0]] * x[e[1]]).sum(-1)  # noqa: E731
both = torch.cat([score(edge_index), score(neg)])
truth = torch.cat([torch.ones(edge_index.size(1)), torch.zeros(neg.size(1))])
print(F.binary_cross_entropy_with_logits(both, truth, pos_weight=torch.tensor(2.0)))
w, v = torch.linalg.eigh(torch.diag(deg.to(x.dtype)) - torch.zeros(n, n).index_put(tuple(edge_index), torch.ones(20)))
print(w, v[:, 1].abs())
