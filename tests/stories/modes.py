"""Stories of what is not recorded: `no_grad` and its kin, `detach`, `.data`, and switches of modules."""

from __future__ import annotations

from typing import Any

from tests.stories import said


def nothing_is_recorded(torch: Any) -> Any:
    """No history inside, but a leaf that is made there may want a gradient."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        y = x * 2
        w = torch.tensor([3.0, 4.0], requires_grad=True)
    z = (y * w).sum()
    z.backward()
    return y.requires_grad, w.requires_grad, x.grad, w.grad


def recording_again_inside(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        a = x * 2
        with torch.enable_grad():
            b = x * 3
        c = x * 4
    (a + b + c).sum().backward()
    return a.requires_grad, b.requires_grad, c.requires_grad, x.grad


def recording_by_a_switch(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    found = []
    for training in (True, False):
        with torch.set_grad_enabled(training):
            loss = (x * x).sum()
        found.append((loss.requires_grad, torch.is_grad_enabled()))
        if training:
            loss.backward()
    return found, x.grad


def a_function_that_records_nothing(torch: Any) -> Any:
    @torch.no_grad()
    def evaluate(x: Any) -> Any:
        return (x * x).sum()

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    score = evaluate(x)
    loss = evaluate(x) + x.sum()
    loss.backward()
    return score.requires_grad, x.grad


def inference_tensors_are_not_saved(torch: Any) -> Any:
    """What was made in inference mode cannot be saved for backward."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.inference_mode():
        k = torch.tensor([3.0, 4.0])
        y = x * k
    total = x + k
    total.sum().backward()
    print(y.is_inference(), y.requires_grad, x.grad)
    return x * k


def detached_tensors_lead_nowhere(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    constant = h.detach()
    loss = (h * constant).sum()
    loss.backward()
    return constant.requires_grad, constant.is_leaf, x.grad


def detach_shares_memory_and_counter(torch: Any) -> Any:
    """A write through the detached tensor is caught."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    alias = y.detach()
    alias.zero_()
    print(y, y._version, alias._version)
    y.sum().backward()


def a_detached_copy_is_safe(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    copy = y.detach().clone()
    copy.zero_()
    y.sum().backward()
    return copy, y._version, x.grad


def data_shares_memory_only(torch: Any) -> Any:
    """The counter of `.data` is its own, so nobody notices the write."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (x**2).sum()
    raw = x.data
    raw += 1
    y.backward()
    return x, x._version, raw._version, x.grad


def a_tensor_leaves_its_history(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    h.detach_()
    h.requires_grad_()
    (h * h).sum().backward()
    return h.is_leaf, h.grad, x.grad


def a_frozen_parameter(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([0.5, 0.5], requires_grad=True)
    w.requires_grad_(False)
    y = (w * 3 + b) ** 2
    y.sum().backward()
    w.requires_grad_(True)
    (w * b).sum().backward()
    return w.grad, b.grad


def a_target_that_does_not_move(torch: Any) -> Any:
    online = torch.tensor([1.0, 2.0], requires_grad=True)
    target = online.detach().clone()
    for _ in range(2):
        loss = ((online * 2 - target) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            online -= 0.1 * online.grad
            target.lerp_(online, 0.5)
        online.grad = None
    return online, target


def an_update_under_no_grad(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(3):
        loss = (w**2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
    return w, w._version, w.is_leaf


def eval_changes_no_recording(torch: Any) -> Any:
    """`eval()` is a switch of layers; what is computed is recorded as before."""
    layer = torch.nn.Dropout(0.5)
    layer.eval()
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = layer(x) * 2
    y.sum().backward()
    return y.requires_grad, x.grad


def a_number_cuts_the_graph(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    scale = x.sum().item()
    y = (x * scale).sum()
    y.backward()
    cut = torch.tensor(y.item())
    try:
        cut.backward()
    except RuntimeError as error:
        return said(error), x.grad


def a_state_carried_over_turns(torch: Any) -> Any:
    w = torch.tensor(0.5, requires_grad=True)
    state = torch.tensor(1.0)
    for x in (1.0, 2.0, 3.0):
        state = torch.tanh(w * state + x)
        loss = state**2
        loss.backward()
        state = state.detach()
    return state, w.grad


def a_view_made_without_recording(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    h = x * 1
    with torch.no_grad():
        row = h[0]
        row.mul_(5)
    h.sum().backward()
    return h, h._version, row._version, x.grad
