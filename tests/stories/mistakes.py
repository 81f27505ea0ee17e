"""Stories of the classic errors: each is made once, and then repaired or left to end the program."""

from __future__ import annotations

from typing import Any

from tests.stories import filled, said


def nothing_requires_grad(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0])
    y = (x * x).sum()
    y.backward()


def a_graph_cut_by_no_grad(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        prediction = (w * 3).sum()
    loss = (prediction - 1) ** 2
    try:
        loss.backward()
    except RuntimeError as error:
        print(said(error))
    prediction = (w * 3).sum()
    loss = (prediction - 1) ** 2
    loss.backward()
    return w.grad


def a_graph_cut_by_a_new_tensor(torch: Any) -> Any:
    w = torch.tensor(2.0, requires_grad=True)
    y = torch.tensor([w.item(), 1.0])
    loss = (y**2).sum()
    try:
        loss.backward()
    except RuntimeError as error:
        print(said(error))
    y = torch.stack([w, torch.tensor(1.0)])
    loss = (y**2).sum()
    loss.backward()
    return w.grad


def a_graph_cut_by_numpy(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.numpy()


def a_loss_of_many_numbers(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w - 3) ** 2
    loss.backward()


def backward_in_a_loop_over_one_graph(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    for _ in range(2):
        loss.backward()


def backward_repaired_by_a_new_graph(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        loss = (w * w).sum()
        loss.backward()
    return w.grad


def a_part_computed_before_the_loop(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    features = w.exp()
    for scale in (1.0, 2.0):
        loss = (features * scale).sum()
        loss.backward()


def a_weight_is_written_to(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    w -= 0.1 * w.grad


def an_activation_is_written_to(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = torch.sigmoid(x)
    y = h * 2
    h *= 3
    y.sum().backward()


def a_saved_view_is_written_to(torch: Any) -> Any:
    """The message names CopySlices."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = x * 2
    y = h * h
    h[0] = 0.0
    y.sum().backward()


def found_by_anomaly_mode(torch: Any) -> Any:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = torch.sqrt(x) * torch.tensor([0.0, 1.0])
        y.sum().backward()


def shapes_that_do_not_go_together(torch: Any) -> Any:
    w = torch.ones(3, 2, requires_grad=True)
    x = torch.ones(4, 2)
    try:
        x @ w
    except RuntimeError as error:
        print(said(error))
    y = x @ w.T
    y.sum().backward()
    return w.grad


def a_bias_that_does_not_broadcast(torch: Any) -> Any:
    x = torch.ones(2, 5)
    w = torch.ones(3, 5, requires_grad=True)
    b = torch.ones(2, 1, 4, requires_grad=True)
    y = x @ w.t() + b
    y.sum().backward()


def a_broadcast_nobody_wanted(torch: Any) -> Any:
    prediction = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
    target = torch.tensor([1.0, 2.0, 3.0])
    loss = torch.nn.functional.mse_loss(prediction, target)
    loss.backward()
    return loss, prediction.grad


def a_view_of_the_wrong_size(torch: Any) -> Any:
    x = torch.arange(6.0, requires_grad=True)
    y = (x * 2).view(4, -1)
    y.sum().backward()


def a_view_of_what_lies_apart(torch: Any) -> Any:
    x = torch.arange(6.0).view(2, 3).requires_grad_()
    turned = (x * 2).t()
    try:
        turned.view(6)
    except RuntimeError as error:
        print(said(error))
    turned.reshape(6)[0].backward()
    return x.grad


def an_integer_wants_a_gradient(torch: Any) -> Any:
    n = torch.tensor([1, 2, 3])
    n.requires_grad_()


def two_dtypes_in_one_product(torch: Any) -> Any:
    layer = filled(torch, torch.nn.Linear(2, 1))
    x = torch.tensor([[1.0, 2.0]], dtype=torch.float64)
    layer(x)


def a_gradient_of_the_wrong_shape(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x.exp()
    try:
        y.backward(torch.ones(2))
    except RuntimeError as error:
        print(said(error))
    y.backward(torch.ones(3))
    return x.grad


def a_gradient_is_given_by_hand(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    try:
        w.grad = torch.ones(3)
    except RuntimeError as error:
        print(said(error))
    w.grad = torch.ones(2)
    (w * w).sum().backward()
    return w.grad


def a_result_is_told_to_forget(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.requires_grad = False


def an_optimizer_of_a_result(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True).double()
    (w * w).sum().backward()
    torch.optim.SGD([w], lr=0.1)


def an_optimizer_of_nothing(torch: Any) -> Any:
    torch.optim.SGD([], lr=0.1)


def a_copy_that_is_no_leaf(torch: Any) -> Any:
    """A clone has a history, and its gradient flows on to where it came from."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    copy = x.clone()
    (copy * copy).sum().backward()
    print(copy.grad)
    kept = x.detach().clone().requires_grad_()
    (kept * kept).sum().backward()
    return x.grad, kept.grad


def a_truth_of_many_numbers(torch: Any) -> Any:
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    y = x * 2
    if y > 0:
        y = -y
    y.sum().backward()


def classes_that_are_not_there(torch: Any) -> Any:
    scores = torch.tensor([[1.0, 2.0]], requires_grad=True)
    loss = torch.nn.functional.cross_entropy(scores, torch.tensor([2]))
    loss.backward()


def argmax_has_no_gradient(torch: Any) -> Any:
    scores = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
    best = scores.argmax()
    print(best, best.requires_grad)
    loss = (best - 2.0) ** 2
    loss.backward()


def a_parameter_that_was_forgotten(torch: Any) -> Any:
    model = filled(torch, torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)))
    y = model[0](torch.tensor([[2.0]]))
    y.sum().backward()
    missing = [name for name, p in model.named_parameters() if p.grad is None]
    print(missing)
    return model[1].weight.grad.norm()
