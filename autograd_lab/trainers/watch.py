"""`with watch(model, every=100):` around a training loop: pages and pictures of chosen iterations, norms of its layers.

Most iterations are not recorded, and run at their own speed: all that is in their way is one call at the end of a
backward pass, and one at the end of an optimizer's step. Nothing that goes wrong in here ends the training.
"""

from __future__ import annotations

import logging
import os
import warnings
import weakref
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import Any

from autograd_lab import listening
from autograd_lab.display.picture import Picture, conclude_with, draw
from autograd_lab.findings.diagnosis import aside
from autograd_lab.findings.finding import NOTE, Finding, told
from autograd_lab.findings.numbers import not_finite
from autograd_lab.recording import recorder
from autograd_lab.recording.ids import Numbers
from autograd_lab.recording.iterations.meters import meter_of
from autograd_lab.recording.iterations.take import Take
from autograd_lab.recording.recording import Recording
from autograd_lab.trace import Trace
from autograd_lab.trace.course import Course, Series
from autograd_lab.trainers.alarm import Alarm
from autograd_lab.trainers.folder_log import FolderLog
from autograd_lab.trainers.layers import Layers
from autograd_lab.trainers.logbook import FIRST_FINDING, Logbook, Norms, Shown
from autograd_lab.trainers.tensorboard_log import TensorBoardLog
from autograd_lab.trainers.wandb_log import WandbLog
from autograd_lab.view.subject import NothingToDraw

MOST = 50
"""After so many recorded iterations their distance doubles, and again after as many: a long run fills no disk."""
POINTS = 200
"""Of so many measured iterations at most a page shows the course."""
MEASURED = 5
"""Between two recorded iterations norms are measured about so often."""


