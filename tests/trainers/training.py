"""A small training loop, for this engine and for PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def model_of(torch: Any) -> Any:
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))


def train(torch: Any, model: Any, turns: int, change: Callable[[int, Any], Any] = lambda _, loss: loss) -> None:
    """Each turn clears gradients, computes a loss, which may be changed, and updates."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(5, 3)
    for turn in range(1, turns + 1):
        optimizer.zero_grad()
        loss = change(turn, model(x).square().mean())
        loss.backward()
        optimizer.step()
