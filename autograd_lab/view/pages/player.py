"""What a browser needs to play a trace: the graph in each view, and step by step what happened and where.

The player in the browser knows nothing of autograd. All that depends on it is said here: sentences, names of phases,
which steps are worth a jump, which lines are lit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from autograd_lab import events as e
from autograd_lab.findings.finding import Finding
from autograd_lab.trace import Trace
from autograd_lab.view.compiled.compiled_scene import CompiledScene
from autograd_lab.view.graph.faces.forms import Pane
from autograd_lab.view.graph.facts.fault import Culprits, culprits_at
from autograd_lab.view.graph.words.about import Row
from autograd_lab.view.graph.words.paths import Paths
from autograd_lab.view.graph.words.working import worked
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.kit.program_lines import line_at
from autograd_lab.view.kit.shapes.panel import coloured
from autograd_lab.view.languages.pairs import ENGLISH
from autograd_lab.view.languages.speaking import in_one_language, spoken_in, translated
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.film_findings import telling
from autograd_lab.view.pages.film_graphs import graphs_of
from autograd_lab.view.pages.film_ways import ways_of
from autograd_lab.view.pages.layouts import PANES
from autograd_lab.view.pages.local_products import Reasons, reasons_in
from autograd_lab.view.pages.opening import opening_step
from autograd_lab.view.pages.player_inspector import inspected
from autograd_lab.view.pages.player_timeline import timeline_of
from autograd_lab.view.recorded_scene import history_in
from autograd_lab.view.scene import Scene

SCHEMA = 6
"""Raised by one whenever an older player could misread newer data."""

MARKS: dict[type[e.Event], str] = {
    e.NodeVisited: "visit",
    e.TensorSaved: "save",
    e.SavedFreed: "free",
    e.TensorModified: "write",
    e.GradAccumulated: "store",
    e.BackwardStarted: "backward",
    e.ErrorRaised: "error",
    e.RecordingStopped: "error",
    e.PassFinished: "pass",
    e.OperationDropped: "drop",
    e.OperationRewritten: "rewrite",
    e.OperationsFused: "fuse",
    e.ArrayKept: "keep",
    e.ArrayPlaced: "place",
}
"""Steps that one wants to jump to, by what the player calls them."""

TAB = 4
"""So many characters lead from one tabulator to the next."""

GOALS: tuple[tuple[str, tuple[type[e.Event], ...]], ...] = (
    ("seed", (e.BackwardStarted,)),
    ("pop a ready node", (e.NodeVisited,)),
    ("local derivative", (e.NodeEvaluated,)),
    ("send and sum", (e.GradientSent, e.GradientsAdded)),
    ("store or drop", (e.GradAccumulated, e.SavedFreed, e.SavedRetained)),
)
"""The five things that backward does, over and over, and the facts that tell of them."""


@undisturbed
@in_one_language
def film_of(
    scene: Scene, title: str | None = None, panes: Sequence[Pane] = PANES, findings: Sequence[Finding] = ()
) -> dict[str, Any]:
    """All that the player shows in these panes, JSON-able, with what is wrong; the words are those of
    `widgets/src/film.ts`.

    Step `k` of a list is after `k` events.
    """
    trace, states = scene.trace, _States(scene)
    graphs = graphs_of(scene, panes, states)
    files = [[name, _lines(text)] for name, text in _files(trace).items()]
    return {
        "schema": SCHEMA,
        "title": title or _title(trace),
        "steps": len(trace),
        "start": _start(scene),
        "moments": scene.moments,
        "files": files,
        "tokens": ["\n".join(map(_tokens, lines)) for _, lines in files],
        **_film(trace, states),
        **telling(trace, findings, list(_files(trace))),
        **timeline_of(trace, history_in(scene)),
        **inspected(scene, list(graphs.shown.values()), states.captions, states.workings, states.paths.told),
        **ways_of(history_in(scene), states.paths.factors, graphs.shown.values()),
        "views": list(dict.fromkeys((scene.view, *scene.subject.views))),
        **graphs.as_json(),
    }


def _start(scene: Scene) -> int:
    """The step at which a page opens; of a compilation that at which all is captured, or where it broke off."""
    if isinstance(scene, CompiledScene):
        return scene.moments.get("captured", len(scene.trace))
    return opening_step(scene.trace.events)


def _film(trace: Trace, states: _States) -> dict[str, Any]:
    """What changes from step to step: one entry a step, or (step, value) where it changes."""
    goal = "".join(_goal(event) for event in (None, *trace))
    return {
        "captions": states.captions,
        "headlines": _changes(states.headlines),
        "phases": _phases(states.phases),
        **states.turns,
        "goals": [worded(name) for name, _ in GOALS] if goal.strip(".") else [],
        "goal": goal,
        "marks": _marks(trace),
        "held": _changes(states.held),
        "holding": states.holding,
        "here": _changes(states.here),
        "running": _changes(states.running),
        "culprits": _changes(states.culprits),
    }


class _States:
    """Takes down what is said of each state."""

    def __init__(self, scene: Scene) -> None:
        self._subject, self._files = scene.subject, list(_files(scene.trace))
        self._said, self._history = self._subject.words, history_in(scene)
        self._lines = {name: text.split("\n") for name, text in _files(scene.trace).items()}
        self._events = scene.trace.events
        state = self._subject.before()
        self._suspects = self._subject.suspects
        turns = [self._said.iteration(step) for step in range(scene.steps + 1)] if scene.trace.course else []
        self.turns = {"iterations": _changes(turns)} if turns else {}
        self._at_fault: Culprits = culprits_at(state, self._suspects)
        self.captions, self.phases = [self._said.at(state)], [self._phase(state)]
        self.headlines = [self._subject.headline(state).text]
        self.held, self.here, self.running = [0], [self._place(None)], [_columns(None, [])]
        self.devices: set[str] = set()
        self.culprits = [[self._place(where) for where in self._at_fault]]
        self.workings: dict[str, list[Row]] = {}
        self.worked: dict[int, str] = {}
        self.paths = Paths(self._history)

    def see(self, event: e.Event, before: Any, state: Any) -> None:
        """Take down what an event has made of a state."""
        self.paths.see(event, before, state)
        if isinstance(event, e.TensorModified | e.ErrorRaised) or any(self._at_fault):
            self._at_fault = culprits_at(state, self._suspects)
        self.captions.append(self._said.at(state))
        self.headlines.append(self._subject.headline(state).text)
        self.phases.append(self._phase(state))
        self.held.append(state.held)
        self.devices.update(state.held_on)
        where = line_at(self._events, state.step)
        self.here.append(self._place(where))
        self.running.append(_columns(where, self._lines.get(where.file, ()) if where is not None else ()))
        self.culprits.append([self._place(where) for where in self._at_fault])
        if isinstance(event, e.NodeEvaluated) and event.node in self._history.op_of_node:
            op = self._history.ops[self._history.op_of_node[event.node]]
            if text := worked(event, op, state):
                self.worked[state.step] = text
                self.workings.setdefault(op.id, []).append(["in numbers", text, state.step])

    def reasons(self) -> Reasons:
        """Why lines will bring what they bring."""
        return reasons_in(self._events, self.worked, self._history)

    @property
    def holding(self) -> str:
        """What is said of the bytes that are held, and where that is if it is not the CPU alone."""
        others = sorted(self.devices - {"cpu"})
        on = f" on {' and '.join([*others, *sorted(self.devices & {'cpu'})])}" if others else ""
        return translated(self._subject.holding or f"held for backward{on}")

    def _phase(self, state: Any) -> str:
        """Where the run is, in English."""
        with spoken_in(ENGLISH):
            return self._said.moment(state)

    def _place(self, where: e.Where | None) -> list[int]:
        """Number of the file, and line; nothing where there is no such line."""
        return [] if where is None or where.file not in self._files else [self._files.index(where.file), where.line]


def _changes(values: Iterable[Any]) -> list[list[Any]]:
    """(step, value) for the steps at which a value changes."""
    found: list[list[Any]] = []
    for step, value in enumerate(values):
        if not found or found[-1][1] != value:
            found.append([step, value])
    return found


def _phases(names: Iterable[str]) -> list[list[Any]]:
    """The same of phases; beside one that is said in another language stands what it is in English: the browser has
    colours for that."""
    told = [(step, name, translated(name)) for step, name in _changes(names)]
    return [[step, said, *([name] if said != name else [])] for step, name, said in told]


def _columns(where: e.Where | None, lines: Sequence[str]) -> list[int]:
    """The characters of its line, as it is shown, that what runs takes; nothing where that is not known."""
    if where is None or where.columns is None or not 0 < where.line <= len(lines):
        return []
    line = lines[where.line - 1]
    indent = line[: len(line) - len(line.lstrip())]
    return [len((indent + where.text[:column]).expandtabs(TAB)) for column in where.columns]


def _goal(event: e.Event | None) -> str:
    """Number of the subgoal that a fact belongs to, a dot outside of backward."""
    return next((str(number) for number, (_, kinds) in enumerate(GOALS) if isinstance(event, kinds)), ".")


def _marks(trace: Trace) -> dict[str, list[int]]:
    marks: dict[str, list[int]] = {}
    for step, event in enumerate(trace, 1):
        if (kind := MARKS.get(type(event))) is not None:
            marks.setdefault(kind, []).append(step)
    return {kind: marks[kind] for kind in MARKS.values() if kind in marks}


def _files(trace: Trace) -> dict[str, str]:
    """The source files that events point into, with their texts; lines alone where the text is not there."""
    lines: dict[str, dict[int, str]] = {}
    for event in trace:
        if event.where is not None:
            lines.setdefault(event.where.file, {}).setdefault(event.where.line, event.where.text)
    return {name: trace.files.get(name) or _sparse(known) for name, known in lines.items()}


def _sparse(known: dict[int, str]) -> str:
    return "\n".join(known.get(number, "") for number in range(1, max(known) + 1))


def _lines(text: str) -> list[str]:
    return [line.expandtabs(TAB).rstrip() for line in text.rstrip().split("\n")]


def _tokens(line: str) -> str:
    """The colours of a line of code, without its text: for each run of characters a letter and how many they are.

    >>> _tokens("for t in 3:")
    'k3_3k2_1f1_1'
    """
    return "".join(f"{kind[:1] or '_'}{len(text)}" for text, kind in coloured(line))


def _title(trace: Trace) -> str:
    names: Iterable[str] = dict.fromkeys(event.where.file for event in trace if event.where is not None)
    return next(iter(names), "autograd graph")
