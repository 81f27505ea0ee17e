"""`make_dot` where torchviz stops: after backward, after a write, behind hooks, in great depth, on odd tensors."""

from __future__ import annotations

import gc
import re
import weakref
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

import graphviz
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograd_lab as lab
from autograd_lab.view.torchviz.dot import make_dot
from autograd_lab.view.torchviz.own_layout import plain_svg
from tests.view.torchviz.programs import EVERYWHERE, backward_with_a_graph, custom, encoder, product

torch = pytest.importorskip("torch")

BOTH = pytest.mark.parametrize("module", [lab, torch], ids=["lab", "torch"])
ALL = {"show_attrs": True, "show_saved": True}


def labels(dot: graphviz.Digraph) -> list[str]:
    return [attrs["label"] for attrs in dot.cells.values()]


def leaf(module: Any, *numbers: float) -> Any:
    return module.tensor(numbers or (1.0, 2.0), requires_grad=True)


@BOTH
def test_freed_slots_are_drawn_dashed_after_backward(module: Any) -> None:
    output, params = product(module)
    output.backward()
    dot = make_dot(output, params, **ALL)
    assert {"self\n freed", "other\n freed"} <= set(labels(dot))
    assert "style=dashed" in dot.source and "[freed]" in dot.source


@BOTH
def test_an_overwritten_slot_is_drawn_in_red(module: Any) -> None:
    h = leaf(module) * 2
    y = h.exp()
    z = y * h
    y.add_(1)
    dot = make_dot(z.sum(), **ALL)
    assert any("stale: changed in place" in label for label in labels(dot))
    assert "color=red" in dot.source and "[stale" in dot.source


@BOTH
def test_what_a_custom_function_saved_is_drawn_freed_after_backward(module: Any) -> None:
    output, _ = custom(module)
    output.backward()
    assert "saved_tensors\n freed" in labels(make_dot(output))


@BOTH
def test_a_custom_function_may_save_none_in_place_of_a_tensor(module: Any) -> None:
    class SaveNone(module.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(None, x)
            return x.clone()

    dot = make_dot(SaveNone.apply(leaf(module)))
    assert [attrs.get("fillcolor") for attrs in dot.cells.values()].count("orange") == 1


def refuse(*_: Any) -> Any:
    raise AssertionError("a hook of the user was called")


@BOTH
def test_a_tensor_packed_by_a_hook_is_called_so_and_no_hook_is_called(module: Any) -> None:
    x = leaf(module)
    with module.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.shape, refuse):
        y = (x.exp() * x).sum()
    dot = make_dot(y, {"x": x}, **ALL)
    assert {"self\n packed by a hook", "result\n packed by a hook"} <= set(labels(dot))
    assert "result: [packed by a hook]" in dot.source and "orange" not in dot.source


@BOTH
def test_one_slot_of_a_node_may_be_packed(module: Any) -> None:
    z = leaf(module).exp() * leaf(module).sin()
    z.grad_fn._raw_saved_self.register_hooks(lambda tensor: tensor, refuse)
    drawn = labels(make_dot(z, **ALL))
    assert "self\n packed by a hook" in drawn and "other\n (2)" in drawn


def test_one_of_several_tensors_in_a_slot_may_be_packed() -> None:
    x = torch.ones(3, 3, requires_grad=True)
    y = x[torch.tensor([0, 1]), torch.tensor([1, 2])]
    y.grad_fn._raw_saved_indices[1].register_hooks(lambda tensor: tensor, refuse)
    drawn = labels(make_dot(y, show_saved=True))
    assert "indices[0]\n (2)" in drawn and "indices[1]\n packed by a hook" in drawn
    assert re.search(r"indices *: \[packed by a hook\]", make_dot(y, show_attrs=True).source)


@BOTH
def test_what_a_custom_function_saved_may_be_packed(module: Any) -> None:
    with module.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, refuse):
        output, _ = custom(module)
    drawn = labels(make_dot(output))
    assert {"saved_tensors[0]\n packed by a hook", "saved_tensors[1]\n packed by a hook"} <= set(drawn)


@BOTH
def test_a_checkpoint_is_not_computed_again_to_be_drawn(module: Any) -> None:
    checkpoint = import_module(f"{module.__name__}.utils.checkpoint").checkpoint
    runs = []

    def block(x: Any) -> Any:
        runs.append(x)
        return x.exp().sin()

    y = checkpoint(block, leaf(module), use_reentrant=False)
    dot = make_dot(y.sum(), **ALL)
    assert len(runs) == 1
    assert "self\n packed by a hook" in labels(dot)
    y.sum().backward()
    assert len(runs) == 2


