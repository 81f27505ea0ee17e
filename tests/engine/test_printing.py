"""Tensors are printed as PyTorch prints them, to the character: every rule here has real PyTorch as its judge."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograd_lab.engine.numbers import printing
from autograd_lab.engine.numbers.printing import format_tensor, get_printoptions, set_printoptions

torch = pytest.importorskip("torch")

FLOATS = ("float16", "float32", "float64")
DTYPES = (*FLOATS, "int8", "int16", "int32", "int64", "uint8", "bool")
# Both sides of each border where PyTorch changes its style, beside numbers of every kind.
BORDERS = [0.0, -0.0, 1.0, -2.25, 1 / 3, 9.99995, 0.99996, 1e-4, 1.0001e-4, 9.9999e-5, 1e-8, 1e3, 1000.5, 1e4, 65504.0]
EXTREMES = [99999999.0, 1e8, 100000008.0, 1.5e8, 1e10, 1e-38, 1e-45, 3e38, 1e308, 5e-324]
SPECIALS = [math.nan, math.inf, -math.inf]


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    set_both(profile="default")


def set_both(**options: Any) -> None:
    set_printoptions(**options)
    torch.set_printoptions(**options)


def ours(array: np.ndarray, *, requires_grad: bool = False, grad_fn_name: str | None = None) -> str:
    name = array.dtype.name
    default = name == str(torch.get_default_dtype()).removeprefix("torch.")
    return format_tensor(
        array, dtype_name=name, default_dtype=default, requires_grad=requires_grad, grad_fn_name=grad_fn_name
    )


def theirs(array: np.ndarray, *, requires_grad: bool = False, grad_fn_name: str | None = None) -> str:
    tensor = torch.tensor(array).requires_grad_(requires_grad)
    if grad_fn_name is not None:
        tensor = {"MulBackward0": lambda: tensor * 1, "CloneBackward0": tensor.clone}[grad_fn_name]()
    return repr(tensor)


def assert_same(array: np.ndarray, **suffixes: Any) -> None:
    assert ours(array, **suffixes) == theirs(array, **suffixes)


def values(dtype: str) -> st.SearchStrategy[Any]:
    if dtype not in FLOATS:
        return hnp.from_dtype(np.dtype(dtype)) | hnp.from_dtype(np.dtype(dtype), min_value=0, max_value=9)
    width = np.dtype(dtype).itemsize * 8
    greatest = float(np.finfo(dtype).max)
    named = [number for number in BORDERS + EXTREMES + SPECIALS if not math.isfinite(number) or number <= greatest]
    return st.one_of(
        st.sampled_from(named),
        st.floats(width=width),
        st.floats(-1000, 1000, width=width),
        st.integers(-50, 50).map(float),
    )


SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
ROWS = st.tuples(st.integers(0, 60)) | st.tuples(st.integers(1, 3), st.integers(0, 40))


@st.composite
def arrays(draw: st.DrawFn, dtypes: tuple[str, ...] = DTYPES) -> np.ndarray:
    dtype = draw(st.sampled_from(dtypes))
    return draw(hnp.arrays(dtype, draw(SHAPES | ROWS), elements=draw(elements(dtype)), fill=st.nothing()))


def elements(dtype: str) -> st.SearchStrategy[st.SearchStrategy[Any]]:
    """Arrays of anything, and arrays of a few alike values, where the quiet styles are met."""
    anything = values(dtype)
    few = st.lists(anything, min_size=1, max_size=3).map(st.sampled_from)
    return few | (st.just(st.integers(-99, 99).map(lambda n: n / 8)) if dtype in FLOATS else st.just(anything))


@given(arrays())
def test_every_array_is_printed_as_pytorch_prints_it(array: np.ndarray) -> None:
    assert_same(array)


@given(arrays(FLOATS), st.sampled_from([None, "MulBackward0", "CloneBackward0"]))
def test_history_follows_the_elements_and_takes_a_new_line_where_it_does_not_fit(
    array: np.ndarray, grad_fn_name: str | None
) -> None:
    assert_same(array, requires_grad=True, grad_fn_name=grad_fn_name)


@pytest.mark.parametrize("count", range(1, 80))
def test_suffix_fits_up_to_the_very_last_column(count: int) -> None:
    for dtype in FLOATS:
        assert_same(np.ones(count, dtype), requires_grad=True)
        assert_same(np.full((2, count), 0.5, dtype), requires_grad=True, grad_fn_name="MulBackward0")


@given(
    st.sampled_from([(1001,), (1000,), (7, 143), (6, 167), (2, 501), (501, 2), (11, 10, 10), (1, 1001), (2, 3, 4, 50)]),
    st.sampled_from(DTYPES),
    st.data(),
)
def test_more_than_a_thousand_elements_are_summarised(shape: tuple[int, ...], dtype: str, data: st.DataObject) -> None:
    pool = data.draw(st.lists(values(dtype), min_size=1, max_size=8))
    assert_same(np.resize(np.array(pool, dtype), shape))


@given(
    arrays(),
    st.fixed_dictionaries(
        {},
        optional={
            "precision": st.integers(0, 12),
            "threshold": st.integers(-1, 60) | st.just(math.inf),
            "edgeitems": st.integers(0, 4),
            "linewidth": st.integers(0, 200),
            "profile": st.sampled_from(["default", "short", "full"]),
            "sci_mode": st.sampled_from([None, True, False]),
        },
    ),
    st.booleans(),
)
def test_print_options_mean_what_they_mean_in_pytorch(array: np.ndarray, options: dict[str, Any], grad: bool) -> None:
    set_both(profile="default")
    set_both(**options)
    assert_same(array, requires_grad=grad and array.dtype.kind == "f")


@given(arrays())
def test_dtype_is_named_when_it_is_not_the_default(array: np.ndarray) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        assert_same(array)
    finally:
        torch.set_default_dtype(torch.float32)


@given(arrays())
def test_memory_order_does_not_show(array: np.ndarray) -> None:
    assert ours(array.T) == ours(array.T.copy())
    assert ours(np.flip(array)) == ours(np.flip(array).copy())


NAMED = {
    "a scalar": (20.0, "tensor(20.)"),
    "a fraction": (2.5, "tensor(2.5000)"),
    "an integer": (3, "tensor(3)"),
    "a truth": (True, "tensor(True)"),
    "whole numbers have a bare point": ([1.0, 2.0, 3.0], "tensor([1., 2., 3.])"),
    "columns are aligned": ([1.5, -2.25], "tensor([ 1.5000, -2.2500])"),
    "booleans are aligned": ([True, False], "tensor([ True, False])"),
    "rows start under each other": ([[1.0, 2.0], [3.0, 4.0]], "tensor([[1., 2.],\n        [3., 4.]])"),
    "negative zero keeps its sign": ([[-0.0, -1.0]], "tensor([[-0., -1.]])"),
    "a ten-thousandth is scientific as float32": ([0.0001, 1.0], "tensor([1.0000e-04, 1.0000e+00])"),
    "a wide range is scientific": ([123456.789, 0.5], "tensor([1.2346e+05, 5.0000e-01])"),
    "a huge number is scientific": ([1e10], "tensor([1.0000e+10])"),
    "a million alone is not": ([12345678.0], "tensor([12345678.])"),
    "specials do not widen whole numbers": ([math.nan, math.inf, -math.inf, 1.0], "tensor([nan, inf, -inf, 1.])"),
    "specials are padded": ([math.inf, 1.5], "tensor([   inf, 1.5000])"),
    "empty": ([], "tensor([])"),
}


@pytest.mark.parametrize(("content", "text"), NAMED.values(), ids=NAMED)
def test_named_example(content: Any, text: str) -> None:
    array = np.array(content)
    array = array.astype(np.float32) if array.dtype.kind == "f" else array
    assert ours(array) == theirs(array) == text


@pytest.mark.parametrize("pair", [(0.5, 500.0), (1.0, 1000.0), (1e8, 1e8), (1e-4, 1e-4), (1e-4, 0.05)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_style_changes_just_beyond_each_border(pair: tuple[float, float], dtype: str) -> None:
    least, greatest = np.array(pair, dtype)
    for low in (np.nextafter(least, 0, dtype=dtype), least):
        for high in (greatest, np.nextafter(greatest, np.inf, dtype=dtype)):
            assert_same(np.array([low, high]))
            assert_same(np.array([low]))
            assert_same(np.array([-high]))


@pytest.mark.parametrize("shape", [(1000,), (1001,), (10, 100), (6, 167), (7, 143), (6, 6, 6, 6)])
def test_summary_begins_above_the_threshold_and_cuts_only_long_dimensions(shape: tuple[int, ...]) -> None:
    assert_same(np.arange(math.prod(shape), dtype=np.float32).reshape(shape))


def test_blocks_of_three_dimensions_are_parted_by_an_empty_line() -> None:
    text = "tensor([[[1., 1.],\n         [1., 1.]],\n\n        [[1., 1.],\n         [1., 1.]]])"
    assert ours(np.ones((2, 2, 2), np.float32)) == text


def test_shape_of_an_empty_tensor_is_told() -> None:
    assert ours(np.zeros((0, 3), np.float32)) == "tensor([], size=(0, 3))"
    assert ours(np.zeros((2, 0), np.float32), requires_grad=True) == "tensor([], size=(2, 0), requires_grad=True)"
    assert ours(np.zeros(0, np.int64)) == "tensor([], dtype=torch.int64)"


def test_grad_fn_stands_in_place_of_requires_grad() -> None:
    assert ours(np.float32([2, 4]), requires_grad=True, grad_fn_name="MulBackward0") == (
        "tensor([2., 4.], grad_fn=<MulBackward0>)"
    )


def test_dtype_comes_before_the_history() -> None:
    assert ours(np.ones(2), requires_grad=True) == "tensor([1., 1.], dtype=torch.float64, requires_grad=True)"


def test_a_call_without_sci_mode_gives_the_choice_back_to_the_elements() -> None:
    set_both(sci_mode=True)
    set_both(precision=3)
    assert_same(np.float32([1.5]))
    assert ours(np.float32([1.5])) == "tensor([1.500])"


def test_print_options_can_be_read_and_given_back() -> None:
    set_printoptions(precision=7, linewidth=40, sci_mode=False)
    options = get_printoptions()
    set_printoptions(profile="default")
    assert get_printoptions() == {
        "precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None
    }  # fmt: skip
    set_printoptions(**options)
    assert get_printoptions() == options


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"profile": "long"}, ValueError, "no profile 'long'; choose one of 'default', 'short', 'full'"),
        ({"precision": -1}, ValueError, "precision must be 0 or more, not -1"),
        ({"precision": 2.5}, TypeError, "precision must be an int, not float"),
        ({"edgeitems": "3"}, TypeError, "edgeitems must be an int, not str"),
        ({"threshold": "big"}, TypeError, "threshold must be a number, not str"),
    ],
)
def test_a_wrong_option_is_refused_by_name_and_changes_nothing(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        set_printoptions(**{"linewidth": 20, **options})
    assert get_printoptions() == get_printoptions() | {"linewidth": 80, "precision": 4}


def test_an_array_that_no_tensor_could_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot print an array of complex128"):
        format_tensor(np.array([1j]), dtype_name="complex128", default_dtype=False)


def test_pytorch_has_the_same_profiles() -> None:
    for profile in printing.PROFILES:
        set_both(profile=profile)
        assert get_printoptions() == torch._tensor_str.get_printoptions()
