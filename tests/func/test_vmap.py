"""`vmap`: the values, gradients and errors that PyTorch's has."""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.worlds import filled, said

torch = pytest.importorskip("torch")

MAPPED = """
F.vmap(m.dot)(m.ones(2, 3), m.arange(6.0).reshape(2, 3))
F.vmap(lambda x: x * 2, in_dims=1)(m.arange(6.0).reshape(2, 3))
F.vmap(lambda x: x * 2, in_dims=1, out_dims=1)(m.arange(6.0).reshape(2, 3))
F.vmap(lambda x, y: x + y, in_dims=(0, None))(m.arange(3.0), m.tensor(2.0))
F.vmap(lambda x, y: (x + y, {"z": x * y}))(m.arange(3.0), m.arange(3.0))
F.vmap(lambda d: d["x"] * d["y"][0], in_dims=({"x": 0, "y": None},))({"x": m.arange(3.0), "y": [m.tensor(2.0)]})
F.vmap(F.vmap(m.mul))(m.arange(6.0).reshape(2, 3), m.ones(2, 3))
F.vmap(m.sum, chunk_size=2)(m.arange(6.0).reshape(3, 2))
F.vmap(lambda x, *, k: x * k)(m.arange(3.0), k=m.arange(3.0))
F.vmap(F.grad(lambda x: (x * x).sum()))(m.arange(6.0).reshape(2, 3))
F.vmap(F.jacrev(lambda x: x.sin() * x[0]))(m.arange(6.0).reshape(2, 3))
F.vmap(m.dot)(m.ones(2, 3), m.ones(3, 3))
F.vmap(m.dot)(m.ones(2, 3), 3)
F.vmap(m.sum, in_dims=2)(m.ones(2, 3))
F.vmap(lambda x: 3)(m.ones(2))
F.vmap(m.sum, chunk_size=0)(m.ones(2))
F.vmap(m.sum, randomness="x")(m.ones(2))
F.vmap(lambda x: x + m.randn(1))(m.ones(2))
F.vmap(lambda: m.ones(1))()
F.vmap(m.mul, [0, 0])(m.ones(2), m.ones(2))
F.vmap(m.mul, "x")(m.ones(2), m.ones(2))
F.vmap(m.mul, (None, None))(m.ones(2), m.ones(2))
F.vmap(lambda x: m.ones(1), (None,))(1)
F.vmap(lambda x: x, out_dims="x")(m.ones(2))
F.vmap(lambda x: x, out_dims=("x",))(m.ones(2))
F.vmap(lambda x: x, out_dims=(1,))(m.arange(6.0).reshape(2, 3))
F.vmap(lambda x: (x, (x, x)), out_dims=(0, 1))(m.arange(6.0).reshape(2, 3))
F.vmap(lambda x: (x, (x, x)), out_dims=(0, (0, 1)))(m.arange(6.0).reshape(2, 3))
F.vmap(lambda x: {"a": x, "b": [x]}, out_dims={"a": 0, "b": 1})(m.arange(6.0).reshape(2, 3))
F.vmap(lambda x: (x, "word"), out_dims=(0, None))(m.arange(3.0))
F.vmap(lambda x: m.arange(3), out_dims=None)(m.ones(2))
list(F.vmap(lambda x: OrderedDict([("b", x), ("a", -x)]))(m.ones(2)).items())
F.vmap(partial(m.add, m.ones(1)), in_dims=2)(m.ones(2))
F.vmap(lambda x: x + m.randn(1, generator=source))(m.ones(2))
"""


@pytest.mark.parametrize("text", MAPPED.strip().splitlines())
def test_a_function_of_one_example_becomes_one_of_many(text: str) -> None:
    def story(m: Any) -> Any:
        names = {"m": m, "F": m.func, "OrderedDict": OrderedDict, "partial": partial, "source": m.Generator()}
        return eval(text, names)

    assert said(autograd_lab, story) == said(torch, story)


