"""The lesson of each step in a line. What a step does that teaches nothing is said in the same voice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograd_lab.events import (
    UNSEEN,
    BackwardFinished,
    ErrorRaised,
    Event,
    GradAssigned,
    GradModeChanged,
    GradRetained,
    GraphReleased,
    HookRegistered,
    ModuleEntered,
    ModuleLeft,
    NodeMet,
    OpApplied,
    OptimizerEntered,
    OptimizerLeft,
    RecordingStopped,
    RequiresGradChanged,
    TensorCreated,
    TensorDetached,
    TensorModified,
    TensorSaved,
)
from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.facts.in_place import done_by, done_to_saved
from autograd_lab.view.graph.facts.passes import passes_of
from autograd_lab.view.graph.facts.state import GraphState, Slot
from autograd_lab.view.graph.words.called import Called, line
from autograd_lab.view.graph.words.cure import cure_of_freed
from autograd_lab.view.graph.words.meeting import Meetings
from autograd_lab.view.graph.words.summary import Lesson
from autograd_lab.view.graph.words.wavefront import Wavefront
from autograd_lab.view.kit.figure import counted, is_now, is_zero, listed
from autograd_lab.view.kit.headline import ALARM, NAME, SAVED, Headline, Run, said
from autograd_lab.view.kit.unknown import or_else

QUIET_ENDS = (GraphReleased, GradModeChanged, ModuleLeft, OptimizerLeft, BackwardFinished)
"""What a run may end with that is not its lesson."""


class Headlines:
    """Says what the steps of a trace teach; the last one, and the end of each pass, have the lesson of the whole."""

    def __init__(self, history: History, events: Sequence[Event]) -> None:
        self._history, self._last = history, len(events)
        self.called = self._called = Called(history)
        self._meetings, self._passes = Meetings(history), passes_of(events)
        self._wavefront = Wavefront(history, self._called, self._meetings)
        self._lesson = Lesson(history, self._called, self._meetings, self._passes)
        self._found: tuple[GraphState, Headline] | None = None

    def at(self, state: GraphState) -> Headline:
        """The headline of the step that led to `state`; a film asks for each a few times."""
        if self._found is None or self._found[0] is not state:
            self._found = state, self._told(state)
        return self._found[1]

    @or_else(Headline("What this step teaches is unknown"))
    def _told(self, state: GraphState) -> Headline:
        found = self._at(state)
        text, short = _capital(found.text), _capital(found.short)
        return found if (text, short) == (found.text, found.short) else replace(found, text=text, short=short)

    def meeting(self, state: GraphState, name: str) -> Headline | None:
        """That gradients meet, at what a picture calls by another name."""
        found = self._wavefront.meeting(state, name)
        return found and replace(found, text=_capital(found.text), short=_capital(found.short))

    def waiting(self, state: GraphState) -> Headline:
        """What forward has left for backward, once it is done."""
        return self._lesson.waiting(state)

    def is_end(self, state: GraphState) -> bool:
        """Whether no step follows."""
        return state.step == self._last

    def passes_in(self, span: tuple[int, float], step: int) -> tuple[int, list[str]]:
        """How many backward passes of some steps have begun by a step, and what each began at, by name."""
        passes = self._passes.within(span)
        return sum(each.start <= step for each in passes), [self._lesson.root_name(each) or "" for each in passes]

    def stepped(self, state: GraphState) -> str:
        """What has changed the weights since the last pass, as the program says it: `opt.step()`, or that it did so
        itself; nothing if nothing has."""
        done = self._passes.passes_until(state.step)
        taken = [update for update in self._passes.updates if done and done[-1].end < update.start]
        taken = [update for update in taken if update.end <= state.step]
        if taken:
            return taken[-1].call or f"{taken[-1].kind}'s step"
        return "the update" if done and self._passes.moves_in(done[-1].end, state.step) else ""

    def losses(self, state: GraphState) -> list[str]:
        """Whose gradients stand on the lines, if backward begins at several things in a run, each with a name: while it
        runs that of its pass, else of all that have run."""
        names = [self._lesson.root_name(each) or "" for each in self._passes.passes]
        begun = names[: state.passes]
        told = begun[state.current - 1 : state.current] if state.in_backward else begun
        return list(dict.fromkeys(told)) if len(set(names)) > 1 and all(names) else []

    def _at(self, state: GraphState) -> Headline:
        event = state.event
        if event is None:
            return self._before()
        if self._history.walked and isinstance(event, GradAssigned | NodeMet):
            return Headline(f"The graph as it is now: {counted(len(self._history.op_of_node))} ops")
        is_over = isinstance(event, BackwardFinished) and not state.outer
        breaks_off = isinstance(event, ErrorRaised | RecordingStopped) or state.in_backward
        is_last = self.is_end(state) and not breaks_off
        if is_over or (is_last and (state.passes or isinstance(event, QUIET_ENDS))):
            return self._lesson.at(state)
        return self._wavefront.at(event, state) or self._small(event, state) or self._forward(event, state)

    def _before(self) -> Headline:
        count, passes = len(self._history.ops), len(self._passes.passes)
        ops = f"{counted(count)} op{'s' * (count != 1)}"
        back = f", and {'backward' if passes == 1 else f'{counted(passes)} backward passes'}" if passes else ""
        return Headline(f"Before the first line: {ops}{back} will follow", "Before the first line")

    def _forward(self, event: Event, state: GraphState) -> Headline:
        match event:
            case TensorCreated(tensor=facts):
                if not (name := self._called.tensor(facts.id)) and not facts.requires_grad:
                    return Headline("A tensor without a name is made: it asks for no gradient", is_routine=True)
                name, asks = name or "An unnamed tensor", "asks for a gradient"
                if name.endswith(".grad"):
                    return Headline(f"{name} is used like any tensor: it {is_now(facts.value)}", f"{name} is used")
                asks = asks if facts.requires_grad else "asks for no gradient"
                return Headline(f"{name} {asks}: it {is_now(facts.value)}", f"{name} {asks}")
            case OpApplied():
                return self._applied(event, state)
            case TensorSaved(node=node):
                return self._saved(node, state)
            case TensorDetached(tensor=facts, source=source):
                return self._detached(facts.id, source)
            case TensorModified():
                return self._modified(event, state)
            case NodeMet(name=name):
                return Headline(f"{name} is from before the recording")
            case ErrorRaised():
                return self._error(event, state)
        return Headline(event.kind.replace("_", " "))

    def _applied(self, event: OpApplied, state: GraphState) -> Headline:
        if event.node is None and event.outputs and not event.wrote_in_place:
            made_by = self._history.boxes[self._history.lives[event.outputs[0].id][0]].op
        else:
            made_by = self._history.op_of_node.get(event.node or "")
        op = self._history.ops.get(made_by or "")
        name = self._called.op(op) if op is not None else event.name
        if event.node is None:
            told = f"{name} leaves no node"
            why = "grad mode is off" if not state.grad_enabled else "nothing here asks for a gradient"
            return Headline(f"{told}: {why}", told)
        if op is not None and op.unpacks:
            return Headline(f"{name} runs again, in backward: it was not kept", f"{name} runs again, in backward")
        if op is not None and self._passes.is_second(op.born):
            return Headline(f"Backward itself is recorded: {name} is a node, too", f"{name} is recorded, too")
        if op is not None and self._called.is_own(op):
            return Headline(
                f"{self._called.word(op)} brings its own backward: a Function of yours",
                f"{name} brings its own backward",
            )
        if event.wrote_in_place:
            return Headline(f"{name} writes in place, and is recorded")
        value = is_now(event.outputs[0].value) if len(event.outputs) == 1 else ""
        text = f"{name} is recorded" + f": it {value}" * bool(value)
        return Headline(text, f"{name} is recorded", is_routine=True)

    def _saved(self, node: str, state: GraphState) -> Headline:
        """What a node has kept so far."""
        slots = state.nodes[node].slots
        names = [self._called.tensor(slot.tensor) for slot in slots if slot.tensor is not None]
        name = self._called.node(node)
        if slots[-1].packed:
            return Headline(f"{name} gives what it would save to a hook", sub=said("its own graph holds 0 bytes of it"))
        if slots[-1].tensor is None and not names:
            return Headline(f"{name} saves a number for backward")
        unlike = list(dict.fromkeys(names)) if all(names) else ["a value"]
        kept, are = listed(unlike), "are" if len(unlike) > 1 else "is"
        sub = said("saved: ", Run(kept, SAVED))
        return Headline(f"{name} saves {kept} for backward", f"{kept} {are} saved for backward", sub, is_routine=True)

    def _detached(self, tensor: str, source: str) -> Headline:
        name, old = self._called.tensor(tensor) or "a copy", self._called.tensor(source) or "an unnamed tensor"
        if tensor == source:
            return Headline(f"{old} forgets how it was made: gradients stop here")
        told = f"{name} is {old} without its history: gradients stop here"
        return Headline(told, f"Gradients stop at {name}") if name != old else Headline(f"Gradients stop at {name}")

    def _small(self, event: Event, state: GraphState) -> Headline | None:
        match event:
            case RequiresGradChanged(tensor=tensor, requires_grad=flag):
                asks = "asks for a gradient from now on" if flag else "asks for no gradient any more"
                return Headline(f"{self._called.tensor(tensor) or 'an unnamed tensor'} {asks}")
            case GradRetained(tensor=tensor):
                return Headline(
                    f"{self._called.tensor(tensor) or 'an unnamed tensor'} will keep its gradient, though it is no leaf"
                )
            case GradModeChanged(enabled=enabled):
                off = "Grad mode is off: what runs now leaves no node"
                return Headline("Grad mode is on: ops leave nodes again" if enabled else off)
            case HookRegistered(tensor=tensor, node=node):
                on = self._called.tensor(tensor) if tensor else self._called.node(node or "")
                return Headline(
                    f"A hook will see the gradient of {on or 'an unnamed tensor'}", "A hook will see a gradient"
                )
            case GradAssigned(tensor=tensor, value=value):
                return self._assigned(self._called.grad(tensor), value is None, is_now(value))
            case ModuleEntered() | ModuleLeft():
                path = self._called.path(".".join(filter(None, (event.root, event.module)))) or f"a {event.type}"
                return Headline(
                    f"Forward {'enters' if isinstance(event, ModuleEntered) else 'leaves'} {path}", sub=said(event.type)
                )
            case OptimizerEntered() | OptimizerLeft():
                return self._stepped(event.type, state.step)
            case GraphReleased(nodes=nodes):
                count = "A node is" if len(nodes) == 1 else f"{counted(len(nodes)).capitalize()} nodes are"
                return Headline(f"{count} gone: nothing refers to {'it' if len(nodes) == 1 else 'them'} any more")
            case RecordingStopped(reason=reason):
                return Headline("The recording breaks off here", sub=said(Run(reason, ALARM)))
        return None

    @staticmethod
    def _assigned(box: str, is_cleared: bool, now: str) -> Headline:
        if is_cleared:
            return Headline(f"{box} is cleared: the next backward begins from nothing", f"{box} is cleared")
        return Headline(f"{box} is set by hand: it {now}", f"{box} is set by hand")

    def _stepped(self, kind: str, step: int) -> Headline:
        update = self._passes.update_at(step)
        count = len(update.moved) if update is not None else 0
        sub = said(Run(kind, NAME), f" writes to {counted(count)} tensor{'s' * (count != 1)}")
        if update is not None and update.against:
            whose = self._called.several(list(update.moved))
            if not update.is_against:
                return Headline(f"{kind} moves {whose}", sub=sub)
            each = f"Each of {whose}" if whose.endswith("parameters") else "Each weight" if count > 1 else "The weight"
            return Headline(f"{each} moves against its gradient", sub=sub)
        return Headline(f"{kind} takes its step, by what is in .grad", f"{kind} takes its step", sub)

    def _modified(self, event: TensorModified, state: GraphState) -> Headline:
        owner = state.owner_of(event.tensor)
        name = self._called.grad(owner) if owner else self._called.tensor(event.tensor)
        name = name or "an unnamed tensor"
        if owner is not None and is_zero(event.value):
            return Headline(f"{name} is set to 0: the next backward adds to that", f"{name} is set to 0")
        stale = self._stale(event, state)
        if stale:
            done = done_to_saved(event.op)
            told = f"{name} is {done}, but {self._called.noun(stale[0])} still needs it as it was"
            return Headline(told, f"{name} is {done}, but still needed", self._versions(*stale, state))
        update = self._passes.update_at(state.step)
        if update is not None and event.tensor in update.moved:
            how = "moves against its gradient" if update.is_against else f"is moved by {update.kind}"
            return Headline(f"{name} {how}: now it {is_now(event.value)}", f"{name} {how}")
        if state.step in self._passes.downhill:
            return Headline(
                f"{name} moves against its gradient: now it {is_now(event.value)}", f"{name} moves against its gradient"
            )
        if event.op == UNSEEN:
            return Headline(f"{name} has changed, and nobody saw by what")
        return Headline(
            f"{name} is {done_by(event.op)} in place: its version is {event.version}",
            f"{name} is {done_by(event.op)} in place",
        )

    def _stale(self, event: TensorModified, state: GraphState) -> tuple[Op, Slot] | None:
        """An op whose backward this write has spoiled, and the slot."""
        for node in self._history.watch.stale:
            for slot in state.nodes[node].slots if node in state.nodes else ():
                if slot.tensor is not None and state.is_stale(slot) and _shares(event.tensor, slot.tensor, state):
                    return self._history.ops[self._history.op_of_node[node]], slot
        return None

    def _versions(self, op: Op, slot: Slot, state: GraphState) -> tuple[Run, ...]:
        now, name = state.version(slot.tensor or "").number, self._called.memory(slot.tensor or "") or "it"
        saved = (Run(f"{name} at version {slot.version}", SAVED), ", and now it is at ")
        return said(f"{self._called.op(op)} saved ", *saved, Run(f"version {now}", ALARM))

    def _error(self, event: ErrorRaised, state: GraphState) -> Headline:
        op = self._history.ops.get(self._history.op_of_node.get(event.node or "", ""))
        message = event.message.split("\n")[0].split(". ")[0].rstrip(".")
        if op is None or event.node is None or event.node not in state.nodes:
            short = "The program stops with an error"
            return Headline(
                f"{event.error}: {message}" if len(message) < 50 else short, short, said(Run(message, ALARM))
            )
        slots = [slot for slot in state.nodes[event.node].slots if event.slot in (None, slot.name)]
        for slot in slots:
            if slot.tensor is not None and state.is_stale(slot):
                version, name = state.spoiled_by(slot), self._called.memory(slot.tensor) or "what it saved"
                done = done_to_saved(version.op or "")
                wrote = line(version.where, "a later write")
                told = f"{self._called.noun(op)} needs {name} as it was; {wrote} has {done} it"
                return Headline(told, f"{name} was {done}, but is still needed", self._versions(op, slot, state))
        if slots and all(slot.status == "freed" for slot in slots):
            by = line(slots[0].freed, "the backward before")
            told = f"{self._called.noun(op)} needs what it saved, but {by} has freed it"
            cure = cure_of_freed(self._history, event, slots[0].freed, state)
            return Headline(told, f"What {self._called.word(op)} saved is freed", said(cure))
        return Headline(f"Backward stops at {self._called.op(op)}", sub=said(Run(f"{event.error}: {message}", ALARM)))


def _shares(written: str, saved: str, state: GraphState) -> bool:
    return written in state.tensors and state.tensors[written].facts.counter == state.tensors[saved].facts.counter


def _capital(text: str) -> str:
    """The text with a capital, unless it begins with code or a name, which `a` may be, too."""
    return text[:1].upper() + text[1:] if text.startswith(("the ", "an unnamed ")) else text
