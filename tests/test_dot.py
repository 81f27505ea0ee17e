from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from xml.etree import ElementTree

import graphviz
import pytest

import autograd_lab as lab
from autograd_lab.view.dot import make_dot
from autograd_lab.view.graphviz_engine import GraphvizMissing

torch = pytest.importorskip("torch")


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


def product(m):
    a, b = m.tensor(2.0, requires_grad=True), m.tensor(3.0, requires_grad=True)
    return (a + b) * (b + 1), {"a": a, "b": b}


def square(m):
    x = m.tensor([1.0, 2.0], requires_grad=True)
    return (x * x).sum(), {"x": x}


def regression(m):
    x, y = m.tensor([[1.0, 2.0], [3.0, 4.0]]), m.tensor([[1.0], [2.0]])
    w, b = m.tensor([[0.5], [0.1]], requires_grad=True), m.tensor([0.0], requires_grad=True)
    return ((x @ w + b - y) ** 2).mean(), {"w": w, "b": b}


def several_outputs(m):
    x = m.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x.exp()
    return (y.sum(), y * 2, y), {}


def leaf_alone(m):
    x = m.tensor([1.0], requires_grad=True)
    return x, {"x": x}


def view_of_a_result(m):
    x = m.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    return (x * 2)[0], {"x": x}


def mlp(m):
    net = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.ReLU(), m.nn.LayerNorm(4), m.nn.Linear(4, 2))
    return net(m.ones(5, 3)).pow(2).mean(), dict(net.named_parameters())


def encoder(m):
    net = m.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return net(m.ones(1, 4, 8)).sum(), dict(net.named_parameters())


def concatenation(m):
    a, b = m.ones(2, requires_grad=True), m.ones(3, requires_grad=True)
    return m.cat([a, b, a]).prod(), {"a": a}


def custom(m):
    x = m.ones(2, requires_grad=True)
    return Cube.apply(x).sum(), {}


EVERYWHERE = [product, square, regression, several_outputs, leaf_alone]
PROGRAMS = [*EVERYWHERE, view_of_a_result, mlp, encoder, concatenation, custom]


def renamed(dot: graphviz.Digraph) -> str:
    """The source with nodes called by the order in which they appear, not by their place in memory."""
    names: dict[str, str] = {}
    return re.sub(r"\b\d{9,}\b", lambda it: names.setdefault(it[0], f"k{len(names)}"), dot.source)


def labels(dot: graphviz.Digraph) -> list[str]:
    return [attrs["label"] for attrs in dot.cells.values()]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("show_saved", [False, True])
@pytest.mark.parametrize("show_attrs", [{}, {"show_attrs": True}, {"show_attrs": True, "max_attr_chars": 5}])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_source_is_torchvizs_to_the_character(program, show_attrs, show_saved):
    torchviz = pytest.importorskip("torchviz", exc_type=ImportError)
    torch.manual_seed(0)
    output, params = program(torch)
    ours = renamed(make_dot(output, params, show_saved=show_saved, **show_attrs))
    theirs = renamed(torchviz.make_dot(output, params, show_saved=show_saved, **show_attrs))
    if show_saved and program is several_outputs:  # two saved wrappers of one tensor may share an id in theirs
        ours, theirs = (re.sub(r"\bk\d+\b", "k", text) for text in (ours, theirs))
    assert ours == theirs


@pytest.mark.parametrize("program", EVERYWHERE, ids=lambda program: program.__name__)
def test_our_engine_and_pytorch_give_the_same_graph(program):
    ours, theirs = (make_dot(*program(module)) for module in (lab, torch))
    assert renamed(ours) == renamed(theirs)


@pytest.mark.parametrize("module", [lab, torch], ids=["lab", "torch"])
def test_freed_slots_are_drawn_dashed_after_backward(module):
    output, params = product(module)
    output.backward()
    dot = make_dot(output, params, show_attrs=True, show_saved=True)
    assert {"self\n freed", "other\n freed"} <= set(labels(dot))
    assert "style=dashed" in dot.source and "[freed]" in dot.source


@pytest.mark.parametrize("module", [lab, torch], ids=["lab", "torch"])
def test_an_overwritten_slot_is_drawn_in_red(module):
    x = module.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    y = h.exp()
    z = y * h
    y.add_(1)
    dot = make_dot(z.sum(), {"x": x}, show_attrs=True, show_saved=True)
    assert any("stale: overwritten in place" in label for label in labels(dot))
    assert "color=red" in dot.source and "[stale" in dot.source


class SaveNothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(None, x)
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad


def test_a_custom_function_may_save_none_in_place_of_a_tensor():
    dot = make_dot(SaveNothing.apply(torch.ones(2, requires_grad=True)))
    assert [attrs.get("fillcolor") for attrs in dot.cells.values()].count("orange") == 1


