"""The stages of a compilation: what was captured, the graph after each pass, and what runs."""

from __future__ import annotations

from autograd_lab.compilation.teller import Teller
from autograd_lab.compiler.entry import Entry, Stage
from autograd_lab.compiler.graph import Graph
from autograd_lab.view.compiled import told
from autograd_lab.view.compiled.told import AGAIN, CHANGED, GONE, LOOP, SAVED, Card, Mark

CAPTURED = "The function ran once. These are the numpy calls that it made, then those of its backward pass."
PASSES = {
    "captured": ("Captured", CAPTURED),
    "dead": ("Dead code", "What leads to nothing that is asked for is left out."),
    "constants": ("Constant folding", "What depends on no input is computed once, now."),
    "algebra": ("Algebra", "What can be had for less is, as long as every bit of the results stays as it was."),
    "duplicates": ("Common subexpressions", "What is computed twice is computed once."),
}
"""What each pass is called, and what it does."""
NOTHING = " Here there is nothing to do."


def passed(stage: Stage, entry: Entry, teller: Teller) -> told.Stage:
    """The graph after a pass, with what the pass has done."""
    graph = stage.graph
    present = teller.present_in(graph) | {one.name for one in graph.inputs}
    marks = teller.takes_of(graph)
    for value, words in stage.notes.items():
        name = teller.owners[value]
        marks[name] = (Mark(CHANGED if name in present else GONE, words), *marks.get(name, ()))
    ends = teller.ends_of(graph.outputs, (*entry.results, *entry.writes, *entry.grads, *entry.gradients))
    name, says = PASSES[stage.name]
    says += NOTHING * (not stage.notes and stage.name != "captured")
    links, titles = teller.links_of(graph), teller.titles_of(graph)
    return told.Stage(
        _counted(name, len(graph.operations)), says, frozenset(present), frozenset(links), marks, ends, titles
    )


def captured(entry: Entry, teller: Teller, stage: told.Stage, last: told.Stage) -> told.Stage:
    """What was captured, with what becomes of each operation in the end."""
    fates: dict[str, Mark] = {}
    used = {source for source, _ in stage.links} | stage.ends.keys()
    for each in entry.stages[1:]:
        for value, words in each.notes.items():
            name = teller.owners[value]
            if name in last.present:
                fates.setdefault(name, Mark(CHANGED, words))
            else:
                fates[name] = Mark(GONE, "no longer asked for" if each.name == "dead" and name in used else words)
    takes = teller.takes_of(entry.stages[0].graph)
    marks = {name: (*([fates[name]] if name in fates else []), *takes.get(name, ())) for name in {*fates, *takes}}
    return told.Stage(stage.name, CAPTURED, stage.present, stage.links, marks, stage.ends)


def compiled(entry: Entry, teller: Teller) -> told.Stage:
    """What runs: forward and backward, with loops, what is saved and what is computed again."""
    forward, backward = entry.forward.graph, entry.backward.graph if entry.backward else None
    graphs = [forward, *([backward] if backward else [])]
    loops = [each for graph in graphs for each in graph.operations if each.body]
    count = sum(len(each.body) or 1 for graph in graphs for each in graph.operations)
    where = "" if not loops else ", in one loop" if len(loops) == 1 else f", in {len(loops)} loops"
    says = "This runs instead: forward at each call" + " and, when gradients come, backward" * bool(backward) + "."
    return told.Stage(
        _counted("Compiled", count) + where,
        says,
        frozenset({name for graph in graphs for name in teller.present_in(graph)} | _inputs(entry)),
        frozenset({pair for graph in graphs for pair in teller.links_of(graph)}),
        _marks(entry, teller, graphs),
        _ends(entry, teller),
        {name: title for graph in graphs for name, title in teller.titles_of(graph).items()},
    )


def _counted(name: str, count: int) -> str:
    return f"{name}: {count} operation{'s' * (count != 1)}"


def _inputs(entry: Entry) -> set[str]:
    return {one.name for one in entry.stages[0].graph.inputs}


def _marks(entry: Entry, teller: Teller, graphs: list[Graph]) -> dict[str, tuple[Mark, ...]]:
    marks: dict[str, list[Mark]] = {}
    loops = [each for graph in graphs for each in graph.operations if each.body]
    for number, each in enumerate(loops, 1):
        for part in each.body:
            marks.setdefault(part.results[0].name, []).append(Mark(LOOP, f"loop {number}"))
    if entry.backward is not None:
        for one in entry.backward.graph.inputs:
            if one in teller.owners and teller.cards[teller.owners[one]].kind != "input":
                marks.setdefault(teller.owners[one], []).append(Mark(SAVED, "saved"))
        for name in teller.present_in(graphs[0]) & teller.present_in(graphs[1]):
            marks.setdefault(name, []).append(Mark(AGAIN, "again in backward"))
    for name, takes in [pair for graph in graphs for pair in teller.takes_of(graph).items()]:
        marks.setdefault(name, []).extend(takes)
    return {name: tuple(found) for name, found in marks.items()}


def _ends(entry: Entry, teller: Teller) -> dict[str, str]:
    outputs = entry.forward.graph.outputs
    new, rest = len(entry.results), len(outputs) - len(entry.writes)
    ends = teller.ends_of(outputs[:new], entry.results) | teller.ends_of(outputs[rest:], entry.writes)
    if entry.backward is not None:
        ends |= teller.ends_of(entry.backward.graph.outputs, entry.gradients)
    return ends


def in_order(teller: Teller, stages: list[told.Stage]) -> tuple[Card, ...]:
    """All cards, each after those that feed it in any stage."""
    feeds: dict[str, list[str]] = {}
    for source, target in sorted(set().union(*(stage.links for stage in stages))):
        feeds.setdefault(target, []).append(source)
    done: dict[str, Card] = {}
    for name in teller.cards:
        waiting = [name]
        while waiting:
            missing = [one for one in feeds.get(waiting[-1], ()) if one not in done]
            if missing:
                waiting.append(missing[0])
            else:
                last = waiting.pop()
                done[last] = teller.cards[last]
    return tuple(done.values())
