"""What one writes in a notebook: `show(loss)`, `trace(f, 2.0, 3.0)`, `explore(f, a=(-5, 5))`, and the magic `%%lab`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autograd_lab.compiler.compiled import Compiled, OptimizedModule
from autograd_lab.display.experiment import torch_of
from autograd_lab.display.picture import told_by
from autograd_lab.display.tracebacks import users_frames
from autograd_lab.display.vary import vary as vary_beforehand
from autograd_lab.findings.diagnosis import aside
from autograd_lab.findings.finding import ERROR, WARNING, Finding
from autograd_lab.findings.finding import told as said
from autograd_lab.recording.iterations.record import record
from autograd_lab.trace import Trace
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw

if TYPE_CHECKING:
    from autograd_lab.display.explorer import Explorer
    from autograd_lab.display.variation import Variation
    from autograd_lab.display.widget import Player

ADVICE = "a player in a notebook needs anywidget: pip install anywidget (trace.save('page.html') does without)"


def show(
    thing: Any, *, step: int | None = None, params: Any = None, title: str | None = None, **options: Any
) -> Player:
    """A player for a trace, for a function that `compile` gave, or for the graph behind tensors of this engine or of
    PyTorch, recorded or not.

    It opens at `step`, by default where a page would, but at the end for tensors. `params` and `options` are those of
    `draw`. Raises ImportError without anywidget, and what `draw` raises.
    """
    recorded = isinstance(thing, Trace | Compiled | OptimizedModule)
    told = told_by(thing, params)
    scene = make_scene(told, **options)
    try:
        from autograd_lab.display.widget import Player
    except ImportError:
        raise ImportError(ADVICE) from None
    findings = aside(thing) if isinstance(thing, Trace) else ()
    return Player(scene, scene.steps if step is None and not recorded else step, title, findings=findings)


def explore(function: Callable[..., Any], /, **controls: Any) -> Explorer:
    """A player of `function` under sliders and choices that run it anew: `explore(f, a=(-5, 5), n=[1, 2, 3])`.

    Controls are written as for `ipywidgets.interact`: (least, most) or (least, most, step) is a slider, a list a
    choice, a bool a box to tick, a number a slider that begins there; defaults of the function count, too. Floats, and
    what moves between (least, most), become leaves that ask for a gradient, of PyTorch if the function uses that; all
    else is passed as it is. The result is differentiated if it is one number.

    Raises ImportError without anywidget, TypeError and ValueError for controls that do not suit the function, and
    what the first run raises if nothing of it can be drawn.
    """
    try:
        from autograd_lab.display.explorer import Explorer
    except ImportError:
        raise ImportError(ADVICE) from None
    return Explorer(function, **controls)


def play(thing: Any, /, *, vary: Mapping[str, Any] | None = None, **options: Any) -> Player | Explorer | Variation:
    """The player of what `show` takes; with numbers to vary, of a function or a script in which they can be moved.

    `play(f, vary={"a": (-3, 3), "b": 2.0})` runs `f` anew with each move in a notebook, as `explore` does, and
    elsewhere beforehand, as `autograd_lab.vary` does, whose result can be saved as a page; so does a script. Raises
    TypeError for a recording with numbers to vary, and what these raise.
    """
    if not vary:
        return show(thing, **options)
    if isinstance(thing, Trace):
        raise TypeError("a recording cannot run again with another number: give the function, or the script")
    if callable(thing) and _is_in_notebook():
        return explore(thing, **vary)
    return vary_beforehand(thing, **options, **vary)


def _is_in_notebook() -> bool:
    """Whether this runs in a kernel, which can be asked for another run at any time."""
    return hasattr(sys.modules["IPython"].get_ipython(), "kernel") if "IPython" in sys.modules else False


def trace(function: Callable[..., Any], *inputs: Any, backward: bool = True) -> Trace:
    """Call a function and record it; floats become leaves that want a gradient, of PyTorch if the function uses that.

    If the result is one number that requires grad, `backward` differentiates it, too. Inputs go by the names that the
    function has for them. An error of the function goes on its way.
    """
    tensor = torch_of(function).tensor
    leaves = [tensor(one, requires_grad=True) if isinstance(one, float) else one for one in inputs]
    with record(**_names(function, leaves)) as told:
        result = function(*leaves)
        if backward and getattr(result, "requires_grad", False) and result.numel() == 1:
            result.backward()
    return told


def _names(function: Callable[..., Any], values: list[Any]) -> dict[str, Any]:
    try:
        return dict(inspect.signature(function).bind_partial(*values).arguments)
    except (TypeError, ValueError):  # built-in functions may have no signature
        return {}


HEADING = "# %%lab"
"""The first line of what `%%lab` runs, so that lines have the numbers that a notebook shows beside them."""


@contextmanager
def _users_frames_alone(shell: Any) -> Iterator[None]:
    """Meanwhile, IPython leaves the frames of this package out of the tracebacks that it shows."""

    def show_it(shell: Any, kind: Any, error: Any, trace: Any, tb_offset: Any = None) -> None:
        shell.showtraceback((kind, error, users_frames(trace)), tb_offset=tb_offset)

    before = shell.custom_exceptions, shell.CustomTB
    shell.set_custom_exc((Exception,), show_it)
    try:
        yield
    finally:
        shell.custom_exceptions, shell.CustomTB = before


@contextmanager
def _by_the_number_of_this_cell(shell: Any) -> Iterator[None]:
    """Meanwhile, IPython takes what it runs for the cell that is running, not for the next one."""
    cache, own = shell.compile.cache, len(shell.history_manager.input_hist_parsed) - 1
    shell.compile.cache = lambda code, number=0, **rest: cache(code, own, **rest)
    try:
        yield
    finally:
        del shell.compile.cache


def _unsaid(told: Trace, ran: Any) -> list[Finding]:
    """What is wrong with a cell that nobody has told of: warnings, and what an error was about that PyTorch raised."""
    explained = ran is None or ran.error_in_exec is None or str(told.engine).startswith("autograd_lab")
    return [each for each in aside(told) if each.severity == WARNING or (each.severity == ERROR and not explained)]


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext autograd_lab`: from then on there is `%%lab`."""
    shell.register_magic_function(lambda line, cell: lab(shell, line, cell), "cell", "lab")


def lab(shell: Any, line: str, cell: str) -> None:
    """`%%lab`: run the cell, record what its tensors do, and show the player under it. A number after it is a step."""
    from IPython.display import display

    if line.strip() and not line.strip().isdecimal():
        raise ValueError(f"after %%lab there can be a step to begin at, a whole number; not {line.strip()!r}")
    ran = None
    try:
        with record() as told, _users_frames_alone(shell), _by_the_number_of_this_cell(shell):
            ran = shell.run_cell(f"{HEADING}\n{cell}")
            if ran.error_in_exec is not None:
                raise ran.error_in_exec  # so that the recording tells of it; IPython has shown it already
    except BaseException:
        if ran is None or ran.error_in_exec is None:
            raise
    if ran is not None and ran.error_before_exec is not None:
        return  # it was no Python, and IPython has said so
    for finding in _unsaid(told, ran):
        print(said(finding))
    try:
        display(_player_of_cell(told, line.strip()))
    except NothingToDraw as nothing:
        print(f"%%lab: {nothing}")


def _player_of_cell(told: Trace, step: str) -> Player | Trace:
    """The player as a widget; without anywidget the trace itself, which a notebook shows as a page in a frame."""
    try:
        return show(told, title="this cell", step=int(step) if step else None)
    except ImportError:
        if step:
            raise
        return told
