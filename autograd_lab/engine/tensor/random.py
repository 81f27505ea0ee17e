"""Random numbers: drawn anew, or written over a tensor."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.draws import rejection
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.draws.twister import as_it_lies, in_dtype
from autograd_lab.engine.exact.elementless import Elementless
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, NumpyDtype, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.answers import answered
from autograd_lab.engine.ops.ground.integers import bounds_in, count_in
from autograd_lab.engine.ops.ground.kinds import Undifferentiable
from autograd_lab.engine.ops.ground.writing import change
from autograd_lab.engine.tensor import factories

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["bernoulli", "binomial", "multinomial", "normal", "poisson"]

IMPROVE = "  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"


class Drawn(Node):
    """Random numbers, which depend on nothing: nothing flows back."""

    tangent = "nothing"

    def forward(self, x: Array, numbers: Any) -> Array:
        return x if type(x) is Elementless else in_dtype(np.asarray(self.drawn(x, numbers)), x.dtype)

    def drawn(self, x: Array, numbers: Any) -> Array:
        """Numbers to be written over x."""
        return as_it_lies(x, numbers)

    def backward(self, g: Any) -> Any:
        return formulas.zeros_like(g)


class DrawnByRows(Drawn):
    """Random numbers in a new tensor, or with parameters of their own each."""

    def drawn(self, x: Array, numbers: Any) -> Array:
        """Numbers in the order of rows."""
        return np.asarray(numbers(x.shape))


class Binomial(Undifferentiable):
    """z is how many of so many trials succeed, each with a probability."""

    inputs = ("count", "prob")
    op = "binomial"

    def forward(self, count: Array, prob: Array, numbers: Any) -> Array:
        return rejection.each(rejection.binomial, numbers, count, prob).astype(count.dtype)


def binomial(count: Tensor, prob: Tensor, *, generator: Any = None) -> Tensor:
    """How many of `count` trials succeed, each with the probability `prob`."""
    if count._array.dtype.kind not in "fV":
        raise ValueError(f"binomial only supports floating-point dtypes for count, got: {count.dtype.title}")
    if count._array.dtype != prob._array.dtype:
        raise RuntimeError(f"Found dtype {prob.dtype.title} but expected {count.dtype.title}")
    return apply2(Binomial, count, prob, numbers_of(generator))


class UniformBackward0(Drawn):
    """z is equally likely everywhere between two numbers."""


class NormalBackward0(Drawn):
    """z is normally distributed."""


class RandomBackward0(Drawn):
    """z is one of some whole numbers, each as likely."""


class RandomBackward1(Drawn):
    """z is one of the whole numbers below another, each as likely."""


class RandomBackward2(Drawn):
    """z is one of all whole numbers that the dtype has, each as likely."""


class BernoulliBackward0(DrawnByRows):
    """z is 1 with a probability, else 0."""


class BernoulliOfOne(Undifferentiable):
    """z is 1 with a probability that is the same for all, else 0."""

    op = "bernoulli"

    def forward(self, x: Array, p: float, numbers: Any) -> Array:
        return np.asarray(np.less(numbers.random(x.shape), p)).astype(x.dtype)


class BernoulliBackward2(DrawnByRows):
    """z is 1 with a probability, else 0."""


class ExponentialBackward0(Drawn):
    """z is the time until something happens."""


class GeometricBackward0(Drawn):
    """z is how many trials it takes to a success."""


class CauchyBackward0(Drawn):
    """z is around a number, with tails so heavy that there is no mean."""


class LogNormalBackward0(Drawn):
    """z is e to what is normally distributed."""


class PoissonBackward0(DrawnByRows):
    """z is how often something happens in a time."""


class NormalBackward1(DrawnByRows):
    """z is normally distributed around x."""

    __slots__ = ("mean_sym_sizes",)

    def forward(self, x: Array, numbers: Any) -> Array:
        self.mean_sym_sizes = x.shape
        return super().forward(x, numbers)


class NormalBackward2(DrawnByRows):
    """z is normally distributed with x for its spread."""

    __slots__ = ("std_sym_sizes",)

    def forward(self, x: Array, numbers: Any) -> Array:
        self.std_sym_sizes = x.shape
        return super().forward(x, numbers)


class NormalBackward3(Node):
    """z is normally distributed around x with y for its spread."""

    inputs = ("mean", "std")
    tangent = "nothing"
    __slots__ = ("mean_sym_sizes", "std_sym_sizes")

    def forward(self, x: Array, y: Array) -> Array:
        self.mean_sym_sizes, self.std_sym_sizes = x.shape, y.shape
        shape = np.broadcast_shapes(x.shape, y.shape)
        return np.asarray(numbers_of().normal(0, 1, shape, x.dtype) * y + x).astype(x.dtype)

    def backward(self, g: Any) -> Any:
        return formulas.blank(self.mean_sym_sizes, g), formulas.blank(self.std_sym_sizes, g)


def uniform_(input: Tensor, from_: float = 0, to: float = 1, *, generator: Any = None, **named: float) -> Tensor:
    """The elements become random numbers, equally likely everywhere between two numbers."""
    low = named.get("from", from_)
    x = of_kind("fV", input._array, "check_uniform_bounds")
    if low > to:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={_g(low)} > to={_g(to)}")
    drawn = partial(numbers_of(generator).uniform, low, to, dtype=x.dtype)
    return change("uniform_", UniformBackward0, input, (), drawn)


def _g(number: float) -> str:
    """A number as C++ prints it."""
    return f"{number:g}"


def normal_(input: Tensor, mean: float = 0, std: float = 1, *, generator: Any = None) -> Tensor:
    """The elements become normally distributed random numbers."""
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {_g(std)}")
    x = input._array
    if x.size:
        of_kind("fV", x, "normal_kernel_cpu")
    drawn = partial(numbers_of(generator).normal, mean, std, dtype=x.dtype, in_rows=x.flags.c_contiguous)
    return change("normal_", NormalBackward0, input, (), drawn)


def random_(input: Tensor, from_: int | None = None, to: int | None = None, *, generator: Any = None) -> Tensor:
    """The elements become whole numbers, each as likely: from one to before another, or all that the dtype has."""
    cls: type[Drawn] = RandomBackward0
    low, high, is_long = from_, to, None
    if low is None:
        cls, low, high = RandomBackward2, 0, count_in(input._array.dtype)
        is_long = input._array.itemsize == 8
    elif high is None:
        cls, low, high = RandomBackward1, 0, low
    assert high is not None
    low, high = bounds_in(input._array.dtype, low, high)
    return change("random_", cls, input, (), lambda shape: numbers_of(generator).integers(low, high, shape, is_long))


def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """The elements become 1 with probability `p`, else 0."""
    if not isinstance(p, Variable) and not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={_g(p)}")
    chances = p._array if isinstance(p, Variable) else np.float64(p)
    draw = partial(numbers_of(generator).random, dtype=chances.dtype)
    return change(
        "bernoulli_", BernoulliBackward2, input, (), lambda _: np.less(as_it_lies(input._array, draw), chances)
    )


def exponential_(input: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """The elements become times until something happens that happens `lambd` times a unit."""
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={_g(lambd)}")
    if input._array.size:
        _continuous("Exponential", input, input.dtype.title)
    return change(
        "exponential_",
        ExponentialBackward0,
        input,
        (),
        partial(numbers_of(generator).exponential, lambd),
    )


def _continuous(name: str, input: Tensor, kind: str) -> None:
    """Raises RuntimeError for whole numbers, by what their kind is called."""
    if input._array.dtype.kind not in "fV":
        must = f"{name} distribution is a continuous probability distribution. dtype must be a floating point"
        raise RuntimeError(f"{must} but you specified {kind}")


def geometric_(input: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """The elements become how many trials it takes to a success, of this probability."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={_g(p)}")
    if input._array.size:
        of_kind("iufV", input._array, "geometric_cpu")
    return change("geometric_", GeometricBackward0, input, (), partial(numbers_of(generator).geometric, p))


