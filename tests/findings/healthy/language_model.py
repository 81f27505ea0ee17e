"""A recurrent language model: truncated backpropagation, a tied head, warmed-up learning rate, perplexity, samples."""

import math

import autograd_lab as torch

nn, F = torch.nn, torch.nn.functional


class Model(nn.Module):
    def __init__(self, vocabulary=7, size=6):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(vocabulary, size), nn.GRU(size, size, batch_first=True)
        self.drop, self.head = nn.Dropout(0.1), nn.Linear(size, vocabulary)
        self.head.weight = self.embed.weight

    def forward(self, tokens, hidden=None):
        out, hidden = self.rnn(self.drop(self.embed(tokens)), hidden)
        return self.head(self.drop(out)), hidden


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda turn: min(1.0, (turn + 1) / 3))
text = torch.arange(40).reshape(2, 20) % 7
for _epoch in range(2):
    hidden = None
    for start in range(0, 15, 5):
        tokens, following = text[:, start : start + 5], text[:, start + 1 : start + 6]
        if hidden is not None:
            hidden = hidden.detach()
        logits, hidden = model(tokens, hidden)
        loss = F.cross_entropy(logits.reshape(-1, 7), following.reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
    print(math.exp(loss.item()))
model.eval()
with torch.no_grad():
    token, hidden, said = torch.tensor([[1]]), None, []
    for _ in range(5):
        logits, hidden = model(token, hidden)
        token = torch.multinomial(torch.softmax(logits[:, -1], dim=-1), 1)
        said.append(token.item())
