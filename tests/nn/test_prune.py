"""Pruned weights: what is masked, what is trained, what prints, and what is refused; as in real PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import Stories, filled, is_alike, said

torch = pytest.importorskip("torch")
pytest.importorskip("torch.nn.utils.prune")
torch.set_num_threads(1)
same = Stories()


def told(module: Any) -> list[Any]:
    """What of a module pruning changes."""
    hooks = [type(hook).__name__ for hook in module._forward_pre_hooks.values()]
    return [dict(module.named_parameters()), dict(module.named_buffers()), list(module.state_dict()), hooks]


@same
def elements_nearest_to_zero_are_held_there_while_what_is_left_is_trained(m: Any) -> Any:
    prune, layer = m.nn.utils.prune, filled(m.nn.Linear(3, 2))
    prune.l1_unstructured(layer, "weight", amount=0.5)
    prune.l1_unstructured(layer, "bias", amount=1)
    layer(m.ones(1, 3)).sum().backward()
    step = m.optim.SGD(layer.parameters(), lr=1.0).step()
    return layer, told(layer), layer(m.ones(1, 3)), layer.weight_orig.grad, layer.weight, step


@same
def pruning_again_takes_of_what_is_left(m: Any) -> Any:
    prune, layer = m.nn.utils.prune, m.nn.Conv2d(2, 4, 2, bias=False)
    layer.weight.data = (m.arange(32.0) * 7 % 32 + 1).view(4, 2, 2, 2)
    prune.l1_unstructured(layer, "weight", amount=0.3)
    prune.ln_structured(layer, "weight", amount=2, n=2, dim=0)
    prune.ln_structured(layer, "weight", amount=0.5, n=1, dim=-1)
    (hook,) = layer._forward_pre_hooks.values()
    kinds, before = [type(one).__name__ for one in hook], told(layer)
    prune.remove(layer, "weight")
    return kinds, len(hook), type(hook[0]).__name__, before, told(layer), layer.weight.is_leaf


@same
def several_parameters_are_pruned_as_one(m: Any) -> Any:
    prune, model = m.nn.utils.prune, m.nn.Sequential(filled(m.nn.Linear(3, 4)), filled(m.nn.Linear(4, 2), 0.1))
    before = prune.is_pruned(model)
    pairs = [(model[0], "weight"), (model[1], "weight")]
    prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=0.4)
    scores = {pairs[0]: m.arange(12.0).view(4, 3)}
    prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=3, importance_scores=scores)
    return before, prune.is_pruned(model), told(model), model(m.ones(3))


@same
def one_can_write_a_way_to_choose_or_give_a_mask(m: Any) -> Any:
    prune = m.nn.utils.prune

    class EverySecond(prune.BasePruningMethod):  # type: ignore[misc, name-defined]
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t: Any, default_mask: Any) -> Any:
            mask = default_mask.clone()
            mask.view(-1)[::2] = 0
            return mask

    one, other = filled(m.nn.Linear(3, 1)), prune.identity(filled(m.nn.Linear(2, 2)), "bias")
    EverySecond.apply(one, "weight")
    EverySecond.apply(one, "weight")
    prune.custom_from_mask(other, "weight", m.tensor([[1, 0], [0, 1]]))
    return told(one), told(other), EverySecond().prune(m.arange(5.0)), other.weight


@same
def chance_takes_as_many_as_it_is_told(m: Any) -> Any:
    prune, layer = m.nn.utils.prune, m.nn.Linear(6, 8)
    prune.random_unstructured(layer, "bias", amount=0.25)
    prune.random_structured(layer, "weight", amount=3, dim=0)
    prune.random_structured(layer, "weight", amount=0.0, dim=0)
    return (layer.bias == 0).sum(), (layer.weight == 0).all(1).sum()


@pytest.mark.parametrize("tell", same, ids=lambda tell: tell.__name__)
def test_weights_are_pruned_as_in_pytorch(tell: Any) -> None:
    ours, theirs = said(autograd_lab, tell), said(torch, tell)
    assert is_alike(ours, theirs), (ours, theirs)


REFUSED = """
P.l1_unstructured(layer, "weight", amount=1.5)
P.l1_unstructured(layer, "weight", amount="all")
P.l1_unstructured(layer, "weight", amount=7)
P.ln_structured(layer, "bias", 1, 2, 0)
P.ln_structured(layer, "weight", 1, 2, 2)
P.remove(layer, "weight")
P.l1_unstructured(layer, "weight", 1, importance_scores=m.ones(1))
P.L1Unstructured(1).prune(m.ones(2), importance_scores=m.ones(1))
P.global_unstructured(3, P.L1Unstructured)
P.global_unstructured([(layer, "weight")], P.L1Unstructured, importance_scores=[1], amount=1)
P.custom_from_mask(layer, "weight", m.ones(1))
P.PruningContainer().add_pruning_method(3)
P.BasePruningMethod()
P._validate_pruning_amount_init(1.5)
P._validate_pruning_amount_init("all")
P._validate_pruning_amount(4, 3)
P._validate_pruning_amount(0.5, 3)
P._compute_nparams_toprune(0.5, 7)
P._compute_nparams_toprune(2, 7)
"""


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_what_cannot_be_pruned_is_refused_as_by_pytorch(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(text, {"m": m, "P": m.nn.utils.prune, "layer": m.nn.Linear(3, 2)})

    assert said(autograd_lab, story) == said(torch, story)