REFUSED = """
F.vmap(m.mul, (0,))(m.ones(2), m.ones(2))
F.vmap(lambda z: z[0] + z[1], in_dims=([0],))([m.ones(2), m.ones(2)])
F.vmap(lambda z: z[0] + z[1], in_dims=((0, 0),))([m.ones(2), m.ones(2)])
F.vmap(lambda x: x, out_dims=(0, 0))(m.ones(2))
F.vmap(lambda x: (x, x, x), out_dims=(0, 0, 0, 0))(m.ones(2))
F.vmap(lambda x: (x, x), out_dims=[0, 0])(m.ones(2))
F.vmap(lambda x, y: x, in_dims=((0, {"a": 0, "b": [1]}), 0, ()))(m.ones(2), m.ones(2))
F.vmap(lambda x: (x, {"k": [x, x], "l": x}), out_dims=OrderedDict(a=0))(m.ones(2))
"""


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_dimensions_of_another_structure_are_refused_in_pytorchs_words(text: str) -> None:
    def told(m: Any) -> str:
        with pytest.raises(ValueError, match="not compatible") as caught:
            eval(text, {"m": m, "F": m.func, "OrderedDict": OrderedDict})
        return re.sub("0x[0-9a-f]+", "", str(caught.value))

    assert told(autograd_lab) == told(torch)


@pytest.mark.parametrize("own", [True, False])
def test_all_examples_draw_the_same_also_from_a_source_of_the_programs_own(own: bool) -> None:
    m = autograd_lab
    source = m.Generator().manual_seed(3) if own else None
    drawn = m.vmap(lambda x: m.rand(2, generator=source) + m.rand(2), randomness="same")(m.zeros(3))
    assert drawn.unique(dim=0).shape == (1, 2)


def test_the_same_numbers_are_drawn_for_each_example_or_others() -> None:
    m = autograd_lab
    for randomness, count in (("same", 1), ("different", 4)):
        drawn = m.vmap(lambda x: x + m.randn(()), randomness=randomness)(m.zeros(4))
        assert len(set(drawn.tolist())) == count


def test_gradients_of_each_example_by_a_functional_call() -> None:
    def story(m: Any) -> list[Any]:
        model = filled(m.nn.Sequential(m.nn.Linear(2, 3), m.nn.Tanh(), m.nn.Linear(3, 1)))
        parameters = {name: one.detach() for name, one in model.named_parameters()}

        def loss(parameters: Any, x: Any, y: Any) -> Any:
            return (m.func.functional_call(model, parameters, (x,)) - y).pow(2).sum()

        x, y = m.arange(6.0).reshape(3, 2).sin(), m.ones(3, 1)
        each = m.func.vmap(m.func.grad(loss), in_dims=(None, 0, 0))(parameters, x, y)
        whole = m.func.grad(loss)(parameters, x, y)
        return [each, {name: (one.sum(0) - whole[name]).abs().max() < 1e-5 for name, one in each.items()}]

    assert said(autograd_lab, story) == said(torch, story)


def test_an_ensemble_is_one_call_of_stacked_modules() -> None:
    def story(m: Any) -> list[Any]:
        models = [filled(m.nn.Linear(2, 1), size) for size in (0.5, 1.0, 2.0)]
        parameters, buffers = m.func.stack_module_state(models)

        def call(parameters: Any, buffers: Any, x: Any) -> Any:
            return m.func.functional_call(models[0], (parameters, buffers), (x,))

        found = m.func.vmap(call, in_dims=(0, 0, None))(parameters, buffers, m.ones(4, 2))
        return [found.detach(), parameters["weight"].is_leaf]

    assert said(autograd_lab, story) == said(torch, story)


def test_a_pass_inside_keeps_the_graph_that_the_examples_share() -> None:
    def story(m: Any) -> Any:
        x = m.arange(3.0, requires_grad=True)
        y = (x * x).sin()
        found = [m.vmap(lambda v: m.autograd.grad(y, x, v, retain_graph=True)[0])(m.eye(3))]
        found.append(m.vmap(m.vmap(lambda v: m.autograd.grad(y, x, v)[0]))(m.eye(3).reshape(1, 3, 3)))
        try:
            m.autograd.grad(y, x, m.ones(3))
        except RuntimeError:
            found.append("freed")
        return found

    assert said(autograd_lab, story) == said(torch, story)


