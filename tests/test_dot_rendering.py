"""Pictures of `make_dot`: with the `dot` executable, with Graphviz's wheel, and with neither."""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from xml.etree import ElementTree

import graphviz
import pytest

import autograd_lab as lab
from autograd_lab.view.dot import make_dot
from autograd_lab.view.graphviz_engine import GraphvizMissing
from tests.dot_programs import mlp, product


@pytest.fixture
def no_executable(monkeypatch):
    monkeypatch.setenv("PATH", "")


@pytest.fixture
def no_graphviz(no_executable, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)


def assert_renders(tmp_path):
    dot = make_dot(*product(lab))
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
    assert make_dot(*product(lab)).pipe("pdf").startswith(b"%PDF")


def test_it_renders_without_any_graphviz(tmp_path, no_graphviz):
    assert_renders(tmp_path)


def test_a_format_that_needs_graphviz_says_so_and_leaves_no_file(tmp_path, no_graphviz):
    with pytest.raises(GraphvizMissing, match=r'pip install "autograd-lab\[graphviz\]"'):
        make_dot(*product(lab)).render(tmp_path / "graph", format="pdf")
    assert list(tmp_path.iterdir()) == []


def test_the_plain_picture_has_every_node_and_every_line_even_in_a_circle(no_graphviz):
    output, params = mlp(lab)
    dot = make_dot(output, params, show_saved=True, show_attrs=True)  # saved leaves make circles
    root = ElementTree.fromstring(dot.pipe("svg"))
    count = {tag: sum(it.tag.endswith(tag) for it in root.iter()) for tag in ("rect", "path")}
    heads = sum(look.get("dir") != "none" for _, _, look in dot.lines)
    assert count == {"rect": len(dot.cells) + 1, "path": len(dot.lines) + heads}


def test_nodes_and_lines_can_be_added_and_a_copy_is_its_own(no_graphviz):
    dot = make_dot(*product(lab))
    copy = dot.copy()
    copy.node("note", "a note")
    copy.edge("note", "elsewhere")
    svg = copy.pipe("svg").decode()
    assert "a note" in svg and "elsewhere" in svg and "a note" not in dot.pipe("svg").decode()
