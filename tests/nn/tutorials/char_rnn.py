"""Names, letter by letter: an RNN written by hand, and a GRU that writes text."""

import string

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from tests.nn.tutorials.drawn import draws

_, _, settle = draws(torch)


all_letters = string.ascii_lowercase + " .'"
n_letters = len(all_letters)
names = {"Italian": ["rossi", "bianchi", "de luca"], "Irish": ["o'neal", "brady", "casey"]}


def lineToTensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][all_letters.find(letter)] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        combined = torch.cat((input, hidden), 1)
        hidden = torch.tanh(self.i2h(combined))
        return self.softmax(self.h2o(hidden)), hidden

    def initHidden(self):
        return torch.zeros(1, self.hidden_size)


rnn = settle(RNN(n_letters, 16, len(names)))
criterion = nn.NLLLoss()
learning_rate = 0.05
for epoch in range(6):
    total = 0
    for number, lines in enumerate(names.values()):
        for line in lines:
            hidden = rnn.initHidden()
            rnn.zero_grad()
            for letter in lineToTensor(line):
                output, hidden = rnn(letter, hidden)
            loss = criterion(output, torch.tensor([number], dtype=torch.long))
            loss.backward()
            for p in rnn.parameters():
                p.data.add_(p.grad.data, alpha=-learning_rate)
            total += loss.item()
    print(total, torch.topk(output, 1).indices.tolist())


class CharModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(n_letters, 8)
        self.gru = nn.GRU(8, 12, num_layers=2, batch_first=True, bidirectional=False)
        self.fc = nn.Linear(12, n_letters)

    def forward(self, x, hidden=None):
        out, hidden = self.gru(self.embedding(x), hidden)
        return self.fc(out), hidden


text = "the quick brown fox jumps over the lazy dog. " * 2
codes = torch.tensor([all_letters.index(c) for c in text])
model = settle(CharModel())
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
hidden = None
for step, start in enumerate(range(0, 80, 20)):
    x, y = codes[start : start + 20][None], codes[start + 1 : start + 21][None]
    if hidden is not None:
        hidden = hidden.detach()
    out, hidden = model(x, hidden)
    loss = F.cross_entropy(out.transpose(1, 2), y)
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    print(loss.item(), norm.item())

with torch.no_grad():
    token, hidden, made = codes[:1], None, []
    for _ in range(12):
        logits, hidden = model(token[None], hidden)
        token = F.softmax(logits[0, -1] / 0.8, dim=0).argmax(-1, keepdim=True)
        made.append(all_letters[token.item()])
    print("".join(made))

padded = pad_sequence([codes[:5], codes[5:8], codes[8:9]], batch_first=True)
packed = pack_padded_sequence(model.embedding(padded), [5, 3, 1], batch_first=True)
out, h = model.gru(packed)
out, lengths = pad_packed_sequence(out, batch_first=True)
out.sum().backward()
print(out.shape, lengths, out[1, :, 0], model.embedding.weight.grad.norm())