@BOTH
def test_packed_slots_are_freed_by_backward_too(module: Any) -> None:
    x = leaf(module)
    with module.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
        y = (x * x).sum()
    y.backward()
    assert "self\n freed" in labels(make_dot(y, show_saved=True))


WITHOUT_CYCLES = [program for program in EVERYWHERE if program is not backward_with_a_graph]


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
@pytest.mark.parametrize("program", WITHOUT_CYCLES, ids=lambda program: program.__name__)
def test_drawing_changes_nothing_and_keeps_nothing_alive(program: Any) -> None:
    output, params = program(torch)
    outputs = [output] if isinstance(output, torch.Tensor) else list(output)
    tensors = [*outputs, *params.values()]

    def facts(tensors: list[Any]) -> list[Any]:
        return [(t._version, t.grad is None, t.requires_grad, t.grad_fn, t._base is None) for t in tensors]

    before, enabled = facts(tensors), torch.is_grad_enabled()
    dot = make_dot(output, params, **ALL)
    assert facts(tensors) == before and torch.is_grad_enabled() == enabled
    gone = [weakref.ref(t) for t in tensors]
    del output, outputs, params, tensors, before
    gc.collect()
    assert dot.source and [ref() for ref in gone] == [None] * len(gone)


def test_drawing_while_recording_is_no_part_of_the_recording() -> None:
    with lab.record() as trace:
        output, params = product(lab)
        count = len(trace)
        make_dot(output, params, **ALL)
        assert len(trace) == count


def test_a_graph_can_still_be_differentiated_after_it_was_drawn() -> None:
    gradients = []
    for drawn in (False, True):
        torch.manual_seed(0)
        output, params = encoder(torch)
        if drawn:
            make_dot(output, params, **ALL)
        output.backward()
        gradients.append([p.grad for p in params.values()])
    assert all(torch.equal(one, other) for one, other in zip(*gradients, strict=True))


@BOTH
@pytest.mark.parametrize("length", [3000, 20_000])
def test_a_chain_deeper_than_the_recursion_limit_is_drawn(module: Any, length: int) -> None:
    y = module.tensor(1.0, requires_grad=True)
    for _ in range(length):
        y = y * 1.0
    dot = make_dot(y, show_saved=True)
    assert sum(label == "MulBackward0" for label in labels(dot)) == length


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_tensors_without_a_shape_are_drawn_without_it() -> None:
    x = leaf(torch)
    nested = torch.nested.as_nested_tensor([x, x[:1]])
    dot = make_dot((nested, torch.nn.LazyLinear(2).weight))
    assert labels(dot).count("\n (no shape)") == 2


def test_sides_that_are_symbols_stay_symbols() -> None:
    jagged = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    assert labels(make_dot(jagged))[0] == f"\n ({jagged.shape[0]}, {jagged.shape[1]})"


def test_numbers_and_texts_that_a_node_keeps_are_cut_and_are_no_markup() -> None:
    class Odd(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx._saved_note = "<b>loud</b> " * 20
            return x.clone()

    dot = make_dot(Odd.apply(leaf(torch)), show_attrs=True, max_attr_chars=9)
    assert "note: <b>lou..." in dot.source
    assert "<b>lou..." in shown(plain_svg(dot.cells, dot.lines))


def test_what_a_node_refuses_to_show_is_said() -> None:
    class Odd(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            type(ctx)._saved_note = property(lambda ctx: {}["note"])
            return x.clone()

    dot = make_dot(Odd.apply(leaf(torch)), **ALL)
    assert "note: [not readable: KeyError]" in dot.source and "note\n not readable: KeyError" in labels(dot)


NAMES = ['a "b" \\l c', "<b>x</b>", "x & <y>", "\\", "<<i>all</i>>", "\\N", "{a|b}", "&amp;", "]]>", "%s %d", "猫"]


@pytest.mark.parametrize("name", NAMES)
def test_text_of_the_user_is_never_markup(name: str) -> None:
    x = torch.ones(2, requires_grad=True)
    dot = make_dot(x, {name: x})
    assert name.replace(" ", "") in shown(dot.pipe("svg", encoding="utf-8"))
    assert name.replace(" ", "").replace("猫", "□") in shown(plain_svg(dot.cells, dot.lines))


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=12))
def test_any_text_is_drawn_as_valid_xml(name: str) -> None:
    x = lab.ones(2, requires_grad=True)
    dot = make_dot(x, {name: x})
    dot.source.encode()
    assert "(2)" in shown(plain_svg(dot.cells, dot.lines))


def shown(svg: str) -> str:
    return "".join(ElementTree.fromstring(svg).itertext()).replace("\xa0", "").replace(" ", "")
