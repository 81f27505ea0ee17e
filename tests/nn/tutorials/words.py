"""Words: skip-grams with negative sampling, a CBOW, a text CNN, the forward algorithm of a CRF, CTC."""

from collections import Counter

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

from tests.nn.tutorials.drawn import draws

numbers, noise, settle = draws(torch)


text = "we are about to study the idea of a computational process computational processes are abstract beings".split()
vocab = {word: i for i, (word, _) in enumerate(Counter(text).most_common())}
ids = torch.tensor([vocab[w] for w in text])


class SkipGram(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.u, self.v = nn.Embedding(n, dim), nn.Embedding(n, dim)

    def forward(self, center, context, negative):
        emb = self.u(center)
        good = F.logsigmoid((emb * self.v(context)).sum(1))
        bad = F.logsigmoid(-torch.bmm(self.v(negative), emb.unsqueeze(2)).squeeze(2)).sum(1)
        return -(good + bad).mean()


model = settle(SkipGram(len(vocab), 6))
optimizer = optim.ASGD(model.parameters(), lr=0.5)
for epoch in range(4):
    negative = torch.tensor(numbers.randint(0, len(vocab), (len(ids) - 1, 3)))
    optimizer.zero_grad()
    loss = model(ids[:-1], ids[1:], negative)
    loss.backward()
    optimizer.step()
    print(loss.item())


class CBOW(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.embeddings = nn.Embedding(n, dim, max_norm=1.0)
        self.bag = nn.EmbeddingBag(n, dim, mode="mean")
        self.linear1, self.linear2 = nn.Linear(2 * dim, 12), nn.Linear(12, n)

    def forward(self, inputs):
        flat = inputs.flatten()
        offsets = torch.arange(0, len(flat), inputs.shape[1])
        x = torch.cat([self.embeddings(inputs).sum(1), self.bag(flat, offsets)], -1)
        return F.log_softmax(self.linear2(F.relu(self.linear1(x))), dim=1)


cbow = settle(CBOW(len(vocab), 5))
optimizer = optim.SGD(cbow.parameters(), lr=0.2)
scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, "min", factor=0.5, patience=0)
contexts = torch.stack([ids[:-4], ids[1:-3], ids[3:-1], ids[4:]], 1)
for epoch in range(4):
    cbow.zero_grad()
    loss = nn.NLLLoss()(cbow(contexts), ids[2:-2])
    loss.backward()
    optimizer.step()
    scheduler.step(loss)
    print(loss.item(), optimizer.param_groups[0]["lr"])


class TextCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(len(vocab), 6)
        self.convs = nn.ModuleList([nn.Conv1d(6, 4, k) for k in (2, 3, 4)])
        self.highway = nn.Linear(12, 12)
        self.fc = nn.utils.parametrizations.weight_norm(nn.Linear(12, 2))

    def forward(self, x):
        x = self.embed(x).transpose(1, 2)
        x = torch.cat(
            [F.max_pool1d(F.relu(c(x)), x.shape[-1] - c.kernel_size[0] + 1).squeeze(2) for c in self.convs], 1
        )
        gate = torch.sigmoid(self.highway(x))
        return self.fc(gate * F.relu(x) + (1 - gate) * x)


cnn = settle(TextCNN())
optimizer = optim.AdamW(cnn.parameters(), lr=0.02)
scaler = torch.amp.GradScaler("cpu", enabled=False)
batch, labels = ids[:15].view(3, 5), torch.tensor([0, 1, 1])
for step in range(3):
    optimizer.zero_grad()
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16, enabled=False):
        loss = F.multi_margin_loss(cnn(batch), labels) + F.cross_entropy(
            cnn(batch), labels, weight=torch.tensor([1.0, 2.0])
        )
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    print(loss.item())

START, STOP, tags = 3, 4, 5
transitions = nn.Parameter(noise(tags, tags))
transitions.data[START, :] = -10000
transitions.data[:, STOP] = -10000
feats = noise(6, tags).requires_grad_()


def log_sum_exp(vec):
    max_score = vec[0, torch.argmax(vec, 1).item()]
    return max_score + torch.log(torch.sum(torch.exp(vec - max_score.view(1, -1).expand(1, vec.size()[1]))))


def forward_alg(feats):
    forward_var = torch.full((1, tags), -10000.0)
    forward_var[0][START] = 0.0
    for feat in feats:
        alphas_t = []
        for next_tag in range(tags):
            emit_score = feat[next_tag].view(1, -1).expand(1, tags)
            alphas_t.append(log_sum_exp(forward_var + transitions[next_tag].view(1, -1) + emit_score).view(1))
        forward_var = torch.cat(alphas_t).view(1, -1)
    return log_sum_exp(forward_var + transitions[STOP])


path = torch.tensor([START, 0, 1, 2, 1, 0, 0])
gold = sum(transitions[path[i + 1], path[i]] + feats[i, path[i + 1]] for i in range(6)) + transitions[STOP, path[-1]]
score = forward_alg(feats) - gold
score.backward()
print(score.item(), feats.grad[0], transitions.grad.abs().sum())
ctc = nn.CTCLoss(blank=0)
log_probs = noise(8, 2, 4).log_softmax(2).requires_grad_()
loss = ctc(log_probs, torch.tensor([[1, 2, 3], [2, 2, 1]]), torch.tensor([8, 7]), torch.tensor([3, 2]))
loss.backward()
print(loss.item(), log_probs.grad.norm())
