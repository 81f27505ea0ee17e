"""Stories of mixed precision: what is cast in a region, and how a loss is scaled."""

from __future__ import annotations

from typing import Any


def a_step_in_half_precision(torch: Any) -> Any:
    w = torch.tensor([[1.0, -0.5], [0.25, 3.0]], requires_grad=True)
    x = torch.tensor([[1.0, 2.0]])
    with torch.autocast("cpu", dtype=torch.float16):
        h = (x @ w).relu()
        y = h @ w
        loss = torch.nn.functional.mse_loss(y, x)
    loss.backward()
    return loss, w.grad


def a_region_of_bfloat16(torch: Any) -> Any:
    w = torch.tensor([[1.0, -0.5], [0.25, 3.0]], requires_grad=True)
    x = torch.tensor([[1.0, 2.0]])
    with torch.autocast("cpu"):
        y = torch.nn.functional.linear(x, w, w[0])
        with torch.autocast("cpu", enabled=False):
            z = y.float() @ w
    (z.sum() + y.sum()).backward()
    return w.grad


def a_loss_that_is_scaled(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    for factor in (1.0, float("inf")):
        optimizer.zero_grad()
        loss = (w * factor).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return w, scaler.get_scale()
