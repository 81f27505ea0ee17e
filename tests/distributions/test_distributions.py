"""Distributions: what PyTorch says of them, and gradients through log-probabilities and draws."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

import autograd_lab
from tests.worlds import graph, is_alike
from tests.worlds import said as said_with_numpy

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

PARAMETERS = {
    "loc": [0.5, -1.0],
    "scale": [0.7, 2.0],
    "positive": [0.8, 2.5],
    "other": [1.7, 3.5],
    "probs": [0.3, 0.6],
    "logits": [-0.4, 0.9],
    "rows": [[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]],
    "more": [[1.2, 0.3, 2.5], [0.6, 1.1, 0.9]],
    "tril": [[1.0, 0.0], [0.5, 2.0]],
}
"""Each is a leaf that wants a gradient."""
DRAWS = 5000
"""As many as tell a wrong mean from a right one; they are the same numbers each time."""

MADE: dict[str, list[Any]] = {
    "D.Normal(loc, scale)": [0.3, 2.0],
    "D.Normal(loc, 2.0)": [0.3, 2.0],
    "D.HalfNormal(scale)": [0.3, 2.0],
    "D.LogNormal(loc, scale)": [0.3, 2.0],
    "D.Uniform(loc, loc + scale)": [0.7, 0.0],
    "D.Bernoulli(probs)": [1.0, 0.0],
    "D.Bernoulli(logits=logits)": [1.0, 0.0],
    "D.Geometric(probs)": [3.0, 0.0],
    "D.Binomial(5, probs)": [3.0, 0.0],
    "D.Categorical(rows)": [2, 0],
    "D.Categorical(logits=more)": [2, 0],
    "D.OneHotCategorical(rows)": [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
    "D.Multinomial(4, rows)": [[1.0, 1.0, 2.0], [4.0, 0.0, 0.0]],
    "D.Exponential(positive)": [0.3, 2.0],
    "D.Laplace(loc, scale)": [0.3, 2.0],
    "D.Gumbel(loc, scale)": [0.3, 2.0],
    "D.Cauchy(loc, scale)": [0.3, 2.0],
    "D.Poisson(positive)": [3.0, 1.0],
    "D.Gamma(positive, other)": [0.3, 2.0],
    "D.Chi2(positive)": [0.3, 2.0],
    "D.Beta(positive, other)": [0.3, 0.9],
    "D.Dirichlet(more)": [[0.2, 0.3, 0.5], [0.1, 0.2, 0.7]],
    "D.StudentT(other, loc, scale)": [0.3, 2.0],
    "D.RelaxedBernoulli(m.tensor(0.5), probs)": [0.3, 0.8],
    "D.MultivariateNormal(loc, scale_tril=tril)": [0.3, 2.0],
    "D.MultivariateNormal(loc, tril @ tril.T)": [0.3, 2.0],
    "D.Independent(D.Normal(loc, scale), 1)": [0.3, 2.0],
    "D.MixtureSameFamily(D.Categorical(probs), D.Normal(loc, scale))": [0.3],
    "D.TransformedDistribution(D.Normal(loc, scale), D.AffineTransform(1.0, 2.0))": [0.3, 2.0],
    "D.TransformedDistribution(D.Normal(loc, scale), [D.ExpTransform(), D.PowerTransform(2.0)])": [0.3, 2.0],
    "D.TransformedDistribution(D.Normal(loc, scale), D.SigmoidTransform())": [0.3, 0.8],
    "D.TransformedDistribution(D.Normal(loc, scale), D.TanhTransform())": [0.3, -0.8],
    "D.TransformedDistribution(D.Normal(loc, scale), [])": [0.3, -0.8],
    "D.TransformedDistribution(D.Normal(loc, scale), [D.SoftplusTransform(), D.AffineTransform(0.5, -scale)])": [
        -0.3,
        -0.8,
    ],
    "D.TransformedDistribution(D.Normal(more, 2.0), D.StickBreakingTransform())": [
        [0.1, 0.2, 0.3, 0.4],
        [0.4, 0.3, 0.2, 0.1],
    ],
    "D.TransformedDistribution(D.Normal(more, 2.0), D.AffineTransform(loc[0], 2.0, event_dim=1))": [
        [0.1, 0.2, 0.3],
        [0.4, 0.3, 0.2],
    ],
    "D.MultivariateNormal(loc, precision_matrix=tril @ tril.T)": [0.3, 2.0],
    "D.MultivariateNormal(more[:, :2], tril @ tril.T)": [[0.3, 2.0], [0.1, 0.2]],
    "D.NegativeBinomial(positive, probs)": [3.0, 0.0],
    "D.NegativeBinomial(3, logits=logits)": [3.0, 1.0],
    "D.Weibull(scale, other)": [0.3, 2.0],
    "D.Pareto(scale, other)": [0.8, 3.0],
    "D.Pareto(1.0, other)": [1.8, 3.0],
    "D.Kumaraswamy(positive, other)": [0.3, 0.8],
    "D.InverseGamma(other, scale)": [0.3, 2.0],
    "D.HalfCauchy(scale)": [0.3, 2.0],
    "D.GeneralizedPareto(loc, scale, probs / 2)": [0.8, 2.0],
    "D.GeneralizedPareto(loc, scale, -probs)": [0.8, 0.0],
    "D.GeneralizedPareto(loc, scale, probs * 0)": [0.8, 2.0],
    "D.FisherSnedecor(other, other * 6)": [0.3, 2.0],
    "D.ContinuousBernoulli(probs)": [0.3, 0.8],
    "D.ContinuousBernoulli(logits=logits)": [0.3, 0.8],
    "D.ContinuousBernoulli(probs * 0 + 0.5)": [0.3, 0.8],
    "D.LogisticNormal(loc, scale)": [0.1, 0.3, 0.6],
    "D.VonMises(loc, positive * 3)": [0.3, 2.0],
    "D.LKJCholesky(2, positive)": [[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.0], [0.0, 1.0]]],
    "D.LKJCholesky(3, 2.0)": [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.48, 0.6, 0.64]],
    "D.LowRankMultivariateNormal(loc, rows[:, :1], positive)": [0.3, 2.0],
    "D.LowRankMultivariateNormal(more, rows[0].view(3, 1), m.ones(3))": [[0.3, 2.0, 1.0], [0.1, 0.2, 0.3]],
    "D.Wishart(scale[1] * 3, tril @ tril.T)": [[2.0, 0.5], [0.5, 3.0]],
    "D.Wishart(other + 1, scale_tril=tril)": [[2.0, 0.5], [0.5, 3.0]],
    "D.Wishart(4.0, precision_matrix=tril @ tril.T)": [[2.0, 0.5], [0.5, 3.0]],
}
"""A value for each, of which the probability is asked."""
SAME_FORMULA = ("Normal(", "Laplace", "Exponential(", "Uniform", "Bernoulli(", "Categorical(", "Poisson", "Cauchy")
"""What is so everyday that the nodes are PyTorch's, too."""


