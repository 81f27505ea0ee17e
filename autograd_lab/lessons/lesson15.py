"""Lesson 15, Errata hunt: claims to be judged, and defects to be proved by a program that fails and one that holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import leaf
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.syllabus import DEFECTS
from autograd_lab.lessons.world import world
from autograd_lab.recording.iterations.record import record

FEWEST = 8
"""So many defects make a hunt."""
TRUE, FALSE, DEPENDS = "true", "false", "it depends"


def _judged(cases: list[bool]) -> str:
    """What becomes of a claim that holds in some cases."""
    return TRUE if all(cases) else DEPENDS if any(cases) else FALSE


def _survives(work: Callable[[], Any]) -> bool:
    try:
        work()
    except RuntimeError:
        return False
    return True


@question(
    "L15.P1",
    "*An operation in place between forward and backward makes backward fail.*",
    [
        Choice(
            TRUE,
            "backward checks whatever was written to",
            "It checks what some node has saved. `y = x + 3; y += 1` goes well: a sum saves no tensor.",
        ),
        Choice(
            DEPENDS,
            "only what a node has saved must not change",
            "After `exp`, which saved its result, it fails; after a sum it does not.",
        ),
        Choice(
            FALSE,
            "writes are always harmless",
            "After `y = x.exp()`, `y += 1` makes backward fail: the node had saved its result.",
        ),
    ],
)
def in_place_breaks_backward(torch: Any) -> str:
    def after(operation: Callable[[Any], Any]) -> bool:
        y = operation(leaf(torch, 2.0))
        y += 1
        return not _survives(y.backward)

    return _judged([after(lambda x: x.exp()), after(lambda x: x + 3), after(lambda x: x * 2)])


@question(
    "L15.P2",
    "*Changing a tensor through `.data` is noticed by its version counter, so that backward refuses.*",
    [
        Choice(
            TRUE,
            "every write is counted",
            "`.data` is a tensor with a counter of its own. The one that backward asks stays where it was.",
        ),
        Choice(
            DEPENDS,
            "it is noticed if a node has saved the tensor",
            "Not even then: the gradient is wrong, and nobody says so.",
        ),
        Choice(
            FALSE, "`.data` walks past the counter", "`detach()` shares memory *and* counter: there, backward refuses."
        ),
    ],
)
def notices_writes_past_the_counter(torch: Any) -> str:
    def refused(operation: Callable[[Any], Any]) -> bool:
        x = leaf(torch, 2.0)
        y = operation(x)
        x.data += 1
        return not _survives(y.backward)

    return _judged([refused(lambda x: x * x), refused(lambda x: x**3), refused(lambda x: torch.sin(x))])


@question(
    "L15.P3",
    "*After `backward()` the graph is freed, so a second `backward()` fails.*",
    [
        Choice(
            TRUE,
            "backward throws nodes away",
            "Nodes stay. What they had saved is gone, and not every node had saved a tensor.",
        ),
        Choice(DEPENDS, "what is freed is what nodes saved", "`x * x` fails the second time, `x + x` does not."),
        Choice(FALSE, "a graph may be walked as often as one likes", "`x * x` has lost what it saved."),
    ],
)
def the_graph_is_freed(torch: Any) -> str:
    def fails(operation: Callable[[Any], Any]) -> bool:
        y = operation(leaf(torch, 2.0))
        y.backward()
        return not _survives(y.backward)

    return _judged([fails(lambda x: x * x), fails(lambda x: x + x)])


@question(
    "L15.P4",
    "*`model.eval()` switches the recording of graphs off.*",
    [
        Choice(
            TRUE,
            "eval means: no gradients",
            "It tells dropout and batch normalisation to behave as in use. Recording goes on.",
        ),
        Choice(DEPENDS, "it does so for some layers", "For none. `torch.no_grad()` is what stops recording."),
        Choice(
            FALSE,
            "eval changes what some layers compute, not what is recorded",
            "Use `torch.no_grad()` or `inference_mode()` besides.",
        ),
    ],
)
def eval_stops_recording(torch: Any) -> str:
    from autograd_lab.lessons.lesson12 import nn_of

    nn = nn_of(torch)
    stopped = []
    for layer in (nn.Linear(2, 2), nn.Dropout(), nn.BatchNorm1d(2)):
        layer.eval()
        stopped.append(layer(torch.ones((3, 2), requires_grad=True) * 1).grad_fn is None)
    return _judged(stopped)


@question(
    "L15.P5",
    "*Gradients are kept in `.grad` only for leaves.*",
    [
        Choice(TRUE, "an intermediate tensor never has a .grad", "After `retain_grad()` it has."),
        Choice(
            DEPENDS,
            "an intermediate tensor keeps one if it was asked to",
            "And a leaf keeps none if it does not require grad.",
        ),
        Choice(FALSE, "every tensor keeps its gradient", "Without `retain_grad()` it passes through."),
    ],
)
def only_leaves_keep(torch: Any) -> str:
    def kept(ask: bool) -> bool:
        import warnings

        y = leaf(torch, 2.0) * 3
        if ask:
            y.retain_grad()
        (y * y).backward()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns whoever asks
            return y.grad is not None

    return _judged([not kept(False), not kept(True)])


@question(
    "L15.P6",
    "*Adding up two losses and going backward once gives the same gradients as two backwards, one for each.*",
    [
        Choice(
            TRUE,
            "gradients are linear: those of a sum are the sum of those",
            "Once needs no `retain_graph`, and less work.",
        ),
        Choice(DEPENDS, "it is so only if the losses share no part", "They may share what they like."),
        Choice(FALSE, "what the second backward brings replaces the first", "It is added."),
    ],
)
def one_backward_or_two(torch: Any) -> str:
    def same(shared: bool) -> bool:
        found = []
        for together in (True, False):
            x = leaf(torch, 2.0)
            first = x * x
            one, two = first * 3, (first if shared else x * x) * x
            if together:
                (one + two).backward()
            else:
                one.backward(retain_graph=True)
                two.backward()
            found.append(x.grad.item())
        return found[0] == found[1]

    return _judged([same(True), same(False)])


def _known() -> set[str]:
    return {f"{article}-E{number}" for article, count in DEFECTS.items() for number in range(1, count + 1)}


def _outcome(function: Callable[[], Any]) -> tuple[str, int]:
    """How a proof ends: "held", "failed" by its assertion or an error of torch's, or another error; and what it did."""
    with record() as run:
        try:
            function()
            end = "held"
        except (AssertionError, RuntimeError, AttributeError):
            end = "failed"
        except Exception as error:
            end = f"{type(error).__name__}: {first_line(error)}"
    return end, len(run)