def test_what_is_decided_by_an_example_or_written_to_what_all_share_is_refused() -> None:
    def story(m: Any, f: Any, *args: Any, **named: Any) -> Any:
        return m.vmap(f, **named)(*args)

    def decided(x: Any) -> Any:
        return x if x > 1 else 0

    def written(x: Any, y: Any) -> Any:
        return x.add_(y)

    for tell in (
        lambda m: story(m, decided, m.arange(3.0)),
        lambda m: story(m, written, m.ones(()), m.ones(3), in_dims=(None, 0)),
        lambda m: story(m, written, m.ones(3), m.ones(3)),
    ):
        assert said(autograd_lab, tell) == said(torch, tell)


OF_ALL_AT_ONCE = """
x if x.sum() > 0 else -x | x.sum().item() | x * float(x[0]) | x * int(x[0]) | x.tolist() | x.numpy() | x.nonzero()
x[x > 0] | m.masked_select(x, x > 0) | m.masked_select(y, x > 0) | m.unique(x) | m.where(x > 0) | m.equal(x, x)
m.allclose(x, x) | bool(x[0]) | x[0].is_nonzero() | range(x[0].long()) | y[x[0].long()] | f"{x[0]:.2f}" | x.data
m.full((2,), x[0]) | x if y.sum() > 0 else -x | x * y.sum().item() | y[y > 0] + x | x if len(x) > 1 else -x
F.one_hot(x.long()) | F.one_hot(x.long(), 3) | y.clone().add_(x) | y.clone().mul_(x) | y.clone().copy_(x) | y.add_(x)
put(m.zeros(2), 0, x[0]) | put(m.zeros_like(x), 0, x[0]) | put(x.new_zeros(2), 0, x[0]) | put(m.zeros(2), 0, 1.0) + x
put(x.clone(), x > 0, 1.0) | put(x.new_empty(2), slice(None), x) | m.zeros(2).fill_(x[0]) | m.zeros(2).atan2_(x)
m.zeros(2).scatter_(0, m.tensor([0]), x[:1]) | m.zeros(2).index_add_(0, m.tensor([0]), x[:1]) | m.zeros(2).le_(x)
m.zeros(2).masked_fill_(x > 0, 1.0) | m.ones_like(x).mul_(x) | m.rand_like(y) * 0 + x | y | m.ones(2)
m.vmap(lambda z: z.add_(x))(m.zeros(3)) | m.vmap(lambda z: x.clone().add_(z))(m.zeros(3)) | m.vander(x) | (x, y)
m.func.grad(lambda x: x.sum() if x.sum() > 0 else x.prod())(x) | m.func.grad(lambda x: x.sum())(x).sum().item()
m.func.grad(lambda x: x.detach().sum() * x.sum() + x[x > 0].sum())(x) | m.func.jvp(m.sin, (x,), (x,))[1].sum().item()
"""


def put(x: Any, where: Any, what: Any) -> Any:
    x[where] = what
    return x


@pytest.mark.parametrize("text", [one.strip() for one in OF_ALL_AT_ONCE.replace("\n", "|").split("|") if one.strip()])
def test_what_pytorch_cannot_do_for_all_examples_at_once_is_refused(text: str) -> None:
    def story(m: Any) -> Any:
        y, names = m.ones(2), {"m": m, "put": put, "F": m.nn.functional}
        made = m.vmap(lambda x: eval(text, {**names, "x": x, "y": y}), randomness="different")(m.ones(3, 2))
        return made, [one.stride() for one in (made if isinstance(made, tuple) else (made,))]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert ours[0] == theirs[0]