def said(m: Any, story: Any) -> Any:
    """What is said in a world, but for numpy's own warnings, which users do not see."""
    found, warned = said_with_numpy(m, story)
    return found, [one for one in warned if " encountered in " not in one]


def world(m: Any) -> dict[str, Any]:
    leaves = {name: m.tensor(values, requires_grad=True) for name, values in PARAMETERS.items()}
    return {**leaves, "m": m, "D": m.distributions}


@pytest.mark.parametrize("text", MADE)
def test_probabilities_and_their_gradients_are_those_of_pytorch(text: str) -> None:
    def story(m: Any) -> list[Any]:
        names = world(m)
        made = eval(text, names)
        found = made.log_prob(m.tensor(MADE[text]))
        found.sum().backward()
        grads = [names[name].grad for name in PARAMETERS]
        return [made.batch_shape, made.event_shape, found.tolist(), [None if g is None else g.tolist() for g in grads]]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), (ours, theirs)


@pytest.mark.parametrize("text", [text for text in MADE if text.removeprefix("D.").startswith(SAME_FORMULA)])
def test_everyday_probabilities_have_pytorchs_nodes(text: str) -> None:
    graphs = [graph(eval(text, world(m)).log_prob(m.tensor(MADE[text])).sum()) for m in (autograd_lab, torch)]
    assert graphs[0] == graphs[1]