def test_what_a_custom_function_saved_is_drawn_freed_after_backward():
    output, _ = custom(torch)
    output.backward()
    assert "saved_tensors\n freed" in labels(make_dot(output))


@pytest.mark.parametrize("module", [lab, torch], ids=["lab", "torch"])
def test_a_chain_deeper_than_the_recursion_limit_is_drawn(module):
    y = module.tensor(1.0, requires_grad=True)
    for _ in range(3000):
        y = y * 1.0
    dot = make_dot(y, show_saved=True)
    assert sum(label == "MulBackward0" for label in labels(dot)) == 3000


def test_text_of_the_user_is_never_markup(tmp_path):
    x = torch.ones(2, requires_grad=True)
    for name in ('a "b" \\l c', "<b>x</b>", "x & <y>", "\\"):
        dot = make_dot(x, {name: x})
        for svg in (dot.pipe("svg", encoding="utf-8"), plain(dot)):
            texts = "".join(ElementTree.fromstring(svg).itertext())
            assert name.replace(" ", "") in texts.replace("\xa0", "").replace(" ", "")


def plain(dot: graphviz.Digraph) -> str:
    from autograd_lab.view.plain import plain_svg

    return plain_svg(dot.cells, dot.lines)


@pytest.fixture
def no_executable(monkeypatch):
    monkeypatch.setenv("PATH", "")


@pytest.fixture
def no_graphviz(no_executable, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)


def assert_renders(tmp_path):
    dot = make_dot(*product(torch))
    assert isinstance(dot, graphviz.Digraph)
    dot.format = "png"
    assert dot.render(tmp_path / "graph") == str(tmp_path / "graph.png")
    assert (tmp_path / "graph").read_text() == dot.source
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")
    assert dot.pipe()[:4] == b"\x89PNG"
    for svg in (dot.pipe("svg").decode(), dot._repr_svg_(), dot._repr_mimebundle_()["image/svg+xml"]):
        texts = "".join(ElementTree.fromstring(svg).itertext())
        assert texts.count("AddBackward0") == 2 and "MulBackward0" in texts
    dot.render(outfile=tmp_path / "other.svg", cleanup=True)
    assert sorted(it.name for it in tmp_path.iterdir()) == ["graph", "graph.png", "other.svg"]


@pytest.mark.skipif(not shutil.which("dot"), reason="needs the dot executable")
def test_it_renders_with_the_dot_executable(tmp_path):
    assert_renders(tmp_path)


@pytest.mark.skipif(not find_spec("pygraphviz"), reason="needs pygraphviz")
def test_it_renders_with_the_wheel_alone(tmp_path, no_executable):
    assert_renders(tmp_path)
    assert make_dot(*product(torch)).pipe("pdf").startswith(b"%PDF")


def test_it_renders_without_any_graphviz(tmp_path, no_graphviz):
    assert_renders(tmp_path)


def test_a_format_that_needs_graphviz_says_so_and_leaves_no_file(tmp_path, no_graphviz):
    with pytest.raises(GraphvizMissing, match=r'pip install "autograd-lab\[graphviz\]"'):
        make_dot(*product(torch)).render(tmp_path / "graph", format="pdf")
    assert list(tmp_path.iterdir()) == []


def test_the_plain_picture_has_every_node_and_every_line_even_in_a_circle(no_graphviz):
    output, params = mlp(torch)
    dot = make_dot(output, params, show_saved=True, show_attrs=True)  # saved leaves make circles
    root = ElementTree.fromstring(dot.pipe("svg"))
    count = {tag: sum(it.tag.endswith(tag) for it in root.iter()) for tag in ("rect", "path")}
    heads = sum(look.get("dir") != "none" for _, _, look in dot.lines)
    assert count == {"rect": len(dot.cells) + 1, "path": len(dot.lines) + heads}


def test_nodes_and_lines_can_be_added_and_a_copy_is_its_own(no_graphviz):
    dot = make_dot(*product(torch))
    copy = dot.copy()
    copy.node("note", "a note")
    copy.edge("note", "elsewhere")
    svg = copy.pipe("svg").decode()
    assert "a note" in svg and "elsewhere" in svg and "a note" not in dot.pipe("svg").decode()


@pytest.mark.parametrize("wrong", [3.0, None, "y", (1, 2)])
def test_something_that_is_no_tensor_is_refused(wrong):
    with pytest.raises(TypeError, match="make_dot draws a tensor"):
        make_dot(wrong)


def test_drawing_our_own_tensors_imports_no_torch():
    program = (
        "import sys, autograd_lab as lab; from autograd_lab.view.dot import make_dot; "
        "x = lab.tensor(1., requires_grad=True); make_dot(x * x).source; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
