"""Real models, written for either world: each function takes the module to use as `torch`, and sizes.

A `Work` is a model with all that a step of training needs; calling it is one step, and gives the loss. By default
the models are narrow; the arguments that make them the published ones are named in their docstrings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Work:
    """A model, its optimizer, and what computes a loss on one batch."""

    model: Any
    optimizer: Any
    loss: Callable[[], Any]

    def __call__(self) -> float:
        """Forward, loss, backward, step."""
        self.optimizer.zero_grad()
        loss = self.loss()
        loss.backward()
        self.optimizer.step()
        return float(loss.item())


def work(torch: Any, model: Any, loss: Callable[[], Any], rate: float = 0.01) -> Work:
    return Work(model, torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9), loss)


def spread(torch: Any, *shape: int) -> Any:
    """Numbers between -1 and 1, the same in both worlds, and no two neighbours alike."""
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(float(count)) * 1.7).reshape(shape)


def words(torch: Any, count: int, *shape: int) -> Any:
    """Whole numbers below a count."""
    size = 1
    for each in shape:
        size *= each
    return (torch.arange(size) * 7 % count).reshape(shape)


def settled(torch: Any, model: Any) -> Any:
    """The model with weights that are the same in both worlds; those of normalisations stay 1."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                inputs = parameter.numel() / parameter.shape[0]
                parameter.copy_(spread(torch, *parameter.shape) / inputs**0.5)
            elif "bias" in name:
                parameter.copy_(spread(torch, *parameter.shape) / 10)
    return model


def encoder(torch: Any, layers: int = 12, width: int = 16, heads: int = 4, length: int = 6, batch: int = 2) -> Work:
    """A transformer's encoder; BERT's has width 768 and 12 heads."""
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True)
    model = settled(torch, nn.TransformerEncoder(layer, layers, enable_nested_tensor=False))
    x = spread(torch, batch, length, width)
    return work(torch, model, lambda: model(x).pow(2).mean())


