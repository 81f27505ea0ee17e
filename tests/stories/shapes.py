"""Stories of tensors that share memory, and of those that are cut, joined and turned."""

from __future__ import annotations

from typing import Any


def a_view_shares_memory_and_version(torch: Any) -> Any:
    x = torch.arange(6.0)
    rows = x.view(2, 3)
    rows[0, 0] = 10.0
    x.add_(1)
    return x, rows, x._version, rows._version, rows._base is x


def flattened_and_folded_back(torch: Any) -> Any:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    flat = x.flatten()
    folded = flat.view(3, 2)
    loss = (folded * folded).sum()
    loss.backward()
    return folded, x.grad


def a_transpose_turns_its_gradient(torch: Any) -> Any:
    """`.T` is a permutation, `.t()` is not."""
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    one = x.T
    other = x.t()
    y = one * other
    y.backward(torch.arange(6.0).view(3, 2))
    return one.grad_fn.name(), other.grad_fn.name(), x.grad


def one_element_is_picked(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    last = x[2]
    y = last**2
    y.backward()
    return y, x.grad


def two_slices_overlap(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    left = x[:3]
    right = x[1:]
    y = (left * right).sum()
    y.backward()
    return y, x.grad


def differences_of_neighbours(torch: Any) -> Any:
    x = torch.tensor([1.0, 4.0, 9.0, 16.0], requires_grad=True)
    steps = x[1:] - x[:-1]
    roughness = (steps**2).mean()
    roughness.backward()
    return steps, x.grad


def one_row_used_many_times(torch: Any) -> Any:
    row = torch.tensor([[1.0, 2.0]], requires_grad=True)
    rows = row.expand(3, 2)
    y = (rows * torch.arange(6.0).view(3, 2)).sum()
    y.backward()
    return rows, row.grad


def joined_and_split_again(torch: Any) -> Any:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0, 5.0], requires_grad=True)
    joined = torch.cat([a, b])
    first, second = joined.split([3, 2])
    loss = first.sum() * second.sum()
    loss.backward()
    return loss, a.grad, b.grad


def stacked_and_unbound(torch: Any) -> Any:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    table = torch.stack([a, b])
    left, right = table.unbind(1)
    y = (left * right).sum()
    y.backward()
    return y, a.grad, b.grad


def a_loop_over_chunks(torch: Any) -> Any:
    x = torch.arange(6.0, requires_grad=True)
    total = torch.zeros(2)
    for part in x.chunk(3):
        total = total + part * part
    total.sum().backward()
    return total, x.grad


def rows_taken_by_a_list(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    taken = x[[0, 2, 2]]
    y = (taken * taken).sum()
    y.backward()
    return taken, x.grad


def elements_taken_by_a_mask(torch: Any) -> Any:
    x = torch.tensor([-1.0, 2.0, -3.0, 4.0], requires_grad=True)
    positive = x[x > 0]
    y = positive.log().sum()
    y.backward()
    return positive, x.grad


def scores_gathered_by_class(torch: Any) -> Any:
    scores = torch.tensor([[1.0, 2.0, 0.0], [0.5, -1.0, 3.0]], requires_grad=True)
    classes = torch.tensor([[1], [2]])
    chosen = scores.gather(1, classes)
    loss = -chosen.mean()
    loss.backward()
    return chosen, scores.grad


def dimensions_of_one(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    column = x.unsqueeze(1)
    table = column * x
    corner = table[:1, :1].squeeze()
    (table.sum() + corner).backward()
    return table, corner, x.grad


def axes_in_another_order(torch: Any) -> Any:
    x = torch.arange(12.0).view(2, 3, 2).requires_grad_()
    turned = x.permute(2, 0, 1)
    swapped = turned.transpose(0, 2)
    y = (swapped * torch.arange(12.0).view(3, 2, 2)).sum()
    y.backward()
    return turned.shape, swapped.shape, x.grad


def a_diagonal_and_two_triangles(torch: Any) -> Any:
    m = torch.arange(9.0).view(3, 3).requires_grad_()
    diagonal = m.diagonal()
    lower = m.tril(-1)
    upper = m.triu(1)
    y = diagonal.prod() + lower.sum() - upper.sum()
    y.backward()
    return y, m.grad


def padded_and_cut_back(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    padded = torch.nn.functional.pad(x, (1, 2))
    shifted = padded[:3]
    y = (shifted * x).sum()
    y.backward()
    return padded, y, x.grad


def repeated_flipped_and_rolled(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    twice = x.repeat(2)
    back = twice.flip(0)
    rolled = back.roll(1)
    y = (rolled * torch.arange(6.0)).sum()
    y.backward()
    return rolled, x.grad


def a_reshape_that_has_to_copy(torch: Any) -> Any:
    x = torch.arange(6.0).view(2, 3)
    turned = x.t()
    flat = turned.reshape(6)
    flat.zero_()
    same = x.reshape(6)
    same[0] = 100.0
    return x, flat, same, x._version, flat._version
