"""Weights that are computed: what they are, what they print, and where their gradients go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.programs import error
from tests.worlds import filled, is_alike, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)


def same(story: Any) -> None:
    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), (ours, theirs)


def doubled(m: Any) -> Any:
    class Doubled(m.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x * 2

        def right_inverse(self, x: Any) -> Any:
            return x / 2

    return Doubled()


def test_a_weight_is_computed_from_its_original_which_gets_the_gradient() -> None:
    def story(m: Any) -> list[Any]:
        P = m.nn.utils.parametrize
        layer = filled(m.nn.Linear(2, 2))
        before = layer.weight.tolist()
        P.register_parametrization(layer, "weight", doubled(m))
        layer(m.ones(2)).sum().backward()
        told = [layer, type(layer).__name__, layer.state_dict().keys(), [n for n, _ in layer.named_parameters()]]
        told += [before, layer.weight.tolist(), layer.parametrizations.weight.original.grad.tolist()]
        layer.weight = m.ones(2, 2)
        told += [layer.weight.tolist(), layer.parametrizations.weight.original.tolist(), P.is_parametrized(layer)]
        P.register_parametrization(layer, "weight", doubled(m))
        told += [layer.weight.tolist()]
        P.remove_parametrizations(layer, "weight")
        return [*told, layer, layer.weight.tolist(), P.is_parametrized(layer), isinstance(layer.weight, m.nn.Parameter)]

    same(story)


def test_within_cached_a_weight_is_computed_once() -> None:
    def story(m: Any) -> list[Any]:
        P = m.nn.utils.parametrize
        layer = filled(m.nn.Linear(2, 2))
        P.register_parametrization(layer, "bias", doubled(m))
        with P.cached():
            once = layer.bias is layer.bias
        return [once, layer.bias is layer.bias]

    same(story)


REFUSED = """
P.register_parametrization(nn.Linear(1, 1), "w", nn.ReLU())
P.register_parametrization(nn.Linear(2, 1), "weight", nn.Flatten(0))
P.remove_parametrizations(nn.Linear(1, 1), "weight")
nn.utils.parametrizations.spectral_norm(nn.Linear(1, 1), n_power_iterations=0)
nn.utils.parametrizations.spectral_norm(nn.ReLU())
nn.utils.parametrizations.orthogonal(nn.ReLU())
nn.utils.parametrizations.orthogonal(nn.Linear(2, 2), "bias")
nn.utils.parametrizations.orthogonal(nn.Linear(2, 2), orthogonal_map="givens")
nn.utils.parametrizations._Orthogonal(nn.Linear(2, 1).weight, None).right_inverse(nn.Linear(1, 1).weight)
"""


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_what_cannot_be_is_refused_as_by_pytorch(text: str) -> None:
    same(lambda m: eval(text, {"nn": m.nn, "P": m.nn.utils.parametrize}))


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_is_length_times_direction(dim: int | None) -> None:
    def story(m: Any) -> list[Any]:
        layer = m.nn.utils.parametrizations.weight_norm(filled(m.nn.Linear(3, 2)), dim=dim)
        layer(m.ones(3)).pow(2).sum().backward()
        parts = layer.parametrizations.weight
        return [one.tolist() for one in (layer.weight, parts.original0, parts.original1)] + [
            one.grad.tolist() for one in (parts.original0, parts.original1)
        ]

    same(story)


def test_spectral_norm_lets_no_vector_grow() -> None:
    for m in (autograd_lab, torch):
        m.manual_seed(0)
        layer = m.nn.utils.parametrizations.spectral_norm(filled(m.nn.Linear(4, 3), 3.0), n_power_iterations=20)
        layer(m.ones(4)).sum().backward()
        largest = np.linalg.svd(np.array(layer.weight.tolist()), compute_uv=False)[0]
        assert largest == pytest.approx(1, abs=1e-3)
        assert layer.parametrizations.weight.original.grad is not None


@pytest.mark.parametrize("kind", [None, "matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("has_base", [True, False])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_an_orthogonal_weight_is_that_of_pytorch(kind: str | None, has_base: bool, shape: tuple[int, int]) -> None:
    def story(m: Any) -> list[Any]:
        make, layer = m.nn.utils.parametrizations.orthogonal, filled(m.nn.Linear(shape[1], shape[0]))
        make(layer, orthogonal_map=kind, use_trivialization=has_base)
        parts = layer.parametrizations.weight
        with m.no_grad():
            for place, one in enumerate(parts.original.view(-1)):
                one += ((place * 5) % 7 - 3) / 10 if has_base or kind in ("matrix_exp", "cayley") else 0.0
        told: list[Any] = []
        if not has_base or shape[0] == shape[1]:  # else the base has numbers that were drawn
            weight = layer.weight
            (weight * m.arange(1.0, 1 + weight.numel()).view(shape)).sum().backward()
            told += [weight.tolist(), parts.original.grad.tolist(), weight.grad_fn.name(), layer.state_dict().keys()]
        weight = layer.weight if shape[0] <= shape[1] else layer.weight.T
        return [*told, m.allclose(weight @ weight.T, m.eye(min(shape)), atol=1e-5), repr(layer)]


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3)])
@pytest.mark.parametrize("way", [None, "matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("trivial", [True, False])
def test_an_orthogonal_weight_stays_so_while_it_is_trained(shape: Any, way: str | None, trivial: bool) -> None:
    def story(m: Any) -> list[Any]:
        m.manual_seed(0)
        layer = filled(m.nn.Linear(shape[1], shape[0], dtype=m.float64))
        m.nn.utils.parametrizations.orthogonal(layer, orthogonal_map=way, use_trivialization=trivial)
        short = layer.weight if shape[0] >= shape[1] else layer.weight.mT
        told = [(short.mT @ short).tolist(), layer]
        optimizer = m.optim.SGD(layer.parameters(), lr=0.01)
        (layer(m.arange(1.0, shape[1] + 1, dtype=m.float64)) ** 2).sum().backward()
        told.append(layer.parametrizations.weight.original.grad.tolist())
        optimizer.step()
        short = layer.weight if shape[0] >= shape[1] else layer.weight.mT
        return [*told, (short.mT @ short).tolist(), layer.weight.tolist()]

    same(story)


@pytest.mark.parametrize("way", ["matrix_exp", "cayley", "householder"])
def test_an_orthogonal_weight_is_assigned_as_in_pytorch(way: str) -> None:
    def story(m: Any) -> list[Any]:
        told: list[Any] = []
        turn = m.tensor([[0.6, -0.8], [0.8, 0.6]])
        for trivial in (True, False):
            layer = m.nn.Linear(2, 2)
            m.nn.utils.parametrizations.orthogonal(layer, orthogonal_map=way, use_trivialization=trivial)
            for given in (turn, m.ones(2, 1), m.tensor([[2.0, 1.0], [0.0, 1.0]])):
                told.append(error(lambda layer=layer, given=given: setattr(layer, "weight", given)))
                told += [layer.weight.tolist()] if told[-1].startswith("fine") else []
        return told

    same(story)


def test_what_cannot_be_orthogonal_or_changes_its_form_is_refused() -> None:
    def story(m: Any) -> list[Any]:
        P, layer = m.nn.utils.parametrizations, m.nn.Linear(2, 3)

        class Other(m.nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self, change: Any) -> None:
                super().__init__()
                self.change = change

            def forward(self, x: Any) -> Any:
                return self.change(x)

        register = m.nn.utils.parametrize.register_parametrization
        return [
            error(lambda: P.orthogonal(layer, "bias")),
            error(lambda: P.orthogonal(layer, "nothing")),
            error(lambda: P.orthogonal(layer, orthogonal_map="other")),
            error(lambda: register(layer, "weight", Other(lambda x: x[0]))),
            error(lambda: register(layer, "weight", Other(lambda x: x.double()))),
        ]

    same(story)
