"""One training step of a transformer encoder with twelve layers, narrow so that it is quick."""

import autograd_lab as torch
from autograd_lab import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(d_model=32, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=True)
model = nn.TransformerEncoder(layer, num_layers=12)
words = torch.randn(2, 6, 32)

loss = model(words).pow(2).mean()
loss.backward()
print(loss.item())
