"""Stories of tensors that are written to in place: leaves, results, views, and what is stale afterwards."""

from __future__ import annotations

from typing import Any

from tests.stories import said


def a_write_to_what_a_product_saved(torch: Any) -> Any:
    """The error comes at backward, since a node saved the tensor that was written to."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = x * 2
    y = h * h
    h.add_(1)
    y.sum().backward()


def a_write_to_what_nobody_saved(torch: Any) -> Any:
    """A sum and a product with a number do not save the tensor, so it may change."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = x * 2
    y = h + 3
    z = h * 5
    h.add_(1)
    (y + z + h).sum().backward()
    return x.grad


def a_write_to_a_result_that_was_saved(torch: Any) -> Any:
    """The exponential saves its result, and the message names it without the number behind it."""
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()


def a_write_to_a_result_that_was_not_saved(torch: Any) -> Any:
    """A power saves its input."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    y.add_(1)
    y.sum().backward()
    return y, x.grad


def relu_in_place(torch: Any) -> Any:
    """What relu saves is its own result, as it is after the write."""
    x = torch.tensor([-1.0, 2.0, -3.0], requires_grad=True)
    h = x * 2
    h.relu_()
    loss = (h * 10).sum()
    loss.backward()
    return h, h._version, x.grad


def a_leaf_is_not_written_to(torch: Any) -> Any:
    """Refused at the write; value and version stay."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    message = ""
    try:
        x.add_(1)
    except RuntimeError as error:
        message = said(error)
    (x * x).sum().backward()
    return message, x, x._version, x.grad


def a_view_of_a_leaf_is_not_written_to(torch: Any) -> Any:
    """An element of a leaf is a view of it, with a refusal of its own."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    messages = []
    try:
        x[0] = 5.0
    except RuntimeError as error:
        messages.append(said(error))
    try:
        x += 1
    except RuntimeError as error:
        messages.append(said(error))
    return messages, x._version


def three_ways_to_add_one(torch: Any) -> Any:
    """`.data` has a counter of its own, so the gradient is silently wrong; the other two are caught."""
    wrong = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (wrong * wrong).sum()
    wrong.data += 1
    y.backward()
    messages = []
    caught = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (caught * caught).sum()
    caught.detach().add_(1)
    try:
        y.backward()
    except RuntimeError as error:
        messages.append(said(error))
    also_caught = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (also_caught * also_caught).sum()
    with torch.no_grad():
        also_caught += 1
    try:
        y.backward()
    except RuntimeError as error:
        messages.append(said(error))
    return wrong.grad, wrong._version, messages, also_caught._version


def a_base_changes_through_its_view(torch: Any) -> Any:
    """The history of the base becomes CopySlices, that of the view AsStridedBackward0; both versions move."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    base = x * 1
    row = base[0]
    row.mul_(10)
    names = base.grad_fn.name(), row.grad_fn.name()
    versions = base._version, row._version
    base.sum().backward()
    return names, versions, x.grad


def a_view_is_read_after_its_base_changed(torch: Any) -> Any:
    """One AsStridedBackward0 is the history of any view, even of a view of a view."""
    x = torch.arange(6.0, requires_grad=True)
    base = x * 1
    table = base.view(2, 3)
    corner = table[1, 1:]
    base.mul_(3)
    name = corner.grad_fn.name()
    (corner * corner).sum().backward()
    return name, corner, x.grad