ASKED = [
    "mean",
    "mode",
    "variance",
    "stddev",
    "entropy()",
    "support",
    "has_rsample",
    "has_enumerate_support",
    "expand((3,2)).mean",
]


@pytest.mark.parametrize("text", MADE)
def test_what_is_said_of_a_distribution_is_what_pytorch_says(text: str) -> None:
    def story(m: Any) -> list[Any]:
        made = eval(text, world(m))
        told: list[Any] = [repr(made)]
        for question in ASKED:
            try:
                found = eval(f"made.{question}", {"made": made})
            except NotImplementedError:
                continue
            told.append([question, found.tolist() if hasattr(found, "tolist") else repr(found)])
        return told

    ours, theirs = said(autograd_lab, story), said(torch, story)
    questions = [one[0] for one in ours[0] if isinstance(one, list)]
    theirs = ([one for one in theirs[0] if not isinstance(one, list) or one[0] in questions], theirs[1])
    assert is_alike(ours, theirs), (ours, theirs)


INVERTIBLE = [
    "Normal", "HalfNormal", "Laplace", "Gumbel", "Cauchy", "Uniform", "Exponential", "LogNormal", "Weibull", "Pareto",
    "Kumaraswamy", "HalfCauchy", "GeneralizedPareto", "ContinuousBernoulli",
]  # fmt: skip


@pytest.mark.parametrize("kind", INVERTIBLE)
def test_cdf_and_its_inverse_are_those_of_pytorch(kind: str) -> None:
    text = next(text for text in MADE if text.startswith(f"D.{kind}("))

    def story(m: Any) -> list[Any]:
        made = eval(text, world(m))
        value = m.tensor(MADE[text])
        return [made.cdf(value).tolist(), made.icdf(m.tensor([0.2, 0.9])).tolist()]

    assert is_alike(said(autograd_lab, story), said(torch, story))


@pytest.mark.parametrize("text", MADE)
def test_draws_have_the_mean_and_the_spread_of_the_distribution(text: str) -> None:
    autograd_lab.manual_seed(0)
    made = eval(text, world(autograd_lab))
    drawn = made.sample((DRAWS,))
    assert not drawn.requires_grad
    assert tuple(drawn.shape) == (DRAWS, *made.batch_shape, *made.event_shape)
    try:
        mean, spread = (np.array(one.tolist()) for one in (made.mean, made.stddev))
    except NotImplementedError:
        return
    known = np.isfinite(mean) & np.isfinite(spread)
    off = np.abs(drawn._array.mean(0) - mean)
    assert (off[known] < 0.05 * (1 + spread[known])).all()


REPARAMETERISED = [text for text in MADE if text.split("(")[0][2:] not in (
    "Bernoulli", "Geometric", "Binomial", "Categorical", "OneHotCategorical", "Multinomial", "Poisson",
    "MixtureSameFamily", "NegativeBinomial", "VonMises", "LKJCholesky",
)]  # fmt: skip


@pytest.mark.parametrize("text", REPARAMETERISED)
def test_gradients_of_the_mean_flow_through_draws(text: str) -> None:
    """d E[x] / dθ from draws is that of the formula of the mean."""
    m = autograd_lab
    m.manual_seed(0)
    names = world(m)
    made = eval(text, names)
    m.manual_seed(1)
    drawn = made.rsample((DRAWS,))
    assert drawn.requires_grad
    try:
        mean = made.mean
    except NotImplementedError:
        return
    if not bool(mean.isfinite().all()):
        return
    leaves = [names[name] for name in PARAMETERS]
    through, by_formula = (
        m.autograd.grad(one.sum(), leaves, allow_unused=True, retain_graph=True) for one in (drawn.mean(0), mean)
    )
    for one, other in zip(through, by_formula, strict=True):
        if other is not None and one is not None:
            np.testing.assert_allclose(one.tolist(), other.tolist(), rtol=0.15, atol=0.08)


DRAWN_FIRST = ["D.Categorical(logits=more)", "D.OneHotCategorical(logits=more)", "D.Bernoulli(logits=logits)"]


