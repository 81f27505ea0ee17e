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


def a_weight_that_is_cast_once_and_used_twice(torch: Any) -> Any:
    w = torch.tensor([[1.0, -0.5], [0.25, 3.0]], requires_grad=True)
    x = torch.tensor([[1.0, 2.0]])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = (x @ w) @ w
    y.sum().backward()
    return y, w.grad


def a_sum_that_stays_in_full_precision(torch: Any) -> Any:
    w = torch.tensor([[1.0, -0.5], [0.25, 3.0]], requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = (w @ w).sum()
        z = torch.nn.functional.softmax(w @ w, dim=1).prod()
    (y + z).backward()
    return y, z, w.grad


def what_underflows_without_scaling(torch: Any) -> Any:
    w = torch.tensor([1e-4, 2e-4], requires_grad=True)
    lost = (w.half() * 1e-4).sum() * 1e-3
    lost.backward()
    plain, w.grad = w.grad, None
    kept = (w.half() * 1e-4).sum() * (1e-3 * 1024.0)
    kept.backward()
    return plain, w.grad / 1024.0


def half_a_leaf_and_its_gradient_in_full(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = w.half()
    y = (h * h).float().sum()
    y.backward()
    return h, w.grad


def a_double_weight_beside_a_single_one(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([0.5, 0.25], dtype=torch.float64, requires_grad=True)
    y = (w * v).sum()
    y.backward()
    return y, w.grad, v.grad