def resnet18(torch: Any, width: int = 4, classes: int = 5, size: int = 64, batch: int = 2) -> Work:
    """Residual blocks of two convolutions; the published one has width 64, 1000 classes and size 224.

    At half this size the last layers normalise over two numbers, and rounding alone decides where training goes.
    """
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self, inputs: int, outputs: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(outputs)
            self.relu = nn.ReLU(inplace=True)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(outputs)
            self.downsample = None
            if stride != 1 or inputs != outputs:
                projection = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
                self.downsample = nn.Sequential(projection, nn.BatchNorm2d(outputs))

        def forward(self, x: Any) -> Any:
            identity = x if self.downsample is None else self.downsample(x)
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            out += identity
            return self.relu(out)

    class ResNet(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
            self.bn1 = nn.BatchNorm2d(width)
            self.relu = nn.ReLU(inplace=True)
            self.maxpool = nn.MaxPool2d(3, 2, 1)
            self.layer1 = nn.Sequential(Block(width, width, 1), Block(width, width, 1))
            self.layer2 = nn.Sequential(Block(width, 2 * width, 2), Block(2 * width, 2 * width, 1))
            self.layer3 = nn.Sequential(Block(2 * width, 4 * width, 2), Block(4 * width, 4 * width, 1))
            self.layer4 = nn.Sequential(Block(4 * width, 8 * width, 2), Block(8 * width, 8 * width, 1))
            self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
            self.fc = nn.Linear(8 * width, classes)

        def forward(self, x: Any) -> Any:
            x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
            x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
            return self.fc(torch.flatten(self.avgpool(x), 1))

    model = settled(torch, ResNet())
    images, labels = spread(torch, batch, 3, size, size), words(torch, classes, batch)
    return work(torch, model, lambda: nn.functional.cross_entropy(model(images), labels))


def gpt2(
    torch: Any, layers: int = 12, width: int = 16, heads: int = 4, length: int = 6, count: int = 30, batch: int = 2
) -> Work:
    """A decoder that foretells the next word; the published one has width 768, 12 heads, length 1024, 50257 words."""
    nn = torch.nn
    functional = nn.functional

    class Attention(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.c_attn = nn.Linear(width, 3 * width)
            self.c_proj = nn.Linear(width, width)
            self.register_buffer("future", torch.ones(length, length).triu(1) > 0, persistent=False)

        def forward(self, x: Any) -> Any:
            rows, time, _ = x.shape
            parts = self.c_attn(x).split(width, dim=2)
            q, k, v = (part.view(rows, time, heads, width // heads).transpose(1, 2) for part in parts)
            scores = (q @ k.transpose(-2, -1)) / (width // heads) ** 0.5
            weights = functional.softmax(scores.masked_fill(self.future, float("-inf")), dim=-1)
            return self.c_proj((weights @ v).transpose(1, 2).reshape(rows, time, width))

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.ln_1 = nn.LayerNorm(width)
            self.attn = Attention()
            self.ln_2 = nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width))

        def forward(self, x: Any) -> Any:
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    class GPT2(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.wte = nn.Embedding(count, width)
            self.wpe = nn.Embedding(length, width)
            self.h = nn.ModuleList([Block() for _ in range(layers)])
            self.ln_f = nn.LayerNorm(width)
            self.lm_head = nn.Linear(width, count, bias=False)
            self.lm_head.weight = self.wte.weight

        def forward(self, tokens: Any) -> Any:
            x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
            for block in self.h:
                x = block(x)
            return self.lm_head(self.ln_f(x))

    model = settled(torch, GPT2())
    text = words(torch, count, batch, length + 1)
    inputs, next_words = text[:, :-1], text[:, 1:].reshape(-1)
    return work(torch, model, lambda: functional.cross_entropy(model(inputs).view(-1, count), next_words))


def lstm_cells(torch: Any, steps: int = 200, width: int = 8, batch: int = 2) -> Work:
    """A cell, called once a step."""
    nn = torch.nn

    class Reader(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.cell = nn.LSTMCell(4, width)
            self.out = nn.Linear(width, 1)

        def forward(self, sequence: Any) -> Any:
            h = torch.zeros(sequence.shape[1], width)
            c = torch.zeros(sequence.shape[1], width)
            for x in sequence:
                h, c = self.cell(x, (h, c))
            return self.out(h)

    model = settled(torch, Reader())
    sequence, target = spread(torch, steps, batch, 4), spread(torch, batch, 1)
    return work(torch, model, lambda: nn.functional.mse_loss(model(sequence), target))


def lstm(torch: Any, steps: int = 200, width: int = 8, batch: int = 2) -> Work:
    """The same as one layer."""
    nn = torch.nn

    class Reader(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.LSTM(4, width)
            self.out = nn.Linear(width, 1)

        def forward(self, sequence: Any) -> Any:
            outputs, _ = self.layer(sequence)
            return self.out(outputs[-1])

    model = settled(torch, Reader())
    sequence, target = spread(torch, steps, batch, 4), spread(torch, batch, 1)
    return work(torch, model, lambda: nn.functional.mse_loss(model(sequence), target))


MODELS: dict[str, Callable[..., Work]] = {
    "encoder": encoder,
    "resnet18": resnet18,
    "gpt2": gpt2,
    "lstm_cells": lstm_cells,
    "lstm": lstm,
}

WRONG_SCRIPT = '''"""A residual block whose second half writes to what the first half saved."""

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        hidden = torch.sigmoid(self.up(self.norm(x)))
        out = self.down(hidden)
        hidden *= 0.5
        return x + out + hidden.mean(-1, keepdim=True)


torch.manual_seed(0)
model = nn.Sequential(*[Residual(8) for _ in range(4)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(2, 8)
loss = model(x).pow(2).mean()
loss.backward()
optimizer.step()
'''
"""Ends with PyTorch's error of a variable that was modified by an inplace operation."""


def wrong_residual(torch: Any, blocks: int = 4, width: int = 8) -> Work:
    """The same model as in `WRONG_SCRIPT`: its step raises RuntimeError at backward."""
    nn = torch.nn

    class Residual(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.LayerNorm(width)
            self.up = nn.Linear(width, 2 * width)
            self.down = nn.Linear(2 * width, width)

        def forward(self, x: Any) -> Any:
            hidden = torch.sigmoid(self.up(self.norm(x)))
            out = self.down(hidden)
            hidden *= 0.5
            return x + out + hidden.mean(-1, keepdim=True)

    model = settled(torch, nn.Sequential(*[Residual() for _ in range(blocks)]))
    x = spread(torch, 2, width)
    return work(torch, model, lambda: model(x).pow(2).mean())
