"""The graphs of gradients: the nodes that formulas make under create_graph, and the order in which they make them."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.engine.test_ops import EXPRESSIONS, inputs
from tests.worlds import is_alike, said

torch = pytest.importorskip("torch")

OTHER = {
    "x.norm(1.5)", "x.norm(float('inf'))", "m.dist(x,y)",
    "m.dist(x,y,1)", "(x @ y.T).trace()",
    "(x * (k > 1)).cumprod(1)", "x.cumsum(0, dtype=m.float64)", "x.prod(0,dtype=m.float64)",
    "x.logcumsumexp(1)", "m.linalg.cholesky(sq@sq.t())", "x.masked_scatter(k>2,y)", "(x*1).masked_scatter_(k>2,y)",
    "x.put(i, u[:2])", "(x*1).put_(i,u[:2])", "x.scatter_reduce(1,k.long()*0,y,'prod')",
    "x.scatter_reduce(1,k.long()*0,y,'amax')", "x.scatter_reduce(1,k.long()*0,y,'mean')",
    "x.scatter_reduce(1,k.long()*0,y,'amin', include_self=False)",
    "(x*1).scatter_reduce_(1,i[:,None],y[:, :1],'amax')", "m.baddbmm(x[None],sq[None],x[None],beta=2,alpha=3)",
    "m.addbmm(x,sq[None],x[None])", "m.addmv(u[:2],x,w,beta=2,alpha=3)",
    "m.block_diag(x,sq)",
    "m.cholesky(sq@sq.t())", "m.cholesky(sq@sq.t(),True)", "m.nuclear_norm(sq)",
    "m.linalg.lu_factor(sq)[0]",
    "m.lu_unpack(*m.linalg.lu_factor(x))[2]",
    "m.cholesky_inverse(sq,True)",
    "x.renorm(2,1,1.)",
    "(x*1).renorm_(1,0,.5)",
    "x.index_reduce(0,i,y,'prod')",
    "(x*1).index_reduce_(1,i,y[:, :2],'amax')",
    "m.nextafter(x,y)",
    "m.special.i1(x)",
    "m.special.i0e(x)",
    "m.special.i1e(x)",
    "m.linalg.lstsq(x.t(),y.t())[0]",
    "m.linalg.lstsq(x,u[:2])[0]",
    "m.linalg.lstsq(x.t(),w,driver='gels')[0]",
    "m.trapezoid(x,y)",
    "m.trapezoid(x,u,dim=1)",
    "m.gradient(x,spacing=2.,dim=1,edge_order=2)[0]",
    "m.gradient(x,spacing=(u,),dim=1)[0]",
    "m.gradient(x,spacing=(k[0]**2,),dim=1,edge_order=2)[0]",
}  # fmt: skip
"""Whose gradients are computed by other steps than PyTorch's, or by the same in another order."""


def graph_of_gradients(m: Any, expression: str, wanted: tuple[str, ...]) -> list[Any]:
    """The nodes behind the gradients of an expression, in the order in which they were made, with their edges."""
    names = inputs(m)
    result = eval(expression, names)
    if not result.requires_grad:
        return []
    leaves = {name: names[name] for name in ("x", "y", "sq", "u", "w")}
    leaves["g"] = m.ones_like(result).detach().requires_grad_()
    inner = [leaves[name] for name in wanted]
    found = m.autograd.grad(result, inner, leaves["g"], create_graph=True, allow_unused=True)
    nodes = _nodes([g.grad_fn for g in found if g is not None and g.grad_fn is not None])
    made = sorted((one for one in nodes if not hasattr(one, "variable")), key=lambda one: one._sequence_nr())
    numbers: dict[Any, Any] = {node: number for number, node in enumerate(made)}
    for node in nodes:
        if hasattr(node, "variable"):
            numbers[node] = next(name for name, leaf in leaves.items() if leaf is node.variable)
    edges = [[(numbers.get(to), index) for to, index in node.next_functions] for node in made]
    return [*zip((type(node).__name__ for node in made), edges, strict=True)]


def _nodes(waiting: list[Any]) -> list[Any]:
    found: dict[Any, None] = {}
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += [to for to, _ in node.next_functions if to is not None]
    return list(found)


@pytest.mark.parametrize("expression", [one for one in EXPRESSIONS if one not in OTHER])
@pytest.mark.parametrize("wanted", [("x", "y", "sq", "u", "w"), ("x",), ("y",)])
@pytest.mark.filterwarnings("ignore")
def test_gradients_have_pytorchs_graph_node_by_node(expression: str, wanted: tuple[str, ...]) -> None:
    ours, theirs = (graph_of_gradients(m, expression, wanted) for m in (autograd_lab, torch))
    assert ours == theirs


def test_what_is_told_to_differ_does() -> None:
    everything = ("x", "y", "sq", "u", "w")
    alike = [
        one
        for one in OTHER
        if graph_of_gradients(autograd_lab, one, everything) == graph_of_gradients(torch, one, everything)
    ]
    assert alike == []


CURVES = """
F.relu(x) | F.relu6(x) | F.elu(x) | F.elu(x, 0.5) | F.elu(x * 1, inplace=True) | F.selu(x) | F.celu(x, 0.5)
F.leaky_relu(x) | F.softplus(x, 2.0, 3.0) | F.softplus(x) | F.gelu(x) | F.silu(x) | F.mish(x) | F.hardtanh(x, -0.5, 0.5)
F.hardswish(x) | F.softshrink(x) | F.hardshrink(x) | F.tanhshrink(x) | F.softsign(x) | F.threshold(x, 0.5, 9.0)
F.smooth_l1_loss(x, x.detach() * 0, beta=0.5) | F.huber_loss(x, x.detach() * 0, delta=0.5) | x.clamp(-0.5, 0.5)
""".strip()


@pytest.mark.parametrize("text", [text for line in CURVES.splitlines() for text in line.split(" | ")])
def test_a_curve_bends_at_its_corner_as_in_pytorch(text: str) -> None:
    def story(m: Any) -> Any:
        places = [-20.0, -3.0, -0.5, 0.0, 0.5, 1.5, 3.0, 20.0]
        x = m.tensor(places, dtype=m.float64, requires_grad=True)
        gradient, found = eval(text, {"F": m.nn.functional, "x": x}), []
        for _ in range(3):
            weights = m.linspace(0.5, 1.5, len(places), dtype=m.float64)
            (gradient,) = m.autograd.grad((gradient * weights).sum(), x, create_graph=True)
            if not gradient.requires_grad:
                break
            found.append(gradient.tolist())
        return found

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), f"{ours}\n{theirs}"
