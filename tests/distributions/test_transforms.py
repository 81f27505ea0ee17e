"""Transforms and the constraints they lead to: what PyTorch makes of them, back and forth, with gradients."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import graph, is_alike, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

X = [[0.3, -0.7, 1.2], [2.0, 0.1, -0.4], [0.5, 0.6, 0.9]]
MADE = """
T.ExpTransform() | T.SigmoidTransform() | T.SoftplusTransform() | T.TanhTransform() | T.AbsTransform()
T.PowerTransform(m.tensor(2.0)) | T.PowerTransform(0.5) | T.AffineTransform(1.0, -2.0) | T.identity_transform
T.AffineTransform(m.tensor([1.0, 2.0, 3.0]), m.tensor([-1.0, 2.0, 0.5])) | T.AffineTransform(0, 2.0, event_dim=1)
T.AffineTransform(m.zeros(3), m.ones(3) * 2, event_dim=1) | T.ExpTransform().inv | T.SigmoidTransform().inv
T.ComposeTransform([T.ExpTransform(), T.AffineTransform(1.0, 2.0)])
T.ComposeTransform([T.AffineTransform(1.0, 2.0), T.StickBreakingTransform()])
T.ComposeTransform([T.StickBreakingTransform(), T.AffineTransform(1.0, 2.0)]).inv.inv
T.IndependentTransform(T.ExpTransform(), 1) | T.IndependentTransform(T.SoftplusTransform(), 2)
T.ReshapeTransform((3, 3), (9,)) | T.ReshapeTransform((3,), (1, 3))
T.SoftmaxTransform() | T.StickBreakingTransform() | T.CorrCholeskyTransform()
T.LowerCholeskyTransform() | T.PositiveDefiniteTransform() | T.CumulativeDistributionTransform(D.Normal(0.0, 1.0))
T.CatTransform([T.ExpTransform(), T.AffineTransform(1.0, 2.0)], dim=0, lengths=[1, 2])
T.CatTransform([T.ExpTransform(), T.identity_transform, T.SoftplusTransform()], dim=-1)
T.CatTransform([T.StickBreakingTransform(), T.IndependentTransform(T.ExpTransform(), 1)], dim=0, lengths=[1, 2])
T.StackTransform([T.ExpTransform(), T.identity_transform, T.TanhTransform()], dim=1)
T.StackTransform([T.ExpTransform(), T.identity_transform, T.TanhTransform()])
""".strip()
TRANSFORMS = [text for line in MADE.splitlines() for text in line.split(" | ")]


def names(m: Any) -> dict[str, Any]:
    D = m.distributions
    return {"m": m, "D": D, "T": D.transforms, "C": D.constraints}


def at(m: Any, text: str) -> Any:
    """Where a transform is asked: numbers that it takes."""
    x = m.tensor(X)
    return x.abs() / 3 + 0.05 if ".inv" in text or "Power" in text else x


def found(m: Any, text: str, question: str) -> Any:
    """What a transform says; an error, in words."""
    given = {"t": eval(text, names(m)), "x": at(m, text), "m": m}
    try:
        made = eval(question, given)
    except (NotImplementedError, AssertionError, RuntimeError, ValueError) as error:
        return [question, type(error).__name__, str(error)]
    return [question, made.tolist() if hasattr(made, "tolist") else repr(made)]


ASKED = [
    "t", "t.domain", "t.codomain", "t.bijective", "t.sign", "t.event_dim", "t.inv", "t.inv.domain", "t.inv.inv is t",
    "t(x)", "t.inv(t(x))", "t.log_abs_det_jacobian(x, t(x))", "t.inv.log_abs_det_jacobian(t(x), x)",
    "t.forward_shape(x.shape)", "t.inverse_shape(m.Size((4, 3, 3)))", "t == t", "t.inv == t.inv",
    "t.with_cache().inv(t.with_cache()(x))", "t.domain.check(x)", "t.codomain.check(t(x))", "t.domain.is_discrete",
]  # fmt: skip


@pytest.mark.parametrize("text", TRANSFORMS)
def test_what_is_said_of_a_transform_is_what_pytorch_says(text: str) -> None:
    ours, theirs = ([found(m, text, question) for question in ASKED] for m in (autograd_lab, torch))
    for mine, yours in zip(ours, theirs, strict=True):
        assert is_alike(mine, yours), (mine, yours)


@pytest.mark.parametrize("text", TRANSFORMS)
def test_gradients_flow_through_a_transform_and_its_slope_as_in_pytorch(text: str) -> None:
    def story(m: Any) -> list[Any]:
        x = at(m, text).requires_grad_()
        transform = eval(text, names(m))
        y = transform(x)
        back = transform.inv(y).pow(2).sum()
        try:
            slope = transform.log_abs_det_jacobian(x, y).sum()
        except NotImplementedError:
            slope = 0
        ((y * y.detach()).sum() + back + slope).backward()
        return [graph(y) if y.grad_fn is not None else None, x.grad.tolist()]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours[0], theirs[0]), (ours, theirs)


def test_a_cache_gives_back_the_very_tensor_that_went_in() -> None:
    def story(m: Any) -> list[Any]:
        t = m.distributions.transforms.ExpTransform(cache_size=1)
        x = m.tensor(1.0)
        y = t(x)
        return [t.inv(y) is x, t(x) is y, t.with_cache(0)(x) is y, t.with_cache(1) is t]

    assert said(autograd_lab, story) == said(torch, story)


def test_a_transform_of_ones_own_is_called_as_in_pytorch() -> None:
    def story(m: Any) -> list[Any]:
        class Cube(m.distributions.Transform):  # type: ignore[misc]
            domain = codomain = m.distributions.constraints.real
            bijective, sign = True, +1

            def _call(self, x: Any) -> Any:
                return x**3

            def _inverse(self, y: Any) -> Any:
                return y.sign() * y.abs() ** (1 / 3)

            def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
                return (3 * x**2).log()

        made = m.distributions.TransformedDistribution(m.distributions.Normal(0.0, 1.0), [Cube(cache_size=1)])
        value = m.tensor([0.5, -2.0])
        return [made.log_prob(value).tolist(), made.cdf(value).tolist(), made.icdf(m.tensor(0.3)).tolist(), repr(made)]

    assert is_alike(said(autograd_lab, story), said(torch, story))


KINDS = """
C.real | C.positive | C.nonnegative | C.greater_than(2.0) | C.greater_than_eq(-1.0) | C.less_than(3.0) | C.unit_interval
C.interval(-1.0, 2.0) | C.half_open_interval(0, 1) | C.half_open_interval(0.0, 3.0) | C.simplex | C.lower_cholesky
C.corr_cholesky | C.positive_definite | C.positive_semidefinite | C.real_vector | C.independent(C.positive, 1)
C.cat([C.positive, C.real], 0, [1, 2]) | C.stack([C.positive, C.real, C.unit_interval], -1) | C.boolean | C.one_hot
C.symmetric | C.integer_interval(0, 3) | C.interval(m.zeros(3), m.ones(3) * 2) | C.dependent
""".strip()


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize("text", [text for line in KINDS.splitlines() for text in line.split(" | ")])
def test_a_constraint_has_the_transform_that_pytorch_has_for_it(text: str, registry: str) -> None:
    def story(m: Any) -> list[Any]:
        constraint = eval(text, names(m))
        transform = getattr(m.distributions, registry)(constraint)
        y = transform(m.tensor(X))
        return [repr(transform), y.tolist(), constraint.check(y).tolist(), transform.inv(y).tolist()]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), (ours, theirs)


REFUSED = """
T.ExpTransform(cache_size=2) | T.CatTransform([1]) | T.CatTransform([T.ExpTransform()], lengths=[1, 2])
T.StackTransform([T.ExpTransform()])(m.zeros(2)) | T.CatTransform([T.ExpTransform()], dim=2)(m.zeros(1))
T.CatTransform([T.ExpTransform()])(m.zeros(2)) | T.ReshapeTransform((2,), (3,)) | T.CorrCholeskyTransform()(m.zeros(2))
T.StickBreakingTransform().forward_shape(()) | T.ReshapeTransform((2,), (1, 2)).forward_shape(m.Size((3,)))
T.IndependentTransform(T.ExpTransform(), 1)(m.tensor(0.0)) | T.Transform().sign | T.Transform()(m.zeros(2))
C.independent(1, 1) | C.independent(C.real, -1) | C.independent(C.real, 1.0) | C.cat([1]) | C.stack([1])
C.cat([C.real], 0, [1, 2]) | C.cat([C.real], 3).check(m.zeros(2)) | C.MixtureSameFamilyConstraint(1)
D.biject_to.register(1, lambda c: None) | D.biject_to(1) | C.MixtureSameFamilyConstraint(C.simplex)
D.utils.vec_to_tril_matrix(m.zeros(2)) | D.utils.tril_matrix_to_vec(m.zeros(2, 2), 3)
D.utils.vec_to_tril_matrix(m.arange(6.0)) | D.utils.tril_matrix_to_vec(m.arange(9.0).view(3, 3), -1)
D.utils.broadcast_all(1, m.zeros(2)) | D.utils.probs_to_logits(m.tensor([0.0, 0.3])) | D.utils.clamp_probs(m.ones(2))
D.utils.probs_to_logits(m.tensor([0.0, 0.3]), is_binary=True) | D.utils.logits_to_probs(m.zeros(2))
""".strip()


@pytest.mark.parametrize("text", [text for line in REFUSED.splitlines() for text in line.split(" | ")])
def test_what_transforms_and_constraints_refuse_is_refused_in_pytorchs_words(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(text, names(m))

    assert said(autograd_lab, story) == said(torch, story)


def test_every_public_name_of_pytorchs_distributions_is_there() -> None:
    for path in ("", "transforms", "constraints", "kl", "constraint_registry", "utils"):
        theirs, ours = (getattr(m.distributions, path) if path else m.distributions for m in (torch, autograd_lab))
        names = getattr(theirs, "__all__", None) or [
            name for name in theirs.__dict__ if not name.startswith("_") and name not in ("torch", "Any", "Number")
        ]
        missing = [name for name in names if not hasattr(ours, name)]
        assert not [name for name in missing if name[0].islower() or path == ""], (path, missing)