def an_element_is_set(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    u = x * 2
    u[1] = 0.0
    loss = (u * u).sum()
    loss.backward()
    return u, u._version, x.grad


def an_element_is_added_to(torch: Any) -> Any:
    """`u[0] += 1` moves the version by 2: one write to the view, one of it into its place."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    u = x * 2
    u[0] += 1
    u.sum().backward()
    return u, u._version, x.grad


def rows_are_filled_one_by_one(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = torch.zeros(3, 2)
    for i in range(3):
        out[i] = x * (i + 1)
    loss = out.sum()
    loss.backward()
    return out, out._version, x.grad


def a_value_is_copied_into_a_buffer(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    buffer = torch.zeros(3)
    buffer.copy_(x * 2)
    y = buffer.pow(2).sum()
    y.backward()
    return buffer, buffer.requires_grad, x.grad


def outputs_of_unbind_are_not_written_to(torch: Any) -> Any:
    """An output of many refuses."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    first, second = (x * 1).unbind()
    (first + second).sum().backward()
    first.mul_(2)


def masked_elements_are_filled(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    scores = x * 2
    hidden = torch.tensor([[False, True], [False, False]])
    scores.masked_fill_(hidden, -1e9)
    weights = torch.softmax(scores, 1)
    (weights * torch.tensor([1.0, 2.0])).sum().backward()
    return weights, x.grad


def a_constant_that_was_saved_changes(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    k = torch.tensor([3.0, 4.0])
    y = x * k
    k.zero_()
    try:
        y.sum().backward()
    except RuntimeError as error:
        message = said(error)
    return message, k._version, x.grad


def repaired_by_a_clone(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = x * 2
    y = h * h
    h = h.clone()
    h.add_(1)
    (y + h).sum().backward()
    return h, x.grad


def one_write_after_the_other(torch: Any) -> Any:
    x = torch.tensor([4.0, 9.0], requires_grad=True)
    h = x + 0
    h.mul_(4)
    h.sqrt_()
    h.sub_(1)
    h.neg_()
    h.sum().backward()


def a_harmless_run_of_writes(torch: Any) -> Any:
    x = torch.tensor([4.0, 9.0], requires_grad=True)
    h = x + 0
    h.mul_(4)
    h.sub_(1)
    h.neg_()
    h.sum().backward()
    return h, h._version, x.grad


def a_step_between_two_backward_passes(torch: Any) -> Any:
    """The optimizer writes to the weight, which the retained graph still holds as it was."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    loss.backward()


def a_constant_is_transposed_where_it_stands(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    k = torch.arange(6.0).reshape(2, 3)
    row = k[0]
    y = x * k
    k.t_()
    try:
        y.sum().backward()
    except RuntimeError as error:
        message = said(error)
    return message, k, k._version, row


def a_product_is_squeezed_without_a_node(torch: Any) -> Any:
    w = torch.ones(2, 3, requires_grad=True)
    with torch.no_grad():
        z = torch.ones(2) @ w
    return z, z._version


def a_leaf_is_given_the_memory_of_another(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = torch.zeros(2, 2)
    w.data = y
    view = w.view(-1)
    y.add_(3)
    (w * y).sum().backward()
    w.data -= w.grad.data
    return w, view, y, w._version, y._version


def a_constant_is_resized(torch: Any) -> Any:
    w = torch.ones(2, requires_grad=True)
    k = torch.arange(4.0)
    k.resize_(2)
    k.resize_(2)
    (w * k).sum().backward()
    return k, k._version, w.grad


def dimensions_come_and_go_in_place(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    same = h.detach()
    h.unsqueeze_(0)
    h.transpose_(0, 1)
    h.squeeze_(1)
    (h * same).sum().backward()
    return h, h._version, same, x.grad


def elements_are_put_at_given_places(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    source = torch.tensor([5.0, 6.0], requires_grad=True)
    at = torch.tensor([2, 0])
    scattered = x.scatter(0, at, source)
    added = x.scatter_add(0, at, source)
    greatest = x.scatter_reduce(0, at, source, "amax")
    copied = x.index_copy(0, at, source) * x.index_add(0, at, source)
    y = (scattered * added * greatest * copied).sum()
    y.backward()
    return y, x.grad, source.grad


def elements_are_put_at_given_places_in_place(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    source = torch.tensor([5.0, 6.0], requires_grad=True)
    at = torch.tensor([2, 0])
    h = x * 2
    h.scatter_(0, at, source)
    h.scatter_add_(0, at, source)
    h.index_add_(0, at, source)
    h.index_copy_(0, at, source * 3)
    h.put_(at, source)
    h.sum().backward()
    return h, h._version, x.grad, source.grad


def elements_are_put_where_a_mask_is_true(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    source = torch.tensor([5.0, 6.0, 7.0], requires_grad=True)
    mask = torch.tensor([True, False, True])
    number = torch.tensor(4.0, requires_grad=True)
    taken = x.masked_scatter(mask, source)
    filled = x.masked_fill(mask, number)
    y = (taken * filled).sum()
    y.backward()
    return y, x.grad, source.grad, number.grad


def places_are_filled_in_a_recorded_backward(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    source = torch.tensor([[4.0, 5.0]], requires_grad=True)
    at = torch.tensor([[2, 0]])
    y = (x.gather(1, at) ** 2).sum() + (x.scatter(1, at, source) ** 3).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    g.sum().backward()
    return g, x.grad, source.grad
