"""Attention: a small GPT by hand, a transformer encoder with a mask, and rotary positions."""

import math

import torch
import torch.nn as nn
from torch.nn import functional as F

from tests.nn.tutorials.drawn import draws

_, noise, settle = draws(torch)


n_embd, block_size, vocab_size, n_head = 16, 8, 11, 4


class Head(nn.Module):
    """One head of self-attention."""

    def __init__(self, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        return F.softmax(wei, dim=-1) @ self.value(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd // n_head) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)
        self.ffwd = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)

    def forward(self, x):
        y = self.ln1(x)
        x = x + self.proj(torch.cat([h(y) for h in self.heads], dim=-1))
        return x + self.ffwd(self.ln2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
        self.position_embedding_table = nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(*[Block() for _ in range(2)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.lm_head.weight = self.token_embedding_table.weight

    def forward(self, idx, targets=None):
        B, T = idx.shape
        x = self.token_embedding_table(idx) + self.position_embedding_table(torch.arange(T))
        logits = self.lm_head(self.ln_f(self.blocks(x)))
        if targets is None:
            return logits, None
        B, T, C = logits.shape
        return logits, F.cross_entropy(logits.view(B * T, C), targets.view(B * T))

    @torch.no_grad()
    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            logits, _ = self(idx[:, -block_size:])
            v, _ = torch.topk(logits[:, -1, :], 3)
            logits = logits[:, -1, :]
            logits[logits < v[:, [-1]]] = -float("Inf")
            idx = torch.cat((idx, F.softmax(logits, dim=-1).argmax(-1, keepdim=True)), dim=1)
        return idx


model = settle(GPT())
print(sum(p.numel() for p in model.parameters()))
decay = [p for p in model.parameters() if p.dim() >= 2]
others = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW(
    [{"params": decay, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-2
)
stream = torch.arange(60) ** 2 % 11
for step in range(5):
    starts = torch.tensor([step, step + 9, step + 20])
    xb = torch.stack([stream[i : i + block_size] for i in starts])
    yb = torch.stack([stream[i + 1 : i + block_size + 1] for i in starts])
    logits, loss = model(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(step, loss.item())
print(model.generate(torch.zeros((1, 1), dtype=torch.long), 10)[0].tolist())


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=20):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(0)]


layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0)
encoder = settle(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False))
x = PositionalEncoding(16)(noise(6, 2, 16)).requires_grad_()
mask = nn.Transformer.generate_square_subsequent_mask(6)
padding = torch.tensor([[False] * 6, [False] * 4 + [True] * 2])
y = encoder(x, mask=mask, src_key_padding_mask=torch.zeros(2, 6).masked_fill(padding, float("-inf")))
y.pow(2).mean().backward()
print(y[0, 0, :4], x.grad.norm(), x.grad[5, 1].norm())


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


freqs = torch.outer(torch.arange(6.0), 1.0 / (10000 ** (torch.arange(0.0, 8, 2) / 8)))
emb = torch.cat((freqs, freqs), dim=-1)
q = noise(2, 2, 6, 8).requires_grad_()
rotated = q * emb.cos() + rotate_half(q) * emb.sin()
out = F.scaled_dot_product_attention(rotated, rotated, q, is_causal=True)
b, h, t, d = out.shape
out = torch.einsum("bhtd,hde->bte", out, noise(h, d, 3))
out.logsumexp(-1).sum().backward()
print(out.shape, q.grad.norm(dim=-1)[0, 0])
