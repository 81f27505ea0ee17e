"""A transformer learns letters and writes some, from a seed: places in the text, dropout and letters are drawn."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1337)
text = "gradients flow backward through the graph. " * 20
letters = sorted(set(text))
data = torch.tensor([letters.index(letter) for letter in text])
LENGTH = 8


def batch():
    places = torch.randint(len(data) - LENGTH, (4,))
    windows = torch.stack([data[place : place + LENGTH + 1] for place in places])
    return windows[:, :-1], windows[:, 1:]


class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.letter, self.place = nn.Embedding(len(letters), 16), nn.Embedding(LENGTH, 16)
        self.blocks = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, 0.1, batch_first=True), 2)
        self.head = nn.Linear(16, len(letters))

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.head(self.blocks(self.letter(x) + self.place(torch.arange(x.shape[1])), mask=mask))


writer = Writer()
optimizer = torch.optim.AdamW(writer.parameters(), lr=3e-3)
for step in range(20):
    x, y = batch()
    loss = F.cross_entropy(writer(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(writer.parameters(), 1.0)
    optimizer.step()
    if step % 5 == 4:
        print(step, f"{loss.item():.6f}")
writer.eval()
written = torch.zeros((1, 1), dtype=torch.long)
for _ in range(30):
    chances = F.softmax(writer(written[:, -LENGTH:])[:, -1], -1)
    written = torch.cat([written, torch.multinomial(chances, 1)], 1)
print("".join(letters[number] for number in written[0].tolist()))