def test_a_function_without_a_rule_for_many_examples_is_refused() -> None:
    def story(m: Any, rule: bool, own: bool) -> Any:
        class Double(m.autograd.Function):
            generate_vmap_rule = rule

            @staticmethod
            def forward(x: Any) -> Any:
                return x * 2

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                pass

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return g * 2

        if own:
            Double.vmap = staticmethod(lambda info, in_dims, x: (x * 2, in_dims[0]))
        double, x = Double.apply, m.ones(3)
        F = m.func
        return [
            said(m, lambda m, use=use: use())
            for use in (
                lambda: m.vmap(double)(x), lambda: m.vmap(F.grad(double))(x),
                lambda: m.vmap(lambda y: double(x) + y)(x), lambda: F.jacrev(double)(x), lambda: F.vjp(double, x)[1](x),
            )
        ]  # fmt: skip

    for rule, own in ((False, False), (True, True), (True, False), (False, True)):
        ours, theirs = story(autograd_lab, rule, own), story(torch, rule, own)
        assert [one[0] for one in ours] == [one[0] for one in theirs]


def test_a_function_that_says_what_it_is_for_many_examples_may_read_their_elements() -> None:
    def story(m: Any) -> Any:
        class Sort(m.autograd.Function):
            @staticmethod
            def forward(x: Any, dim: int) -> Any:
                order = np.argsort(x.numpy(), axis=dim)
                found = np.take_along_axis(x.numpy(), order, axis=dim)
                return m.tensor(found), m.tensor(order), m.tensor(np.argsort(order, axis=dim))

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.mark_non_differentiable(*output[1:])
                ctx.save_for_backward(*output[1:])
                ctx.dim = inputs[1]

            @staticmethod
            def backward(ctx: Any, grad: Any, *_: Any) -> Any:
                order, back = ctx.saved_tensors
                return Take.apply(grad, back, order, ctx.dim), None

            @staticmethod
            def vmap(info: Any, in_dims: Any, x: Any, dim: int) -> Any:
                return Sort.apply(x.movedim(in_dims[0], 0), dim + 1 if dim >= 0 else dim), (0, 0, 0)

        class Take(m.autograd.Function):
            @staticmethod
            def forward(x: Any, order: Any, back: Any, dim: int) -> Any:
                return m.tensor(np.take_along_axis(x.numpy(), order.numpy(), dim))

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.save_for_backward(*inputs[1:3])
                ctx.dim = inputs[3]

            @staticmethod
            def backward(ctx: Any, grad: Any) -> Any:
                order, back = ctx.saved_tensors
                return Take.apply(grad, back, order, ctx.dim), None, None, None

            @staticmethod
            def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
                many = [
                    x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
                    for x, dim in zip(args[:3], in_dims[:3], strict=True)
                ]
                return Take.apply(*many, args[3]), 0

        x = m.tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
        sort = lambda x: Sort.apply(x, -1)[0]  # noqa: E731
        steep = lambda x: (sort(x) * m.arange(3.0)).sum()  # noqa: E731
        shown = [
            m.vmap(sort)(x),
            m.vmap(sort, in_dims=1)(x),
            m.vmap(lambda x: sort(x) * x + 1)(x),
            m.func.jacrev(sort)(x),
        ]
        shown += [m.vmap(m.func.grad(steep))(x), m.vmap(m.vmap(sort))(x[None])]
        return shown, said(m, lambda m: m.vmap(lambda x: sort(x)[0].item())(x))

    story(torch)  # raises nothing
    assert said(autograd_lab, story) == said(torch, story)


DIMS = """
m.vmap(lambda x: x, out_dims=None)(x) | m.vmap(lambda x: (x, y), out_dims=(0, None))(x) | m.vmap(lambda x: y)(x)
m.vmap(lambda x: x, out_dims=3)(x) | m.vmap(lambda x: x, out_dims=-1)(x)._base is None
m.vmap(lambda x: y, out_dims=1)(x) | m.vmap(lambda x: (x * 2, x.sum()))(m.ones(0, 2))
m.vmap(lambda x: x, in_dims=(0, 0))(x)
repr(m.vmap(3))
m.vmap(lambda x: x * 2, out_dims=1)(x).stride() | m.vmap(lambda x: None)(x) | m.vmap(lambda x: y)(x).stride()
"""


@pytest.mark.parametrize("text", [one.strip() for one in DIMS.replace("\n", "|").split("|") if one.strip()])
def test_dimensions_of_results_are_as_in_pytorch(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(text, {"m": m, "x": m.arange(6.0).view(3, 2), "y": m.ones(2)})

    assert said(autograd_lab, story) == said(torch, story)
