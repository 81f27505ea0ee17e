"""Random numbers: not those of PyTorch, but repeatable, and distributed as asked."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab


def test_same_seed_gives_the_same_numbers() -> None:
    def drawn() -> Any:
        autograd_lab.manual_seed(3)
        x = autograd_lab.zeros(4)
        return [*x.normal_().tolist(), *x.uniform_(2, 3).tolist(), *autograd_lab.randperm(5).tolist()]

    assert drawn() == drawn()


def test_a_generator_of_ones_own_leaves_the_common_one_alone() -> None:
    autograd_lab.manual_seed(1)
    wanted = autograd_lab.rand(3).tolist()
    autograd_lab.manual_seed(1)
    own = autograd_lab.Generator().manual_seed(7)
    first = autograd_lab.rand(3, generator=own).tolist()
    assert autograd_lab.rand(3).tolist() == wanted
    assert autograd_lab.rand(3, generator=own.manual_seed(7)).tolist() == first


def test_a_generator_goes_on_from_a_state_that_it_was_in() -> None:
    own = autograd_lab.Generator().manual_seed(7)
    state, twin = own.get_state(), own.clone_state()
    first = autograd_lab.rand(3, generator=own).tolist()
    own.set_state(state)
    assert autograd_lab.rand(3, generator=own).tolist() == first == autograd_lab.rand(3, generator=twin).tolist()
    assert state.dtype is autograd_lab.uint8


def test_random_numbers_are_distributed_as_asked() -> None:
    autograd_lab.manual_seed(0)
    x = autograd_lab.zeros(20000)
    assert abs(x.normal_(5, 2).mean().item() - 5) < 0.1
    assert abs(x.std().item() - 2) < 0.1
    assert abs(x.exponential_(4).mean().item() - 0.25) < 0.02
    assert abs(x.geometric_(0.25).mean().item() - 4) < 0.1
    assert abs(x.cauchy_(3, 2).median().item() - 3) < 0.1
    assert abs(x.log_normal_(0.5, 0.25).log().mean().item() - 0.5) < 0.02
    assert abs(x.bernoulli_(0.3).mean().item() - 0.3) < 0.02
    assert 2 <= x.uniform_(2, 3).min().item() <= x.max().item() < 3
    drawn = autograd_lab.multinomial(autograd_lab.tensor([1.0, 0.0, 3.0]), 4000, replacement=True)
    assert autograd_lab.bincount(drawn).tolist()[1] == 0
    assert abs((drawn == 2).float().mean().item() - 0.75) < 0.05


BOUNDS = [
    "x, high=2",
    "x, 2",
    "x, 1, 4",
    "x, low=1, high=4",
    "x, 1, high=4",
    "input=x, high=3",
    "x",
    "x, low=3",
    "x, 5, 2",
    "x, 2.5",
]


@pytest.mark.parametrize("bounds", BOUNDS)
def test_whole_numbers_like_a_tensor_lie_in_the_bounds_however_these_are_given_as_in_pytorch(bounds: str) -> None:
    def story(m: Any) -> Any:
        drawn = eval(f"m.randint_like({bounds})", {"m": m, "x": m.zeros(9, 30)})
        return drawn.shape, str(drawn.dtype), sorted(set(drawn.view(-1).tolist()))

    def outcome(m: Any) -> Any:
        try:
            return story(m)
        except (TypeError, RuntimeError) as error:
            return type(error)

    assert outcome(autograd_lab) == outcome(pytest.importorskip("torch"))
