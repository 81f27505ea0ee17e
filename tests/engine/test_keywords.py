"""Arguments have the names that PyTorch's own signatures give them."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

import autograd_lab

torch = pytest.importorskip("torch")

OF_NO_USE = {"out", "pickle_module", "pickle_protocol", "mmap", "_use_new_zipfile_serialization", "kwargs", "operands"}
OF_NO_USE |= {
    "_disable_byteorder_record",
    "shapes_spec",
    "recompile_limit",
    "isolate_recompiles",
    "name",
    "non_blocking",
}
"""Arguments that say nothing here, and what Python collects; `out` has tests of its own."""
WRONGLY_DOCUMENTED = {
    "bmm": "batch2", "div": "value", "divide": "value", "dot": "other", "floor_divide": "value", "fmod": "divisor",
    "index_copy": "tensor2", "masked_scatter": "tensor", "matmul": "tensor2", "mul": "value", "multiply": "value",
    "narrow": "dimension", "narrow_copy": "dimension", "remainder": "divisor", "take": "indices",
    "true_divide": "value", "where": "y",
    "arctanh": "other", "atanh": "other", "hsplit": "split_size_or_sections", "vsplit": "split_size_or_sections",
    "dsplit": "split_size_or_sections", "resize": "sizes", "type_as": "tensor", "norm": "input", "random": "from",
    "resize_as": "tensor", "cumsum": "dtype", "cumprod": "dtype", "triangular_solve": "b",
}  # fmt: skip
"""What the documentation of a method says, and PyTorch itself refuses, or calls otherwise."""
NOT_YET = {
    "true_divide": {"dividend", "divisor"}, "isin": {"assume_unique"}, "resize_": {"memory_format"},
    "index_copy_": {"tensor"}, "swapaxes_": {"axis0", "axis1"}, "det": {"input"}, "inverse": {"input"},
    "matrix_power": {"input"}, "is_inference": {"input"}, "searchsorted": {"values"}, "split": {"tensor"},
    "einsum": {"equation"}, "concatenate": {"axis"}, "unsafe_split": {"tensor", "split_size_or_sections"},
    "ormqr": {"tau", "other"}, "orgqr": {"tau"},
}  # fmt: skip
"""Keywords that are left, or that PyTorch itself refuses; `axis` of `concatenate` is understood where `out` is."""


def documented(thing: Any, name: str) -> set[str]:
    """The names of arguments in a signature: Python's, or those at the beginning of the documentation."""
    try:
        return {one.name for one in inspect.signature(thing).parameters.values() if one.kind not in (2, 4)}
    except (ValueError, TypeError):
        lines = (getattr(thing, "__doc__", None) or "").splitlines()
    found: set[str] = set()
    for line in lines:
        if told := re.match(rf"^\s*(?:\w+\.)*{re.escape(name)}\((.*?)\)\s*->", line):
            parts = re.split(r",\s*(?![^\[(]*[\])])", told.group(1))
            found |= {re.split("[=:]", part)[0].strip().lstrip("*") for part in parts}
    return {one for one in found if re.fullmatch(r"[a-z_]\w*", one)}