def cauchy_(input: Tensor, median: float = 0, sigma: float = 1, *, generator: Any = None) -> Tensor:
    """The elements become random numbers around a median, with tails so heavy that there is no mean."""
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={_g(sigma)}")
    _continuous("Cauchy", input, BY_NUMPY[input._array.dtype].cpp)
    return change(
        "cauchy_",
        CauchyBackward0,
        input,
        (),
        partial(numbers_of(generator).cauchy, median, sigma),
    )


def log_normal_(input: Tensor, mean: float = 1, std: float = 2, *, generator: Any = None) -> Tensor:
    """The elements become e to what is normally distributed."""
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={_g(std)}")
    if input._array.size:
        of_kind("fV", input._array, "log_normal_cpu")
    return change("log_normal_", LogNormalBackward0, input, (), partial(numbers_of(generator).log_normal, mean, std))


def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """1 with the probability that each element is, else 0."""
    if p is not None:
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={_g(p)}")
        return apply1(BernoulliOfOne, input, p, numbers_of(generator))
    x = of_kind("fV", input._array, "bernoulli_tensor_cpu_p_")
    if (~((x >= 0) & (x <= 1))).any():
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false." + IMPROVE)
    draw = partial(numbers_of(generator).random, dtype=x.dtype)
    return apply1(BernoulliBackward0, input, lambda shape: np.less(draw(shape), x))


