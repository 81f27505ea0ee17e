"""What the picture says of hooks."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_lab.events import HookCalled, Value
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.facts.hooking import done_by_hook
from autograd_lab.view.still import Stills, stills_of
from tests.story import recorded
from tests.view.ruler import overlapping, texts_of

torch = pytest.importorskip("torch")


def of_tensor(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    h.register_hook(lambda g: g * 0.5)
    (h**2).sum().backward()


def of_several_users(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    h.register_hook(lambda g: g * 0.5)
    (h * h.exp()).sum().backward()


def of_leaf(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda g: g.clamp(-1, 1))
    x.register_post_accumulate_grad_hook(halve)
    (x * 3).sum().backward()


def halve(tensor: Any) -> None:
    tensor.grad.mul_(0.5)


def of_module(torch: Any) -> None:
    torch.manual_seed(0)
    layer = torch.nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda module, inside, outside: (inside[0] * 2,))
    layer(torch.ones(2, requires_grad=True) * 1).sum().backward()


def picture(program: Any) -> Stills:
    return stills_of(recorded(program, torch), "engine")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ([2.0, 4.0], [1.0, 2.0], "× 0.5"),
        ([2.0, 0.0], [-2.0, 0.0], "× −1"),
        ([2.0, 4.0], [1.0, 1.0], "hook"),
        ([0.0, 4.0], [1.0, 4.0], "hook"),
        ([0.0], [0.0], "hook"),
    ],
)
def test_a_hook_that_scales_says_its_factor_and_any_other_that_it_is_one(before: Any, after: Any, said: str) -> None:
    assert done_by_hook(Value(numbers=before), Value(numbers=after)) == said


def test_a_tensors_hook_stands_on_its_line_between_the_numbers_before_and_after_it() -> None:
    drawn = picture(of_tensor).svg()
    hook = drawn[drawn.index('class="hooked"') :].split("</g></g>")[0]
    assert [word in hook for word in ("× 0.5", "13.4", "6.7")] == [True] * 3


def test_where_several_lines_leave_the_tensor_the_hook_stands_on_its_card_since_it_changes_their_sum() -> None:
    drawn = picture(of_several_users).svg()
    assert 'class="hooked"' not in drawn
    assert "hook × 0.5" in drawn


def test_hooks_of_a_leaf_stand_on_the_leaf() -> None:
    assert "hook × 0.333 · post-accumulate hook × 0.5" in picture(of_leaf).svg()


def test_until_a_hook_has_run_nothing_tells_what_it_will_do() -> None:
    trace = recorded(of_leaf, torch)
    stills = stills_of(trace, "engine")
    ran = [step for step, event in enumerate(trace.events, 1) if isinstance(event, HookCalled)]
    assert "hook × 0.333" not in stills.svg(ran[0] - 1)
    assert ">hook · post-accumulate hook<" in stills.svg(ran[0] - 1)
    assert ">hook × 0.333 · post-accumulate hook<" in stills.svg(ran[0])


def test_a_hook_on_a_line_does_not_tell_either_what_it_will_do() -> None:
    trace = recorded(of_tensor, torch)
    stills = stills_of(trace, "engine")
    (ran,) = [step for step, event in enumerate(trace.events, 1) if isinstance(event, HookCalled)]
    assert ">hook<" in stills.svg(ran - 1)
    assert "× 0.5" not in stills.svg(ran - 1)
    assert ">× 0.5<" in stills.svg(ran)


def test_hooks_of_a_module_stand_on_its_card() -> None:
    assert "hook × 2" in picture(of_module).svg()


@pytest.mark.parametrize("form", ["LR", "TB"])
def test_the_numbers_before_and_after_a_hook_stand_beside_it_whichever_way_the_line_runs(form: str) -> None:
    stills = stills_of(recorded(of_tensor, torch), asked=Asked(fold=False), form=form)
    drawn = texts_of(stills.svg())
    assert {"13.4", "× 0.5", "6.7"} <= {text.text.strip("‖") for text in drawn}
    assert overlapping([text for text in drawn if "hooked" in text.path], least=-15.0) == []
