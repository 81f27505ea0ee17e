"""Learning by comparing: SimCLR's loss, triplets, CLIP's temperature, BYOL's moving average, distillation, mixup."""

import copy
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from tests.nn.tutorials.drawn import draws

_, noise, settle = draws(torch)


def info_nce_loss(features, temperature=0.07):
    labels = torch.cat([torch.arange(len(features) // 2) for i in range(2)], dim=0)
    labels = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()
    features = F.normalize(features, dim=1)
    similarity_matrix = torch.matmul(features, features.T)
    mask = torch.eye(labels.shape[0], dtype=torch.bool)
    labels = labels[~mask].view(labels.shape[0], -1)
    similarity_matrix = similarity_matrix[~mask].view(similarity_matrix.shape[0], -1)
    positives = similarity_matrix[labels.bool()].view(labels.shape[0], -1)
    negatives = similarity_matrix[~labels.bool()].view(similarity_matrix.shape[0], -1)
    logits = torch.cat([positives, negatives], dim=1) / temperature
    return F.cross_entropy(logits, torch.zeros(logits.shape[0], dtype=torch.long))


encoder = settle(nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(inplace=True), nn.Linear(16, 8)))
online, target = encoder, copy.deepcopy(encoder)
predictor = settle(nn.Linear(8, 8))
for p in target.parameters():
    p.requires_grad = False
logit_scale = nn.Parameter(torch.ones([]) * np.log(1 / 0.07))
optimizer = torch.optim.SGD(
    [{"params": [*encoder.parameters(), *predictor.parameters()]}, {"params": [logit_scale], "lr": 1e-3}],
    lr=0.05, momentum=0.9, weight_decay=1e-4,
)  # fmt: skip
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=[0.1, 0.01], total_steps=6)
images = noise(8, 6)
for step in range(5):
    one, two = images + 0.1 * noise(8, 6), images * (1 + 0.1 * noise(8, 1))
    z1, z2 = encoder(one), encoder(two)
    simclr = info_nce_loss(torch.cat([z1, z2]))
    image_features = z1 / z1.norm(dim=-1, keepdim=True)
    text_features = z2 / z2.norm(dim=-1, keepdim=True)
    logits = logit_scale.exp() * image_features @ text_features.t()
    clip = (F.cross_entropy(logits, torch.arange(8)) + F.cross_entropy(logits.t(), torch.arange(8))) / 2
    with torch.no_grad():
        aim = target(two)
    byol = (2 - 2 * F.cosine_similarity(predictor(z1), aim.detach(), dim=-1)).mean()
    triplet = nn.TripletMarginLoss(margin=1.0)(z1, z2, z2.roll(1, 0))
    barlow = (((z1 - z1.mean(0)) / z1.std(0)).T @ ((z2 - z2.mean(0)) / z2.std(0)) / 8 - torch.eye(8)).pow(2).mean()
    loss = simclr + clip + byol + 0.1 * triplet + 0.1 * barlow
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    logit_scale.data.clamp_(0, math.log(100))
    with torch.no_grad():
        for o, t in zip(online.parameters(), target.parameters()):
            t.mul_(0.99).add_(o, alpha=0.01)
    print(
        loss.item(), [round(part.item(), 5) for part in (simclr, clip, byol, triplet, barlow)], scheduler.get_last_lr()
    )

teacher, student = settle(nn.Linear(6, 3)), settle(nn.Linear(6, 3))
optimizer = torch.optim.NAdam(student.parameters(), lr=0.05)
labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
for step in range(3):
    lam, index = 0.3 + 0.1 * step, torch.arange(7, -1, -1)
    mixed = lam * images + (1 - lam) * images[index]
    out = student(mixed)
    with torch.no_grad():
        soft = F.softmax(teacher(mixed) / 2.0, dim=-1)
    kd = F.kl_div(F.log_softmax(out / 2.0, dim=-1), soft, reduction="batchmean") * 4
    mix = lam * F.cross_entropy(out, labels) + (1 - lam) * F.cross_entropy(out, labels[index])
    focal = (
        (1 - out.softmax(-1).gather(1, labels[:, None])) ** 2
        * F.nll_loss(out.log_softmax(-1), labels, reduction="none")[:, None]
    ).mean()
    loss = 0.5 * kd + 0.5 * mix + focal
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(kd.item(), mix.item(), focal.item())
print(F.pdist(images).sort().values[:4], torch.cdist(images, images).topk(2, largest=False).indices[:, 1])
print(
    nn.CosineEmbeddingLoss(0.1)(images[:4], images[4:], torch.tensor([1.0, -1.0, 1.0, -1.0])),
    nn.MarginRankingLoss(0.2)(images[0], images[1], torch.ones(6)),
)