def poisson(input: Tensor, *, generator: Any = None) -> Tensor:
    """How often something happens that happens so many times on average."""
    rates, numbers = of_kind("fV", input._array, "poisson_cpu"), numbers_of(generator)
    return apply1(PoissonBackward0, input, lambda _: rejection.each(rejection.poisson, numbers, rates))


def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, **options: Any) -> Tensor:
    """Normally distributed random numbers: with means, spreads, or both from tensors; or of a shape."""
    if size is not None and (isinstance(mean, Variable) or isinstance(std, Variable)):
        kinds = ", ".join(type(one).__name__ for one in (mean, std, size))
        raise TypeError(f"normal() received an invalid combination of arguments - got ({kinds}), but expected one of:")
    if isinstance(std, Variable):
        if not (std._array >= 0).all():
            raise RuntimeError("normal expects all elements of std >= 0.0")
        if isinstance(mean, Variable):
            return apply2(NormalBackward3, mean, std)
        spread = std._array
        return apply1(NormalBackward2, std, lambda shape: _normal(shape, spread.dtype, generator) * spread + mean)
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {_g(std)}")
    if isinstance(mean, Variable):
        middle = mean._array
        if middle.size:
            of_kind("fV", middle, "normal_kernel_cpu")
        return apply1(NormalBackward1, mean, lambda shape: _normal(shape, middle.dtype, generator, std) + middle)
    requires_grad = options.pop("requires_grad", False)
    made = factories.empty(size, **options)
    normal_(made, mean, std)
    return factories.made(made._array, requires_grad)


def _normal(shape: tuple[int, ...], kind: NumpyDtype, generator: Any, std: float = 1.0) -> Array:
    return numbers_of(generator).normal(0.0, std, shape, kind)


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Positions drawn from a row (or each row), as likely as its elements say."""
    x = input._array
    if not 0 < x.ndim <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if x.dtype.kind in "bui":
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.title}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > x.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if (odd := ~(np.isfinite(x) & (x >= 0))).any():
        raise RuntimeError(_improbable(x[odd][0], at_once=num_samples == 1 or not replacement))
    if (np.atleast_2d(x).astype(np.float64).sum(-1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    found = chosen(np.atleast_2d(x), num_samples, replacement, numbers_of(generator))
    return answered("multinomial", found if x.ndim > 1 else found[0], input)


def _improbable(weight: Any, at_once: bool) -> str:
    """What is said of a weight with which nothing can be drawn; of two loops of PyTorch's each has words of its own."""
    if at_once:
        return "probability tensor contains either `inf`, `nan` or element < 0"
    what = "= infinity or NaN" if weight > 0 else "< 0"
    return f"invalid multinomial distribution (encountering probability entry {what})"


def chosen(rows: Array, count: int, replacement: bool, numbers: Any) -> Array:
    """Positions in rows of weights: the one that something happens at first, each as often as its weight says, or
    several; put back, by where a random number falls among the sums of weights."""
    if count == 1 or not replacement:
        times = numbers.exponential(1.0, rows.shape).astype(rows.dtype)
        with np.errstate(divide="ignore", invalid="ignore"):
            order = np.argsort(-(rows / times), axis=-1, kind="stable")
        return np.ascontiguousarray(order[:, :count])
    sums = np.cumsum(rows, axis=-1, dtype=rows.dtype)
    sums = (sums / sums[:, -1:]).astype(rows.dtype)
    sums[:, -1] = 1
    found = [np.searchsorted(each, numbers.random(count)) for each in sums]
    return np.stack(found) if found else np.zeros((0, count), np.int64)