@pytest.mark.parametrize("text", DRAWN_FIRST)
def test_an_entropy_has_its_gradient_after_a_draw_too(text: str) -> None:
    """A draw works out probabilities without a graph; the entropy needs theirs."""

    def story(m: Any) -> list[Any]:
        names = world(m)
        made = eval(text, names)
        made.sample()
        made.entropy().sum().backward()
        return [names["more"].grad, names["logits"].grad]

    assert said(autograd_lab, story) == said(torch, story)


PAIRS = [
    ("D.Normal(loc, scale)", "D.Normal(0.0, 1.0)"),
    ("D.HalfNormal(scale)", "D.HalfNormal(1.0)"),
    ("D.Bernoulli(probs)", "D.Bernoulli(0.5)"),
    ("D.Categorical(rows)", "D.Categorical(logits=more)"),
    ("D.OneHotCategorical(rows)", "D.OneHotCategorical(logits=more)"),
    ("D.Uniform(0.0, scale)", "D.Uniform(-1.0, 3.0)"),
    ("D.Exponential(positive)", "D.Exponential(1.0)"),
    ("D.Laplace(loc, scale)", "D.Laplace(0.0, 1.0)"),
    ("D.Poisson(positive)", "D.Poisson(1.0)"),
    ("D.Geometric(probs)", "D.Geometric(0.5)"),
    ("D.Gamma(positive, other)", "D.Gamma(1.0, 2.0)"),
    ("D.Beta(positive, other)", "D.Beta(1.0, 2.0)"),
    ("D.Dirichlet(more)", "D.Dirichlet(rows)"),
    ("D.LogNormal(loc, scale)", "D.LogNormal(0.0, 1.0)"),
    ("D.MultivariateNormal(loc, scale_tril=tril)", "D.MultivariateNormal(loc * 0, m.eye(2) * 2)"),
    ("D.Independent(D.Normal(loc, scale), 1)", "D.Independent(D.Normal(loc * 0, 1.0), 1)"),
    ("D.Cauchy(loc, scale)", "D.Poisson(1.0)"),
    ("D.Cauchy(loc, scale)", "D.Cauchy(0.0, 1.0)"),
    ("D.Gumbel(loc, scale)", "D.Gumbel(0.0, 1.0)"),
    ("D.Pareto(scale, other)", "D.Pareto(1.0, 2.0)"),
    ("D.Binomial(5, probs)", "D.Binomial(m.tensor([5, 3]), 0.5)"),
    ("D.Binomial(4, probs)", "D.Binomial(5, 0.5)"),
    ("D.Binomial(5, probs)", "D.Binomial(m.tensor([5.0, 3.0]), 0.5)"),
    ("D.ContinuousBernoulli(probs)", "D.ContinuousBernoulli(logits=logits)"),
    ("D.Weibull(scale, other)", "D.Weibull(1.0, 2.0)"),
    (
        "D.LowRankMultivariateNormal(loc, rows[:, :1], positive)",
        "D.LowRankMultivariateNormal(loc * 0, rows, m.ones(2))",
    ),
    ("D.LowRankMultivariateNormal(loc, rows[:, :1], positive)", "D.MultivariateNormal(loc * 0, m.eye(2))"),
    ("D.MultivariateNormal(loc, scale_tril=tril)", "D.LowRankMultivariateNormal(loc * 0, rows, m.ones(2))"),
    ("D.MultivariateNormal(loc, scale_tril=tril)", "D.MultivariateNormal(more[0], scale_tril=m.eye(3))"),
    ("D.Wishart(4.0, tril @ tril.T)", "D.Wishart(5.0, m.eye(2))"),
    ("D.Wishart(other + 1, tril @ tril.T)", "D.Wishart(5.0, m.eye(2).expand(2, 2, 2))"),
    ("D.Normal(loc, scale)", "D.Poisson(1.0)"),
]


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_divergences_and_their_gradients_are_those_of_pytorch(p: str, q: str) -> None:
    def story(m: Any) -> list[Any]:
        names = world(m)
        found = m.distributions.kl_divergence(eval(p, names), eval(q, names))
        found.sum().backward()
        return [found.tolist(), [None if names[n].grad is None else names[n].grad.tolist() for n in PARAMETERS]]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), (ours, theirs)


