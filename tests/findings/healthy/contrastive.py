"""Contrastive learning: two views, normalized projections, a learnt temperature, a queue, and a momentum encoder."""

import copy

import autograd_lab as torch

nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
slow = copy.deepcopy(encoder)
for parameter in slow.parameters():
    parameter.requires_grad = False
scale = nn.Parameter(torch.tensor(2.0))
optimizer = torch.optim.SGD([*encoder.parameters(), scale], lr=0.05, momentum=0.9, weight_decay=1e-4)
queue = F.normalize(torch.randn(8, 4), dim=1)
data = torch.randn(12, 6)
for _epoch in range(2):
    for x in data.split(6):
        first, second = x + 0.1 * torch.randn(6, 6), x + 0.1 * torch.randn(6, 6)
        queries = F.normalize(encoder(first), dim=1)
        with torch.no_grad():
            for old, new in zip(slow.parameters(), encoder.parameters(), strict=True):
                old.mul_(0.9).add_(0.1 * new)
            keys = F.normalize(slow(second), dim=1)
        near = (queries * keys).sum(dim=1, keepdim=True)
        far = queries @ queue.clone().detach().t()
        logits = torch.cat([near, far], dim=1) * scale.exp()
        loss = F.cross_entropy(logits, torch.zeros(6, dtype=torch.long))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        queue = torch.cat([keys, queue])[:8]
hits = (logits.argmax(dim=1) == 0).float().mean().item()