def taken(thing: Any) -> set[str] | None:
    """The names of arguments that a function of ours takes; None if it takes any."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except ValueError:  # one of Python's own
        return None
    return None if any(one.kind is one.VAR_KEYWORD for one in parameters) else {one.name for one in parameters}


@pytest.mark.parametrize("path", ["", "Tensor", "nn.functional", "linalg"])
def test_arguments_have_pytorchs_names(path: str) -> None:
    ours, theirs = autograd_lab, torch
    for part in path.split(".") if path else ():
        ours, theirs = getattr(ours, part), getattr(theirs, part)
    missing = {}
    for name in dir(theirs):
        there, here = getattr(theirs, name), getattr(ours, name, None)
        if name.startswith("_") or not callable(here) or not callable(there) or isinstance(there, type):
            continue
        known = taken(here)
        lacking = set() if known is None else documented(there, name) - known - OF_NO_USE - {"self"}
        lacking -= {WRONGLY_DOCUMENTED.get(name.rstrip("_"), "")} | NOT_YET.get(name, set())
        if lacking:
            missing[name] = sorted(lacking)
    assert missing == {}


def test_everyday_keywords_do_what_they_say() -> None:
    told = []
    for m in (autograd_lab, torch):
        x = m.arange(end=6.0).view(size=(2, 3))
        m.manual_seed(0)
        told.append([
            str(one) for one in (
                m.zeros(size=(2,)), m.eye(2, device="cpu"), m.full_like(x, 3, device="cpu"), m.flip(x, dims=(0,)),
                x.permute(dims=(1, 0)), x.repeat(repeats=(1, 2)), x[:1].expand(size=(2, 3)), x.tile(dims=(2,)),
                x.split(split_size=1), m.softmax(x, axis=0), m.unsqueeze(x, axis=0), m.max(input=x, other=x + 1),
                m.randint(5, size=(3,)).shape, m.randperm(3, device="cpu").shape, m.bucketize(x, x[0], out_int32=True),
                m.unique_consecutive(m.tensor([[1, 1], [1, 1]]), dim=0), m.logspace(0, 1, 3, device="cpu"),
                m.linspace(start=0, end=1, steps=3), x.sum(axis=1, keepdims=True), m.inf, m.pi, m.e, m.newaxis,
                x.view(m.int32), m.linalg.matrix_rank(x @ x.T, hermitian=True), m.device("cuda:0"), x.numpy(force=True),
            )
        ])  # fmt: skip
    assert told[0] == told[1]


BY_NUMPYS_NAMES = """
x.all(axis=1) x.any(axis=1,keepdims=True) x.aminmax(axis=1) x.argsort(axis=0) x.sort(axis=1,descending=True)
x.topk(1,axis=0) x.kthvalue(1,axis=1,keepdims=True) x.median(axis=1,keepdims=True) x.nanmedian(axis=0) x.mode(axis=1)
x.softmax(axis=0) x.log_softmax(axis=1) x.unsqueeze(axis=1) x.unsqueeze_(axis=0) x[None].squeeze(axis=0)
x.select(axis=1,index=0) x.narrow(axis=1,start=0,length=1) x.index_select(axis=1,index=i) x.unbind(axis=1)
x.gather(axis=1,index=i[None]) x.chunk(2,axis=1) x.tensor_split(2,axis=1) x.count_nonzero(axis=1) x.cumsum_(axis=1)
x.index_fill(axis=1,index=i,value=2) x.scatter(axis=1,index=i[None],value=2.0) x.split(1,axis=1) m.split(x,1,axis=1)
m.count_nonzero(x,axis=1) m.median(x,axis=1,keepdims=True)
"""


@pytest.mark.parametrize("text", BY_NUMPYS_NAMES.split())
def test_methods_take_numpys_names_where_pytorchs_do(text: str) -> None:
    def told(m: Any) -> str:
        try:
            return repr(eval(text, {"m": m, "x": m.tensor([[3.0, 1.0], [0.0, 2.0]]), "i": m.tensor([0])}))
        except TypeError:
            return "refused"

    assert told(autograd_lab) == told(torch)


REDUCTIONS = """
sum mean prod std var median nanmedian nansum nanmean max min amax amin argmax argmin all any logsumexp mode cumsum
cumprod cummax softmax sort argsort std_mean var_mean
"""
ODD_CALLS = """
(None) (dim=None) (keepdim=True) (keepdims=False) (dim=0,axis=0) (axis=-3) (5) (True) (dim=True) ([]) ([0,True]) ([1.0])
((0,1.0)) ([0,0]) (1.0) (i) (f) (np.int64(1)) (0,keepdim=1) (0,True) (0,1) (None,True) (dim=0,keepdim=n) (dim=0,bogus=1)
(0,keepdim=True,keepdims=True) (0,dim=0) (0,axis=0) (0,0,True,True,True) ((),1.0) ((0,1),keepdims=True)
"""


@pytest.mark.parametrize("name", REDUCTIONS.split())
def test_reductions_take_and_refuse_the_dimensions_that_pytorchs_do(name: str) -> None:
    def told(m: Any, text: str) -> str:
        x = m.tensor([[3.0, 1.0, 2.0], [0.5, 4.0, 1.5]])
        given = {"x": x, "m": m, "np": np, "n": np.bool_(True), "i": m.tensor(1), "f": m.tensor(1.0)}
        try:
            return repr(eval(text, given))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    methods = [f"x.{name}{call}" for call in ODD_CALLS.split()] if hasattr(torch.Tensor, name) else []
    functions = [f"m.{name}(x,{call[1:]}" for call in ODD_CALLS.split()]
    differ = {text: (told(autograd_lab, text), told(torch, text)) for text in methods + functions}
    assert {text: pair for text, pair in differ.items() if pair[0] != pair[1]} == {}