UNLIKE = [
    "Bernoulli(probs)", "Beta(positive, other)", "ContinuousBernoulli(probs)", "Exponential(positive)",
    "Gamma(positive, other)", "Gumbel(loc, scale)", "Laplace(loc, scale)", "Normal(loc, scale)", "Pareto(scale, other)",
    "Poisson(positive)", "Uniform(probs / 2, probs)", "Uniform(loc, loc + 2)", "Binomial(3, probs)",
    "Independent(D.Normal(loc, scale), 1)",
]  # fmt: skip


@pytest.mark.parametrize("q", UNLIKE)
@pytest.mark.parametrize("p", UNLIKE)
def test_divergences_of_two_kinds_and_their_gradients_are_those_of_pytorch(p: str, q: str) -> None:
    test_divergences_and_their_gradients_are_those_of_pytorch(f"D.{p}", f"D.{q}")


REFUSED = """
D.Wishart(1.5, m.eye(2))
D.Wishart(0.5, m.eye(2))
D.Wishart(3.0, m.eye(2), m.eye(2))
D.LKJCholesky(1)
D.LKJCholesky(2).log_prob(m.ones(2, 2))
D.LowRankMultivariateNormal(m.zeros(2), m.ones(3, 1), m.ones(2))
D.LowRankMultivariateNormal(m.zeros(2), m.ones(2, 1), m.ones(3))
D.LowRankMultivariateNormal(m.zeros(2, 2), m.ones(3, 2, 1), m.ones(2))
D.MultivariateNormal(m.zeros(2))
D.MultivariateNormal(m.zeros(2), m.ones(2))
D.ContinuousBernoulli(probs=2.0, validate_args=True)
D.NegativeBinomial(-1.0, 0.5)
D.NegativeBinomial(1.0)
D.Pareto(1.0, 2.0).log_prob(m.tensor(0.5))
D.Weibull(1.0, -1.0)
D.TransformedDistribution(D.Normal(0.0, 1.0), D.StickBreakingTransform())
D.TransformedDistribution(D.Normal(0.0, 1.0), (D.ExpTransform(),))
D.TransformedDistribution(D.Normal(0.0, 1.0), [1])
D.VonMises("a", 1.0)
D.Normal(0.0, -1.0)
D.Normal(m.tensor([0.0, 1.0]), m.tensor([1.0, -1.0]))
D.Uniform(1.0, 0.0)
D.Bernoulli(2.0)
D.Bernoulli()
D.Bernoulli(0.5, 0.5)
D.Categorical(m.tensor(0.5))
D.Normal(0.0, 1.0).log_prob(m.tensor(float("nan")))
D.Bernoulli(0.5).log_prob(m.tensor(0.5))
D.Categorical(m.ones(3)).log_prob(m.tensor(3))
D.Normal(m.zeros(2), 1.0).log_prob(m.zeros(3))
D.Normal(0.0, 1.0).log_prob(3.0)
D.Dirichlet(m.ones(3)).log_prob(m.ones(2))
D.Normal("a", 1.0)
D.Independent(D.Normal(0.0, 1.0), 1)
D.Normal(0.0, -1.0, validate_args=False)
"""


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_what_cannot_be_is_refused_as_by_pytorch(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = torch.distributions.Distribution
    monkeypatch.setattr(checks, "_validate_args", True)  # torch.compile switches it off for good, also for other tests

    def story(m: Any) -> Any:
        return repr(eval(text, {"m": m, "D": m.distributions}))

    assert said(autograd_lab, story) == said(torch, story)


def test_the_score_function_and_the_reparameterisation_estimate_the_same_gradient() -> None:
    """d/dμ E[x²] = 2 μ, by draws of either kind; the score function's estimate is the noisier one."""
    m = autograd_lab
    m.manual_seed(0)
    mu = m.tensor(1.5, requires_grad=True)
    made = m.distributions.Normal(mu, 1.0)
    x = made.rsample((40000,))
    (through,) = m.autograd.grad((x**2).mean(), mu)
    x = made.sample((40000,))
    (by_score,) = m.autograd.grad((made.log_prob(x) * x**2).mean(), mu)
    assert through.item() == pytest.approx(3.0, abs=0.05)
    assert by_score.item() == pytest.approx(3.0, abs=0.2)


CHECKED = """
C.square.check(m.ones(2, 3, 3)) | C.square.check(m.ones(2, 3)) | C.symmetric.check(m.ones(2, 3)) | C.symmetric.check(a)
C.symmetric.check(a * 1000 + off) | C.symmetric.check(a + off) | C.lower_triangular.check(m.stack([a, a.tril()]))
C.positive_semidefinite.check(m.stack([a, -a, a * 0])) | C.positive_definite.check(m.stack([a, -a, a * 0]))
C.positive_definite.check(m.eye(120) * 0.1) | C.positive_definite.check(a.tril()) | C.dependent.check(a) | C.square
C.dependent.event_dim | C.dependent(event_dim=2).event_dim | C.dependent(event_dim=2)(is_discrete=True).is_discrete
C.dependent_property(event_dim=1).event_dim | C.dependent_property().is_discrete
C.positive_definite | C.lower_triangular
""".strip()


@pytest.mark.parametrize("text", [text for line in CHECKED.splitlines() for text in line.split(" | ")])
def test_constraints_of_matrices_and_those_that_depend_hold_where_they_do_in_pytorch(text: str) -> None:
    def story(m: Any) -> Any:
        names = {"m": m, "C": m.distributions.constraints, "a": m.tensor([[2.0, 1.0], [1.0, 3.0]])}
        return eval(text, {**names, "off": m.tensor([[0.0, 1e-3], [0.0, 0.0]])})

    assert said(autograd_lab, story) == said(torch, story)


def test_a_distribution_of_ones_own_is_told_as_in_pytorch() -> None:
    def story(m: Any) -> Any:
        m.distributions.Distribution.set_default_validate_args(True)  # Dynamo, once it is loaded, has switched it off
        C = m.distributions.constraints

        class Tent(m.distributions.Distribution):  # type: ignore[misc]
            arg_constraints: ClassVar[Any] = {"width": C.positive, "half": C.less_than(2.0)}

            def __init__(self, width: Any, validate_args: Any = None) -> None:
                self.width = width
                super().__init__(width.shape, validate_args=validate_args)

            @property
            def half(self) -> Any:
                return self.width / 2

            @C.dependent_property(is_discrete=False, event_dim=0)  # type: ignore[untyped-decorator]
            def support(self) -> Any:
                return C.interval(-self.width, self.width)

            def log_prob(self, value: Any) -> Any:
                self._validate_sample(value)
                return ((1 - value.abs() / self.width) / self.width).log()

            def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
                new = self._get_checked_instance(Tent, _instance)
                new.width = self.width.expand(batch_shape)
                super(Tent, new).__init__(batch_shape, validate_args=False)
                new._validate_args = self._validate_args
                return new

        class Wide(Tent):
            def __init__(self) -> None:
                super().__init__(m.ones(2))

        tent = Tent(m.tensor([1.0, 3.0]))
        doubtful = [
            lambda: tent.log_prob(m.tensor(2.0)),
            lambda: Wide().expand((2,)),
            lambda: Tent(m.tensor(5.0)),
            lambda: Tent(-m.ones(1)),
        ]
        return [
            str(tent), str(tent.support), C.is_dependent(Tent.support), Tent.support.event_dim,
            Tent.support.is_discrete,
            tent.log_prob(m.tensor(0.5)).tolist(), tent.expand((3, 2)).log_prob(m.tensor(0.5)).tolist(),
            [said(m, lambda _, one=one: one()) for one in doubtful],
        ]  # fmt: skip

    assert said(autograd_lab, story) == said(torch, story)


KINDS = {
    "Normal": "loc, scale", "Gamma": "positive, other", "Categorical": "rows", "Bernoulli": "probs",
    "MultivariateNormal": "m.stack([loc, loc]), scale_tril=tril", "Independent": "m.distributions.Normal(more, 1.0), 1",
    "MixtureSameFamily": "m.distributions.Categorical(rows), m.distributions.Normal(more, 1.0)",
    "LogNormal": "loc, scale",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_subclass_expands_into_what_it_has_begun_as_in_pytorch(kind: str) -> None:
    def story(m: Any) -> Any:
        given = {name: m.tensor(value) for name, value in PARAMETERS.items()}
        base = getattr(m.distributions, kind)

        class Own(base):  # type: ignore[misc, valid-type]
            def __init__(self, *args: Any, **named: Any) -> None:
                super().__init__(*args, **named)
                self.note = m.ones(())

            def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
                new = self._get_checked_instance(Own, _instance)
                new.note = self.note + 1
                return super().expand(batch_shape, new)

        own = eval(f"Own({KINDS[kind]})", {"Own": Own, "m": m, **given})
        wide = own.expand((3, 2))
        value = m.ones(*wide.batch_shape, *wide.event_shape)
        return type(wide).__name__, wide.batch_shape, wide.event_shape, wide.log_prob(value).tolist(), wide.note

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), (ours, theirs)


EDGES = """
D.Binomial(1.0, logits=m.zeros(2, requires_grad=True)).log_prob(m.tensor([0.0, 1.0]))
D.Binomial(3.0, m.tensor([0.5, 0.2], requires_grad=True)).log_prob(m.tensor([2.0, 3.0]))
D.Multinomial(10, logits=m.tensor([-float("inf"), 0.0], requires_grad=True)).log_prob(m.tensor([0.0, 10.0]))
D.Multinomial(10, logits=m.tensor([-float("inf"), 0.0])).log_prob(m.tensor([10.0, 0.0]))
D.Multinomial(4, m.tensor([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]])).entropy()
D.Multinomial(4, m.tensor([0.2, 0.3, 0.5], requires_grad=True)).entropy()
D.StudentT(m.tensor([3.0, 1.5], requires_grad=True), 0.5, 2.0).entropy()
D.Gamma(m.tensor([3.0, 1.5]), 2.0).cdf(m.tensor([0.5, 2.0]))
D.Chi2(3.0).cdf(m.tensor(0.5))
D.InverseGamma(3.0, 2.0).cdf(m.tensor(0.5))
D.Gamma(1, 1).log_prob(2)
D.Chi2(1).log_prob(1.0)
D.Dirichlet(m.tensor([2.0, 2.0, 1.0])).mode
D.Dirichlet(m.tensor([[0.5, 0.2, 0.2], [1.0, 1.0, 1.0]])).mode
[D.Beta(m.tensor(a), m.tensor(b)).mode for a, b in ((2.0, 3.0), (0.5, 0.5), (0.4, 0.5), (1.0, 1.0))]
D.Geometric(0)
D.Geometric(m.tensor([0.0, 0.5]))
D.Geometric(m.tensor([0.0, 0.5]), validate_args=False)
D.RelaxedOneHotCategorical(m.tensor([0.5]), m.tensor([[0.3, 0.7]])).expand((2, 1)).sample().shape
D.RelaxedBernoulli(m.tensor([0.5]), m.tensor([0.3])).expand((2, 1)).temperature
D.Binomial(m.tensor([4.0, 3.0]), m.tensor(0.5)).entropy()
D.Independent(D.Bernoulli(m.ones(2) / 2), 1).enumerate_support()
D.Independent(D.Bernoulli(m.ones(2) / 2), 0).enumerate_support()
D.Normal(0.0, 1.0).sample_n(3).shape
m.autograd.grad(D.Binomial(3.0, x).log_prob(m.tensor([2.0])).sum(), x)
"""


@pytest.mark.parametrize("text", EDGES.strip().splitlines())
def test_at_the_edges_values_slopes_and_errors_are_those_of_pytorch(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(text, {"m": m, "D": m.distributions, "x": m.tensor([0.5, 0.2], requires_grad=True)})

    assert is_alike(said(autograd_lab, story), said(torch, story))


@pytest.mark.parametrize(
    "name", [name for name in torch.distributions.__all__ if hasattr(getattr(torch.distributions, name), "support")]
)
def test_what_a_kind_of_distribution_says_of_its_support_is_what_pytorch_says(name: str) -> None:
    def story(m: Any) -> Any:
        kind = getattr(m.distributions, name)
        told: list[Any] = [isinstance(kind.support, m.distributions.constraints.Constraint)]
        for asked in ("event_dim", "is_discrete"):
            try:
                told.append(getattr(kind.support, asked))
            except (NotImplementedError, AttributeError) as error:
                told.append(type(error).__name__)
        return told

    assert story(autograd_lab) == story(torch)


def test_small_concentrations_give_draws_inside_of_the_support() -> None:
    m = autograd_lab
    m.manual_seed(0)
    for kind in (m.float32, m.float64):
        drawn = m.distributions.Beta(m.tensor(0.01, dtype=kind), m.tensor(0.01, dtype=kind)).sample((2000,))
        assert drawn.dtype == kind and bool(((drawn > 0) & (drawn < 1)).all())
        assert abs(float((drawn < 0.1).double().mean()) - 0.5) < 0.05


def test_a_distribution_that_does_not_say_what_it_is_about_warns() -> None:
    def story(m: Any) -> Any:
        class Always(m.distributions.Distribution):  # type: ignore[misc, name-defined]
            def log_prob(self, value: Any) -> Any:
                if self._validate_args:
                    self._validate_sample(value)
                return value

        return Always().log_prob(m.zeros(2)), Always(validate_args=False).log_prob(m.zeros(2))

    here, there = said_with_numpy(autograd_lab, story), said_with_numpy(torch, story)
    assert here == there and len(here[1]) == 2


@pytest.mark.parametrize(
    "parameters",
    [[1.0, 1.0], [2.0, 3.0], [0.5, 0.5], [0.1, 4.0], [20.0, 30.0], [200.0, 3.0], [7.0, 1.0], [1.0, 1.0, 1.0]],
)
def test_a_draw_of_probabilities_moves_as_in_pytorch(parameters: list[float]) -> None:
    """Of all ways in which a draw can move, PyTorch's: of each class as if it alone were drawn, against all others."""

    def told(m: Any) -> Any:
        m.manual_seed(0)
        a = m.tensor(parameters, dtype=m.float64, requires_grad=True)
        drawn = m.distributions.Dirichlet(a).rsample((5,))
        (g,) = m.autograd.grad((drawn * m.arange(len(parameters))).sum(), a, create_graph=True)
        return drawn.grad_fn.name(), drawn.tolist(), g.tolist(), g.requires_grad

    ours, theirs = told(autograd_lab), told(torch)
    assert ours[0] == theirs[0] and ours[3] == theirs[3]
    np.testing.assert_allclose(ours[1], theirs[1], 1e-12)
    np.testing.assert_allclose(ours[2], theirs[2], 1e-2, 1e-5)  # PyTorch's own is rounded to as much


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_draws_move_with_their_parameters_as_far_as_in_pytorch(kind: str) -> None:
    """PyTorch's own slopes of gamma numbers are fitted ones, and so are these: to the last digits."""
    rng = np.random.default_rng(0)
    x = np.exp(rng.uniform(-3, 6, 4000)).astype(kind)
    near, far = rng.gamma(x[:2000]) + 1e-3, np.exp(rng.uniform(-3, 6, 2000))
    z = np.concatenate([near, np.maximum(far, x[2000:] / 60)]).astype(kind)
    ours, theirs = (m._standard_gamma_grad(m.from_numpy(x), m.from_numpy(z)).numpy() for m in (autograd_lab, torch))
    np.testing.assert_allclose(ours, theirs, rtol=3e-7 if kind == "float32" else 1e-9)


MOVED = """
m._standard_gamma_grad(x, m.ones(2)).grad_fn
m._standard_gamma_grad(x, m.ones(2)).sum().backward()
m._standard_gamma_grad(x, m.ones(2, dtype=m.float64))
m._standard_gamma_grad(m.ones(2, dtype=m.int64), m.ones(2, dtype=m.int64))
m._standard_gamma_grad(m.ones(2), x).requires_grad
m._dirichlet_grad(m.tensor([0.2, 0.8]), x.detach(), m.tensor([3.0, 3.5]))
m._dirichlet_grad(m.tensor([0.2, 0.8]), x, m.tensor([3.0, 3.5])).grad_fn
m._dirichlet_grad(m.tensor([0.2, 0.8]), x, m.tensor([3.0, 3.5])).sum().backward()
"""


@pytest.mark.parametrize("text", MOVED.strip().splitlines())
def test_slopes_of_draws_may_be_asked_for_as_in_pytorch(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(text, {"m": m, "x": m.tensor([0.5, 2.0], requires_grad=True)})

    assert said(autograd_lab, story) == said(torch, story)
