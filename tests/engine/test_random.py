"""Random numbers: of the same seed PyTorch's, to the last digit, with as many used up; and distributed as asked."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab

torch = pytest.importorskip("torch")

DRAWS = """
m.rand(3, 5)
m.rand(40, dtype=m.float64)
m.rand(300, dtype=m.float16)
m.randn(3, 5)
m.randn(20)
m.randn(1000, 70)
m.randn(40, dtype=m.float64)
m.randn(7, dtype=m.bfloat16)
m.randn(31, dtype=m.float16)
m.rand_like(m.zeros(4))
m.randn_like(m.zeros(4, 9))
m.randint(0, 10, (50,))
m.randint(-(2**40), 2**40, (9,))
m.randint_like(m.zeros(4), 3, 9)
m.randint_like(m.zeros(3, 4).t(), 9)
m.randint_like(m.zeros(3, 4).t(), 9, memory_format=m.contiguous_format)
m.randperm(50)
m.normal(m.arange(5.0), 2.0)
m.normal(0.5, m.arange(20.0))
m._standard_gamma(m.arange(1.0, 9.0) / 3)
m.normal(m.arange(5.0), m.arange(5.0))
m.normal(1.0, 2.0, (30,))
m.bernoulli(m.full((9,), 0.3))
m.bernoulli(m.full((9,), 0.3, dtype=m.float64))
m.bernoulli(m.zeros(9), 0.4)
m.zeros(20).bernoulli_(0.3)
m.zeros(400).uniform_(1.0, 1.0001)
m.zeros(400, dtype=m.float64).uniform_(-1.0000000000000004, -1.0)
m.zeros(20).bernoulli_(m.full((20,), 0.3))
m.zeros(9).exponential_(2.0)
m.zeros(9, dtype=m.float64).exponential_(2.0)
m.zeros(9).geometric_(0.3)
m.zeros(9, dtype=m.float64).cauchy_(0.3, 2)
m.zeros(9, dtype=m.float64).log_normal_(0.3, 2)
m.zeros(9).random_()
m.zeros(9, dtype=m.int64).random_()
m.zeros(9, dtype=m.float64).random_()
m.zeros(9, dtype=m.uint8).random_()
m.zeros(9, dtype=m.bool).random_()
m.zeros(9, dtype=m.int32).random_(3, 90)
m.zeros(9).uniform_(-3, 4)
m.zeros(9, dtype=m.bfloat16).uniform_(-3, 4)
m.zeros(5, 9).normal_(2, 3)
m.multinomial(m.tensor([0.1, 0.2, 0.7]), 1)
m.multinomial(m.tensor([[0.1, 0.2, 0.7, 0.5], [0.3, 0.3, 0.1, 0.0]]), 2)
m.multinomial(m.tensor([[0.1, 0.2, 0.7, 0.5], [0.3, 0.3, 0.1, 0.0]]), 40, True)
m.poisson(m.tensor([0.0, 0.5, 3.0, 30.0, 1e4]))
m.binomial(m.full((6,), 20.0), m.tensor([0.0, 0.1, 0.3, 0.7, 0.99, 1.0]))
m.binomial(m.full((9,), 200.0), m.full((9,), 0.3))
m.nn.functional.dropout(m.ones(30), 0.3)
m.nn.functional.dropout1d(m.ones(3, 4, 5), 0.3)
m.nn.functional.dropout2d(m.ones(3, 4, 5, 2), 0.3)
m.nn.functional.alpha_dropout(m.ones(30), 0.3, True)
m.nn.functional.feature_alpha_dropout(m.ones(3, 4, 5), 0.3, True)
m.native_dropout(m.ones(9), 0.3, True)
m.nn.functional.rrelu(m.arange(-9.0, 9.0), training=True)
m.nn.functional.fractional_max_pool2d(m.arange(200.0).view(1, 2, 10, 10), 2, output_ratio=(0.6, 0.7))
m.nn.functional.scaled_dot_product_attention(*[m.ones(1, 2, 3, 4)] * 3, dropout_p=0.3)
m.nn.init.trunc_normal_(m.empty(300))
m.nn.init.trunc_normal_(m.empty(300), 0, 1, -0.5, 0.5)
m.nn.init.trunc_normal_(m.empty(30), 0, 1, -0.1, 0.1)
m.nn.init.trunc_normal_(m.empty(30), 0, 1, 2.0, 3.0)
m.nn.init.sparse_(m.empty(6, 4), 0.3)
m.nn.init.xavier_normal_(m.empty(6, 4, 3))
list(m.utils.data.RandomSampler(range(11)))
list(m.utils.data.RandomSampler(range(11), True, 70))
list(m.utils.data.RandomSampler(range(11), num_samples=30))
list(m.utils.data.RandomSampler(range(11), generator=m.Generator().manual_seed(4)))
list(m.utils.data.SubsetRandomSampler([4, 5, 6, 7]))
list(m.utils.data.WeightedRandomSampler([0.1, 0.4, 0.5], 9))
list(m.utils.data.WeightedRandomSampler([0.1, 0.4, 0.5], 2, False))
[list(part) for part in m.utils.data.random_split(range(10), [3, 7])]
list(m.utils.data.DataLoader(m.arange(11), 3, shuffle=True))
list(m.utils.data.DataLoader(m.arange(11), 3, shuffle=True, generator=m.Generator().manual_seed(2)))
m.distributions.Normal(m.zeros(4), 2.0).rsample((9,))
m.distributions.Bernoulli(m.full((4,), 0.3)).sample((3,))
m.distributions.Categorical(m.tensor([0.2, 0.3, 0.5])).sample((6,))
m.distributions.Exponential(m.full((4,), 0.3)).sample((3,))
m.distributions.Gamma(m.full((4,), 0.3), m.ones(4)).sample((3,))
m.distributions.Beta(m.full((4,), 0.3), m.ones(4)).sample((3,))
m.distributions.Dirichlet(m.full((4,), 0.3)).sample((3,))
m.distributions.Cauchy(m.zeros(4), 2.0).sample((3,))
m.distributions.Poisson(m.full((4,), 3.0)).sample((3,))
m.distributions.Binomial(5, m.full((4,), 0.3)).sample((3,))
m.distributions.Multinomial(5, m.full((4,), 0.25)).sample((3,))
m.distributions.NegativeBinomial(m.full((3,), 5.0), m.full((3,), 0.3)).sample((3,))
m.distributions.LKJCholesky(3).sample()
m.zeros(4, 3).T.normal_()
m.zeros(9, 8).T.normal_()
m.zeros(6, 8)[:, ::2].normal_()
m.zeros(3, 4, 2).permute(2, 0, 1).uniform_()
m.zeros(4, 5).T.bernoulli_(m.full((5, 4), 0.3))
m.rand_like(m.ones(4, 3).T)
m.randn_like(m.ones(4, 5).T)
m.bernoulli(m.full((3, 4), 0.5).T)
m.nn.functional.dropout(m.ones(4, 6).T, 0.5)
m.nn.init.normal_(m.empty(5, 4).T)
m.func.vmap(lambda x: x + m.rand(3), randomness="different")(m.zeros(4, 3))
m.func.vmap(lambda x: x + m.rand(3), randomness="same")(m.zeros(4, 3))
m.nn.functional.gumbel_softmax(m.arange(12.0).view(4, 3), hard=True)
m.Generator().manual_seed(5).get_state()
(m.randn(3), m.get_rng_state())
""".strip().splitlines()

LAYERS = """
Linear(3, 4)
Bilinear(2, 3, 4)
Conv1d(2, 3, 3)
Conv2d(2, 4, 3, groups=2)
ConvTranspose2d(2, 3, 3)
Embedding(5, 3, padding_idx=1)
EmbeddingBag(5, 3)
RNN(3, 4, 2)
LSTM(3, 4, 2, bidirectional=True)
GRU(3, 4)
LSTMCell(3, 4)
MultiheadAttention(8, 2)
MultiheadAttention(8, 2, kdim=3, vdim=4, add_bias_kv=True)
Transformer(8, 2, 1, 1, 16)
PReLU(3)
AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6])
Sequential(m.nn.Linear(2, 3), m.nn.Linear(3, 4))
utils.parametrizations.weight_norm(m.nn.Linear(2, 3))
utils.parametrizations.spectral_norm(m.nn.Linear(2, 3))
Linear(300, 4, dtype=m.bfloat16)
""".strip().splitlines()


def plain(drawn: Any) -> Any:
    """What was drawn, as lists of numbers, with their dtypes."""
    if isinstance(drawn, list | tuple):
        return [plain(each) for each in drawn]
    return (str(drawn.dtype).split(".")[-1], drawn.tolist()) if hasattr(drawn, "tolist") else drawn


@pytest.mark.parametrize("program", DRAWS)
def test_it_draws_what_pytorch_draws_and_leaves_the_same_to_come(program: str) -> None:
    seen = []
    for m in (autograd_lab, torch):
        m.manual_seed(42)
        seen.append((plain(eval(program, {"m": m})), m.rand(2).tolist()))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_begins_with_pytorchs_weights(layer: str) -> None:
    seen = []
    for m in (autograd_lab, torch):
        m.manual_seed(11)
        state = eval(f"m.nn.{layer}", {"m": m}).state_dict()
        seen.append(({name: plain(value) for name, value in state.items()}, m.rand(2).tolist()))
    assert seen[0] == seen[1]


KINDS = st.sampled_from(["float32", "float64", "float16", "bfloat16"])
SIZES = st.one_of(st.integers(0, 40), st.integers(600, 700))
SIDES = [st.floats(low, 4, allow_subnormal=False) for low in (-4, 0)]
ENDS = st.tuples(*SIDES).map(lambda ends: (ends[0], ends[0] + ends[1]))
STEPS = st.one_of(
    st.tuples(st.just("uniform_"), KINDS, SIZES, ENDS),
    st.tuples(st.just("normal_"), KINDS, SIZES, st.tuples(*SIDES)),
    st.tuples(st.just("random_"), st.just("int64"), SIZES, st.tuples(st.integers(-5, 0), st.integers(1, 2**60))),
    st.tuples(st.just("exponential_"), KINDS, SIZES, st.tuples(st.floats(0.1, 4))),
)


@settings(max_examples=40)
@given(st.integers(-(2**63), 2**64 - 1), st.lists(STEPS, min_size=1, max_size=5))
def test_any_draws_after_one_another_are_pytorchs(seed: int, steps: list[Any]) -> None:
    for m in (autograd_lab, torch):
        m.manual_seed(seed)
    assert autograd_lab.initial_seed() == torch.initial_seed()
    for name, kind, size, arguments in steps:
        ours, theirs = (getattr(m.zeros(size, dtype=getattr(m, kind)), name)(*arguments) for m in (autograd_lab, torch))
        assert ours.tolist() == theirs.tolist()
    assert autograd_lab.get_rng_state().tolist() == torch.get_rng_state().tolist()


REFUSED = """
m.ones(2, 2, 2).multinomial(1)
m.tensor(1.0).multinomial(1)
m.ones(2, 2, 2).long().multinomial(0)
m.tensor([nan, 1.0]).multinomial(1)
m.normal(m.ones(1), m.tensor([nan]))
m.normal(m.zeros(3, dtype=m.int), 0.5)
m.tensor([nan, 1.0]).multinomial(2, replacement=True)
m.tensor([inf, 1.0]).multinomial(2, replacement=True)
m.tensor([-1.0, nan]).multinomial(2, replacement=True)
m.nn.functional.gumbel_softmax(m.zeros(0, 2), hard=True, dim=0)
m.nn.functional.gumbel_softmax(m.tensor([[1.0, 1.0, 0.0]]), hard=True)
m.tensor(1.0, requires_grad=True).bernoulli(0.5).t().mul_(3)
m.randint(5, (3,), dtype=m.bool)
m.randint(-3, 2, (3,), dtype=m.uint8)
m.randint(70000, (3,), dtype=m.float16)
m.randint(300, (3,), dtype=m.bfloat16)
m.randint_like(m.ones(2).half(), 2**33)
m.randint(-300, 299, (20,), dtype=m.bfloat16)
m.randint(-(2**24) - 9, 2**24 + 10, (20,), dtype=m.float32)
m.randint(299, 300, (2,), dtype=m.bfloat16)
m.zeros(20, dtype=m.half).random_(-5001, 4999)
m.zeros(3, dtype=m.int8).random_(300)
m.zeros(3, dtype=m.bfloat16).random_()
m.zeros(3, dtype=m.long).exponential_()
m.zeros(0, dtype=m.long).exponential_()
m.zeros(0, dtype=m.long).cauchy_()
m.zeros(3, dtype=m.long).cauchy_()
m.zeros(0, dtype=m.bool).normal_()
m.zeros(0, dtype=m.bool).log_normal_()
m.zeros(3, dtype=m.bool).geometric_(0.5)
m.randn(0, dtype=m.bool)
m.nn.functional.dropout(m.ones(2, dtype=m.int), 0.5, inplace=True)
m.poisson(m.tensor([nan]))
m.poisson(m.tensor([inf]))
m.poisson(m.tensor([1]))
m.bernoulli(m.ones(2, dtype=m.long), 0.5)
m.bernoulli(m.ones(2), 2.0)
m.ones(2, requires_grad=True).bernoulli(0.5).sum().backward()
m.nn.functional.rrelu(m.ones(2).half(), training=True)
m.nn.functional.rrelu(m.ones(2).bfloat16(), training=True)
m.nn.init.normal_(m.ones(2).long())
m.nn.init.uniform_(m.ones(0).long())
m.nn.init.trunc_normal_(m.ones(2).bool())
m.nn.init.orthogonal_(m.ones(2, 2).half())
m.nn.init.orthogonal_(m.ones(2, 2))._version
m.nn.init.trunc_normal_(m.ones(3))._version
m.nn.init.trunc_normal_(m.ones(100))._version
m.nn.init.trunc_normal_(m.ones(1), a=2, b=3)._version
m.nn.init.trunc_normal_(m.ones(9), a=2, b=3)._version
m.normal(1, 1.0, (3,))._version
m.ones(3, requires_grad=True).bernoulli(0.5).grad_fn.name()
""".strip().splitlines()


@pytest.mark.parametrize("program", REFUSED)
def test_what_is_refused_warned_of_and_counted_is_what_pytorch_says(program: str) -> None:
    told = []
    for m in (autograd_lab, torch):
        m.manual_seed(7)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                said: Any = eval(program, {"m": m, "nan": float("nan"), "inf": float("inf")})
                said = said.tolist() if isinstance(said, m.Tensor) else said
            except (RuntimeError, NotImplementedError, IndexError) as error:
                said = type(error).__name__, str(error).partition("\n")[0]
        told.append((said, [str(each.message).partition(" (Triggered")[0] for each in caught]))
    assert told[0] == told[1]


def test_what_vmap_refuses_has_drawn_nothing() -> None:
    left = []
    for m in (autograd_lab, torch):
        m.manual_seed(0)
        with pytest.raises(RuntimeError, match="randomness error mode"):
            m.func.vmap(lambda x, m=m: x + m.rand(2))(m.zeros(3))
        left.append(m.rand(2).tolist())
    assert left[0] == left[1]


def test_a_state_goes_from_pytorch_to_here_and_back() -> None:
    torch.manual_seed(3)
    torch.randn(5)
    autograd_lab.set_rng_state(autograd_lab.from_numpy(torch.get_rng_state().numpy()))
    assert autograd_lab.randn(3).tolist() == torch.randn(3).tolist()
    torch.set_rng_state(torch.from_numpy(autograd_lab.get_rng_state().numpy()))
    assert autograd_lab.rand(700).tolist() == torch.rand(700).tolist()


@pytest.mark.parametrize("state", [np.zeros(3, np.uint8), np.zeros(5056, np.uint8)], ids=["too short", "zeros"])
def test_what_is_no_state_is_refused_as_in_pytorch(state: Any) -> None:
    told = []
    for m in (autograd_lab, torch):
        with pytest.raises(RuntimeError) as caught:
            m.set_rng_state(m.from_numpy(state))
        told.append(str(caught.value))
    assert told[0] == told[1]


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

    assert outcome(autograd_lab) == outcome(torch)