class Watch:
    """Records and measures the iterations that somebody tells it the beginning and the end of.

    `every` is the distance of recorded iterations and `iterations` are others, by their numbers from 1; norms are
    measured each `norms_every` iterations. Raises ValueError for a distance below 1.
    """

    def __init__(
        self,
        model: Any,
        logbooks: Iterable[Logbook],
        every: int = 100,
        iterations: Collection[int] = (1,),
        norms_every: int | None = None,
    ) -> None:
        if every < 1 or (norms_every is not None and norms_every < 1):
            raise ValueError("every and norms_every are distances between iterations, 1 or more")
        self._model, self.layers, self._logbooks = model, Layers(model), list(logbooks)
        self._every, self._iterations = every, frozenset(iterations)
        self._norms_every = norms_every or max(1, every // MEASURED)
        self._numbers, self._pacings, self._thread = Numbers(), ExitStack(), get_ident()
        self._take: Take | None = None
        self.number = self._ended = self._recorded = 0
        self._reached, self._has_norms = range(0), False
        self._loss: float | None = None
        self._losses: dict[int, float] = {}
        self._norms: dict[str, dict[int, Norms]] = {}
        self._alarm, self._has_found, self._is_broken = Alarm(), False, False
        self._optimizer: weakref.ref[Any] | None = None
        self._are_ours: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()

    # --- from the first iteration to the last ----------------------------------------------------------------------

    def start(self) -> None:
        """Hear of backward passes and steps from now on."""
        listening.listeners.append(self._passed)
        for pacing in listening.pacings:
            self._pacings.enter_context(pacing(self._fail))

    def close(self, error: BaseException | None = None) -> None:
        """The run is over, or an error ended it: then the iteration is shown that it ended, if that was recorded."""
        if self._take is not None:
            failed = isinstance(error, Exception)
            self._guarded(self._finish, error, failed)
        self._guarded(self._look_back)
        self._leave()
        for logbook in self._logbooks:
            self._guarded(logbook.close)

    def begin(self, number: int) -> None:
        """Iteration `number` begins: the next one, or, where several steps are counted in each, one later on."""
        self._reached = range(self._ended + 1 if self._ended else number, number + 1)
        self._has_norms = any(each % self._norms_every == 0 for each in self._reached)
        self.number = number
        if self._is_wanted() and not self._is_broken:
            self._guarded(self._record)

    def end(self) -> None:
        """The iteration is over."""
        self._ended = self.number
        if self._take is not None:
            self._guarded(self._finish, None, True)

    def turn(self) -> None:
        """An iteration is over, and the next one begins: for loops that update without an optimizer."""
        if self._optimizer is None and self._is_measured:
            self._guarded(self._measure)
        self.end()
        self.begin(self.number + 1)

    # --- recorded iterations -----------------------------------------------------------------------------------------

    def _is_wanted(self) -> bool:
        is_named = any(each % self._every == 0 or each in self._iterations for each in self._reached)
        return is_named or self._alarm.is_raised

    def _record(self) -> None:
        self._take = Take(Recording({"model": self._model}, self._numbers), self.number, 0)
        self._take.open()

    def _finish(self, error: BaseException | None, is_whole: bool) -> None:
        """Record no more. What was recorded is shown if it is whole, or an error broke it off."""
        take, self._take = self._take, None
        assert take is not None
        if error is None:
            take.end(None)
        take.close(error)
        if is_whole:
            self._show(take.number, take.trace())

    def _show(self, number: int, trace: Trace) -> None:
        series = tuple(self._series())
        trace.course = Course(shown=(number,), seen=number, goes_on=True, events=(len(trace),), series=series)
        found = tuple(each for each in aside(trace) if each.severity != NOTE)
        if self._alarm.is_raised:
            found = found or self._alarm.findings
        if any(each.kind == not_finite.KIND for each in found):
            self._alarm.silence()
        try:
            picture = draw(trace)
        except NothingToDraw:
            return
        self._tell(Shown(f"iteration-{number}", number, trace, picture, found))
        if found and not self._has_found:
            self._warn(number, found)
            self._tell(Shown(FIRST_FINDING, number, trace, _picture_of(found[0], trace), found))
        self._recorded += 1
        if self._recorded % MOST == 0:
            self._every *= 2

    def _look_back(self) -> None:
        """At the end, say what became NaN or infinite, if there was no iteration left to show it."""
        if self._is_broken or not self._ended:
            return
        is_first = not self._has_found
        for layer, weight in self.layers.weights().items() if is_first else ():
            self._alarm.look(self._ended, f"A weight of {self.layers.said(layer)}", weight)
        if self._alarm.is_raised:
            self._warn(self._ended, self._alarm.findings)
            for logbook in self._logbooks if is_first else ():
                self._guarded(logbook.unseen, self._ended, self._alarm.findings)

    def _warn(self, number: int, found: Sequence[Finding]) -> None:
        self._has_found = True
        logging.getLogger("autograd_lab").warning("iteration %s: %s", number, told(found[0]))

    def _tell(self, shown: Shown) -> None:
        for logbook in self._logbooks:
            self._guarded(logbook.shown, shown)

    def _series(self) -> Iterator[Series]:
        if self._losses:
            yield Series(kind="loss", name="loss", points=tuple(self._losses.items()))
        for layer, of in self._norms.items():
            points = tuple((at, each.gradient) for at, each in of.items())
            yield Series(kind="norm", name=self.layers.said(layer), points=points)

    # --- measured iterations -----------------------------------------------------------------------------------------

    def _passed(self, what: str, by: Any) -> None:
        if get_ident() != self._thread:
            return
        if what == "step":
            if self._is_ours(by):
                if self._is_measured:
                    self._guarded(self._measure)
                self.stepped(by)
        elif self._is_measured and what == "backward":
            self._guarded(self._note_loss, by)

    @property
    def _is_measured(self) -> bool:
        """Whether numbers of this iteration are taken down."""
        return self._has_norms or self._take is not None

    def _is_ours(self, optimizer: Any) -> bool:
        """Whether an optimizer updates the model."""
        if optimizer not in self._are_ours:
            self._are_ours[optimizer] = self.layers.are_updated_by(optimizer)
        return self._are_ours[optimizer]

    def stepped(self, optimizer: Any) -> None:
        """An optimizer has updated the model."""

    def _note_loss(self, roots: Any) -> None:
        root = roots[0] if isinstance(roots, tuple | list) else roots
        meter = meter_of(root)
        number = None if meter is None else meter.number(root)
        self._loss = None if number is None else number()
        if self._loss is not None:
            self._look("The loss", self._loss)

    def _measure(self) -> None:
        norms = self.layers.norms()
        for layer, of in norms.items():
            self._look(f"The gradient of {self.layers.said(layer)}", of.gradient)
            self._look(f"A weight of {self.layers.said(layer)}", of.weight)
        if self._loss is not None:
            self._losses[self.number] = self._loss
        for layer, of in norms.items():
            self._norms.setdefault(layer, {})[self.number] = of
        _thin(self._losses, *self._norms.values())
        for logbook in self._logbooks:
            self._guarded(logbook.norms, self.number, self._loss, norms)
        self._loss = None

    def _look(self, what: str, number: float) -> None:
        self._alarm.look(self.number, what, number, is_recorded=self._take is not None)

    # --- whatever goes wrong -----------------------------------------------------------------------------------------

    def _guarded(self, call: Any, *arguments: Any) -> None:
        """A mistake in here, or a full disk, is told once and ends the watching, never the training."""
        try:
            call(*arguments)
        except Exception as error:
            if recorder.STRICT:
                raise
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not self._is_broken:
            self._is_broken = True
            what = f"{type(error).__name__}: {error}"
            warnings.warn(f"the training goes on, but is no longer watched: {what}", RuntimeWarning, stacklevel=2)
        self._leave()
        if self._take is not None:
            take, self._take = self._take, None
            take.close()

    def _leave(self) -> None:
        if self._passed in listening.listeners:
            listening.listeners.remove(self._passed)
        self._pacings.close()


class Loop(Watch):
    """Finds out by itself where an iteration ends: with a step of the first optimizer that updates the model."""

    def stepped(self, optimizer: Any) -> None:
        if self._optimizer is None or self._optimizer() is None:
            self._optimizer = weakref.ref(optimizer)
        if self._optimizer() is optimizer:
            self.turn()


@contextmanager
def watch(
    model: Any,
    every: int = 100,
    to: str | os.PathLike[str] | None = "watched",
    *,
    log: Iterable[Any] = (),
    iterations: Collection[int] = (1,),
    norms_every: int | None = None,
) -> Iterator[Watch]:
    """Watch the training of a model of PyTorch's, or of this engine's, inside of the `with` block.

    Each iteration whose number, from 1 on, is a multiple of `every` or one of `iterations` is recorded: the folder
    `to` gets a page that plays it and a picture. So it does, as `first-finding`, of the first one in which something is
    wrong. Each `norms_every` iterations, by default five times as often, the norms of gradients and weights of each
    layer go into `norms.csv` there. A loss or a gradient that is found to be NaN or infinite then has the following
    iteration recorded, too. With `to=None` there is no
    folder. `log` are more places for all of it: a `SummaryWriter` of TensorBoard, a run of `wandb`, a
    `Logbook`.

    An iteration ends with a step of the first optimizer that updates the model. Of a loop without optimizers, call
    `turn()` of what `with … as` gives at the end of each turn. What fails in watching never ends the training: it is
    warned of, once. Raises ValueError for a distance below 1, TypeError for a place in `log` that nobody can write to.

    >>> import tempfile, os
    >>> import autograd_lab as torch
    >>> model = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with watch(model, every=2, to=folder):
    ...         for _ in range(3):
    ...             optimizer.zero_grad()
    ...             model(torch.ones(4, 2)).square().mean().backward()
    ...             optimizer.step()
    ...     sorted(os.listdir(folder))
    ['iteration-1.html', 'iteration-1.png', 'iteration-2.html', 'iteration-2.png', 'norms.csv']
    """
    books = [logbook_of(each) for each in log]
    folder = [] if to is None else [FolderLog(to)]
    loop = Loop(model, [*folder, *books], every, iterations, norms_every)
    loop.start()
    loop.begin(1)
    try:
        yield loop
    except BaseException as error:
        loop.close(error)
        raise
    loop.close()


def logbook_of(thing: Any) -> Logbook:
    """Who writes to a place. Raises TypeError if that is unknown."""
    if isinstance(thing, Logbook):
        return thing
    if hasattr(thing, "add_scalar") and hasattr(thing, "add_image"):
        return TensorBoardLog(thing)
    if type(thing).__module__.partition(".")[0] == "wandb" and hasattr(thing, "log"):
        return WandbLog(thing)
    raise TypeError(f"log takes a SummaryWriter, a run of wandb or a Logbook, not {type(thing).__name__}")


def _picture_of(finding: Finding, trace: Trace) -> Picture:
    """The picture of the step at which a finding shows, with the finding for a headline."""
    picture = draw(trace, step=_step_of(finding, trace))
    conclude_with(picture, finding)
    return picture


def _step_of(finding: Finding, trace: Trace) -> int | None:
    """Where a finding shows, with all that brought it about before it; at the end, if it is about no step."""
    return max((step for step in finding.steps if 0 < step <= len(trace)), default=None)


def _thin(*tables: dict[int, Any]) -> None:
    """Drop each second entry of tables that have become long."""
    for table in tables:
        if len(table) > POINTS:
            for at in list(table)[1::2]:
                del table[at]