@exercise(
    "L15.M1",
    "Fill `hunt` with eight defects or more. Each has its id, such as `003-E5`, and two functions without arguments: "
    "one asserts what the article says, and has to fail; one asserts what PyTorch does, and has to hold. Both have to "
    "do something with tensors.",
    hints=[
        "Each lesson has cells that say *The article says / PyTorch does*. Begin with the one that surprised you most.",
        "In the first function build the article's program, and `assert` its claim. An error of PyTorch's counts as a "
        "failure, too.",
        "In the second function the same program, and the assertion that is true.",
    ],
    after="Present one of them: its two programs, and a picture of the graph that shows why.",
)
def a_hunt(hunt: Any) -> str:
    if not isinstance(hunt, dict):
        return "The answer should be a dict from ids to pairs of functions."
    if strange := [each for each in hunt if each not in _known()]:
        return f"There is no defect {strange[0]!r}; ids look like '003-E5'."
    for id, pair in hunt.items():
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(map(callable, pair))):
            return f"{id} should have two functions: what the article says, and what PyTorch does."
        for function, wanted, words in zip(pair, ("failed", "held"), ("the article's claim", "the truth"), strict=True):
            end, did = _outcome(function)
            if end not in ("held", "failed"):
                return f"{id}: {words} stops with {end}."
            if end != wanted:
                return f"{id}: {words} {'holds' if end == 'held' else 'fails'}, and should not."
            if did == 0:
                return f"{id}: {words} does nothing with tensors, so it proves nothing."
    missing = FEWEST - len(hunt)
    return f"So far {len(hunt)}, all proved; {missing} more." if missing > 0 else ""


