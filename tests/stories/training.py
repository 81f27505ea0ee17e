"""Stories of training: loops of forward, backward and step, and what they forget."""

from __future__ import annotations

from typing import Any

from tests.stories import filled

Data = tuple[Any, Any]


def _line(torch: Any) -> Data:
    x = torch.tensor([[0.0], [1.0], [2.0]])
    return x, 2 * x + 1


def _trained(torch: Any, model: Any, optimizer: Any, steps: int = 3) -> list[float]:
    """The losses of so many steps."""
    x, target = _line(torch)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def descent_by_hand(torch: Any) -> Any:
    x, target = _line(torch)
    w = torch.tensor(0.0, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    for _ in range(3):
        loss = ((w * x + b - target) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
            w.grad.zero_()
            b.grad.zero_()
    return loss, w, b


def plain_descent(torch: Any) -> Any:
    model = filled(torch, torch.nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return _trained(torch, model, optimizer), model.weight


def descent_with_momentum(torch: Any) -> Any:
    model = filled(torch, torch.nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    return _trained(torch, model, optimizer), model.bias


def descent_with_adam(torch: Any) -> Any:
    model = filled(torch, torch.nn.Linear(1, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    return _trained(torch, model, optimizer), model.weight


def descent_with_decay(torch: Any) -> Any:
    model = filled(torch, torch.nn.Linear(1, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.1)
    return _trained(torch, model, optimizer), model.weight


def a_network_is_trained(torch: Any) -> Any:
    nn = torch.nn
    model = filled(torch, nn.Sequential(nn.Linear(1, 3), nn.ReLU(), nn.Linear(3, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    return _trained(torch, model, optimizer)


def zero_grad_is_forgotten(torch: Any) -> Any:
    """Each step follows all gradients so far."""
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    sizes = []
    for _ in range(3):
        loss = (w**2).sum()
        loss.backward()
        sizes.append(w.grad.item())
        optimizer.step()
    return sizes, w


def zero_grad_sets_none(torch: Any) -> Any:
    """By default there is no gradient afterwards, rather than one of zeros."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    (w * w).sum().backward()
    kept = w.grad
    optimizer.zero_grad()
    after = w.grad
    (w * w).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    return kept, after, w.grad


def gradients_are_collected_over_batches(torch: Any) -> Any:
    w = torch.tensor([1.0, -1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    batches = torch.arange(8.0).view(4, 2)
    for number, batch in enumerate(batches, 1):
        loss = (w * batch).sum() ** 2 / 2
        loss.backward()
        if number % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()
    return w, w._version


def gradients_are_clipped(torch: Any) -> Any:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(2):
        optimizer.zero_grad()
        loss = (w * w).sum() * 5
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_([w], max_norm=1.0)
        optimizer.step()
    return norm, w.grad, w


def the_rate_is_halved(torch: Any) -> Any:
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    rates = []
    for _ in range(4):
        optimizer.zero_grad()
        (w**2).sum().backward()
        optimizer.step()
        scheduler.step()
        rates.append(scheduler.get_last_lr()[0])
    return rates, w


def two_optimizers_in_turn(torch: Any) -> Any:
    generator = torch.tensor([0.5], requires_grad=True)
    critic = torch.tensor([2.0], requires_grad=True)
    of_generator = torch.optim.SGD([generator], lr=0.1)
    of_critic = torch.optim.SGD([critic], lr=0.1)
    for _ in range(2):
        fake = generator * 3
        of_critic.zero_grad()
        (critic * fake.detach() - 1).pow(2).sum().backward()
        of_critic.step()
        of_generator.zero_grad()
        (critic * fake).sum().neg().backward()
        of_generator.step()
    return generator, critic, critic.grad


def only_the_head_is_trained(torch: Any) -> Any:
    body = filled(torch, torch.nn.Linear(1, 2))
    head = filled(torch, torch.nn.Linear(2, 1))
    for parameter in body.parameters():
        parameter.requires_grad = False
    optimizer = torch.optim.SGD(head.parameters(), lr=0.05)
    model = torch.nn.Sequential(body, torch.nn.Tanh(), head)
    losses = _trained(torch, model, optimizer, steps=2)
    return losses, body.weight.grad, head.weight.grad


def evaluated_after_each_step(torch: Any) -> Any:
    model = filled(torch, torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Dropout(0.0)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, target = _line(torch)
    scores = []
    for _ in range(2):
        model.train()
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), target).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            scores.append(torch.nn.functional.mse_loss(model(x), target).item())
    return scores


def a_state_that_was_not_detached(torch: Any) -> Any:
    cell = filled(torch, torch.nn.RNNCell(1, 2))
    optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
    h = torch.zeros(1, 2)
    for x in (1.0, 2.0):
        h = cell(torch.tensor([[x]]), h)
        optimizer.zero_grad()
        h.sum().backward()
        optimizer.step()


def a_wrong_fix_by_retaining(torch: Any) -> Any:
    """With `retain_graph` the freed graph is there, but its weights are stale."""
    cell = filled(torch, torch.nn.RNNCell(1, 2))
    optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
    h = torch.zeros(1, 2)
    for x in (1.0, 2.0, 3.0):
        h = cell(torch.tensor([[x]]), h)
        optimizer.zero_grad()
        h.sum().backward(retain_graph=True)
        optimizer.step()


def averaged_weights(torch: Any) -> Any:
    model = filled(torch, torch.nn.Linear(1, 1))
    average = [p.detach().clone() for p in model.parameters()]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        _trained(torch, model, optimizer, steps=1)
        with torch.no_grad():
            for kept, p in zip(average, model.parameters(), strict=True):
                kept.mul_(0.9).add_(p, alpha=0.1)
    return average


def a_penalty_on_the_weights(torch: Any) -> Any:
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    x = torch.tensor([1.0, 1.0])
    for _ in range(2):
        optimizer.zero_grad()
        fit = (w @ x - 1) ** 2
        penalty = 0.01 * w.abs().sum()
        loss = fit + penalty
        loss.backward()
        optimizer.step()
    return loss, w


def logged_by_a_list(torch: Any) -> Any:
    """The log holds on to each graph."""
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    log = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        optimizer.step()
        log.append(loss)
    return log, [loss.item() for loss in log]