def _cards() -> dict[str, str]:
    torch = world("autograd_lab")
    return {
        "in place": in_place_breaks_backward(torch),
        "data": notices_writes_past_the_counter(torch),
        "freed": the_graph_is_freed(torch),
        "eval": eval_stops_recording(torch),
    }


fill(
    "L15.F1",
    "Four sentences of a summary. Write `true`, `false` or `it depends` for each, as text. in place: the version "
    "counter finds every write. data: a write through .data is found. freed: backward frees the graph, so it cannot "
    "run twice. eval: eval() stops recording.",
    lambda torch: {**_cards(), "in place": _counter_finds_every_write(torch)},
    mistakes=[
        Mistake(
            {"freed": TRUE},
            "backward throws nodes away",
            "It frees what nodes saved; a graph of sums has saved no tensor.",
        ),
        Mistake({"freed": FALSE}, "a graph may be walked as often as one likes", "Walk `x * x` twice."),
        Mistake({"in place": TRUE}, "every write is counted", "There are ways past the counter."),
        Mistake({"in place": FALSE}, "nobody watches writes", "Write through `detach()`, and call backward."),
        Mistake({"data": TRUE}, "every write is counted", "Not by the counter that backward asks."),
        Mistake({"data": DEPENDS}, "it is found if a node has saved the tensor", "Not even then."),
        Mistake({"eval": TRUE}, "eval means: no gradients", "Ask `layer(x).grad_fn` in eval mode."),
        Mistake({"eval": DEPENDS}, "eval stops it for some layers", "Ask each of them for `layer(x).grad_fn`."),
    ],
    hints=[
        "Each of them was a question of this lesson, or nearly.",
        "For the first, think of detach() on the one hand and .data on the other.",
    ],
)


def _counter_finds_every_write(torch: Any) -> str:
    def found(way: Callable[[Any], Any]) -> bool:
        x = leaf(torch, 2.0)
        y = x * x
        part = way(x)
        part += 1
        return not _survives(y.backward)

    return _judged([found(lambda x: x.detach()), found(lambda x: x.data)])


@question(
    "L15.P7",
    "Exit ticket, from lesson 5. `x.grad` is 4. Somebody calls `x.grad = None`, computes `y = x * x` at `x` = 2 and "
    "calls `y.backward()`. What is `x.grad`?",
    [
        Choice("4", "the box was empty, and 2x went into it", "None counts as nothing there."),
        Choice("8", "gradients always pile up", "They pile up on what is there. Nothing was."),
        Choice("None", "without a box nothing can be stored", "Backward puts a new tensor there."),
    ],
)
def after_emptying(torch: Any) -> float:
    x = leaf(torch, 2.0)
    for _ in range(2):
        x.grad = None
        (x * x).backward()
    return float(x.grad.item())


@question(
    "L15.P8",
    "A torchviz drawing of a network shows the parameters on top and the result at the bottom, with arrows. What do "
    "the arrows mean?",
    [
        Choice(
            "data flows along them in forward",
            "an arrow in a drawing of a network is data",
            "What is drawn is the recorded graph: data that asks for no gradient flows as well, and has no arrow.",
        ),
        Choice(
            "they are the paths of gradients, turned round",
            "it is the backward graph, with each arrow turned towards the result",
            "Boxes such as AddmmBackward0 are backward's nodes. Gradients go against the arrows.",
        ),
        Choice(
            "gradients flow along them",
            "in the graph of backward gradients follow the arrows",
            "They go the other way: from the result upward, to the parameters.",
        ),
    ],
)
def arrows_of_torchviz(torch: Any) -> str:
    from autograd_lab import make_dot

    x = torch.tensor(2.0, requires_grad=True)
    lines = [line.split() for line in make_dot(x * x).source.splitlines()]
    (leaf_box,), (product,) = ([line[0] for line in lines if kind in str(line)] for kind in ("Accumulate", "MulBack"))
    if [leaf_box, "->", product] not in [line[:3] for line in lines]:
        return "gradients flow along them"
    return "they are the paths of gradients, turned round"
