"""See automatic differentiation happen. `import autograd_lab as torch` runs code that is written for PyTorch.

>>> import autograd_lab as torch
>>> x = torch.tensor([1., 2.], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4.])
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from autograd_lab import _interrupt, autograd, linalg
from autograd_lab.elsewhere import ALSO, RARE, UNOFFERED, VERSION, also, why_not
from autograd_lab.engine.core.variable import *
from autograd_lab.engine.draws.generator import *
from autograd_lab.engine.exact.anomaly import *
from autograd_lab.engine.exact.autocast import *
from autograd_lab.engine.modes.grad_mode import *
from autograd_lab.engine.modes.inference import *
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import *
from autograd_lab.engine.numbers.dtypes import *
from autograd_lab.engine.numbers.famous import *
from autograd_lab.engine.numbers.printing import *
from autograd_lab.engine.ops.activation.elus import *
from autograd_lab.engine.ops.activation.piecewise import *
from autograd_lab.engine.ops.activation.probabilities import *
from autograd_lab.engine.ops.activation.rectifiers import *
from autograd_lab.engine.ops.activation.sigmoids import *
from autograd_lab.engine.ops.ground.copying import *
from autograd_lab.engine.ops.index.gathering import *
from autograd_lab.engine.ops.index.indexing import *
from autograd_lab.engine.ops.index.interleaving import *
from autograd_lab.engine.ops.index.scattering import *
from autograd_lab.engine.ops.index.slices import *
from autograd_lab.engine.ops.layer.adaptive_pooling import *
from autograd_lab.engine.ops.layer.convolution import *
from autograd_lab.engine.ops.layer.dropout import *
from autograd_lab.engine.ops.layer.embedding import *
from autograd_lab.engine.ops.layer.normalization import *
from autograd_lab.engine.ops.layer.pooling import *
from autograd_lab.engine.ops.loss.similarity import *
from autograd_lab.engine.ops.matrix.contraction import *
from autograd_lab.engine.ops.matrix.determinants import *
from autograd_lab.engine.ops.matrix.einsum import *
from autograd_lab.engine.ops.matrix.linalg import *
from autograd_lab.engine.ops.matrix.matrix_sizes import *
from autograd_lab.engine.ops.matrix.products import *
from autograd_lab.engine.ops.pointwise.arithmetic import *
from autograd_lab.engine.ops.pointwise.blending import *
from autograd_lab.engine.ops.pointwise.bounds import *
from autograd_lab.engine.ops.pointwise.comparison import *
from autograd_lab.engine.ops.pointwise.division import *
from autograd_lab.engine.ops.pointwise.elementary import *
from autograd_lab.engine.ops.pointwise.exponentiation import *
from autograd_lab.engine.ops.pointwise.logic import *
from autograd_lab.engine.ops.pointwise.rounding import *
from autograd_lab.engine.ops.pointwise.selection import *
from autograd_lab.engine.ops.pointwise.special import *
from autograd_lab.engine.ops.pointwise.trigonometry import *
from autograd_lab.engine.ops.reduction.calculus import *
from autograd_lab.engine.ops.reduction.counting import *
from autograd_lab.engine.ops.reduction.cumulative import *
from autograd_lab.engine.ops.reduction.extremes import *
from autograd_lab.engine.ops.reduction.norms import *
from autograd_lab.engine.ops.reduction.sorting import *
from autograd_lab.engine.ops.reduction.statistics import *
from autograd_lab.engine.ops.reduction.sums import *
from autograd_lab.engine.ops.shape.arranging import *
from autograd_lab.engine.ops.shape.diagonals import *
from autograd_lab.engine.ops.shape.joining import *
from autograd_lab.engine.ops.shape.repeating import *
from autograd_lab.engine.ops.shape.slicing import *
from autograd_lab.engine.ops.shape.stacking import *
from autograd_lab.engine.ops.shape.views import *
from autograd_lab.engine.tensor.factories import *
from autograd_lab.engine.tensor.machine import *
from autograd_lab.engine.tensor.methods_as_functions import *
from autograd_lab.engine.tensor.outputs import give_outputs as _give_outputs
from autograd_lab.engine.tensor.random import *
from autograd_lab.engine.tensor.randomness import *
from autograd_lab.engine.tensor.tensor import *
from autograd_lab.listening import companions, pacings
from autograd_lab.torch_bridge import pacing, watching
from autograd_lab.trace import SHOWN_AS, WRITERS

# isort: split
from autograd_lab.engine.numbers.dtypes import bool_ as bool
from autograd_lab.engine.numbers.dtypes import float32 as float
from autograd_lab.engine.numbers.dtypes import int32 as int
from autograd_lab.engine.ops.layer.embedding import rows_of as embedding
from autograd_lab.engine.ops.layer.normalization import native_batch_norm as batch_norm
from autograd_lab.engine.ops.matrix.determinants import trace  # it takes the name of the module that was imported above

if TYPE_CHECKING:
    from autograd_lab import amp, backends, cuda, distributions, func, nn, optim, utils
    from autograd_lab.amp import GradScaler as GradScaler
    from autograd_lab.amp import autocast as autocast
    from autograd_lab.backends import accelerator, xpu
    from autograd_lab.backends import metal as mps
    from autograd_lab.classroom.demos.show import demo as demo
    from autograd_lab.compiler import compile as compile
    from autograd_lab.display.gradient_flow import gradient_flow as gradient_flow
    from autograd_lab.display.picture import draw as draw
    from autograd_lab.display.side_by_side import compare as compare
    from autograd_lab.display.vary import vary as vary
    from autograd_lab.findings.diagnosis import diagnose as diagnose
    from autograd_lab.func import vmap as vmap
    from autograd_lab.notebook import explore as explore
    from autograd_lab.notebook import play as play
    from autograd_lab.notebook import show as show
    from autograd_lab.random import get_rng_state as get_rng_state
    from autograd_lab.random import set_rng_state as set_rng_state
    from autograd_lab.recording.iterations.record import record as record
    from autograd_lab.serialization import load as load
    from autograd_lab.serialization import save as save
    from autograd_lab.trainers.watch import watch as watch
    from autograd_lab.view.torchviz.dot import make_dot as make_dot

__version__ = VERSION
_give_outputs(globals())
for path, (target, extra) in ALSO.items():
    also(f"autograd_lab.{path}", target, **extra)
companions.append(watching)
pacings.append(pacing)
WRITERS[".html"] = lambda *told, **wanted: importlib.import_module("autograd_lab.view.page").save_page(*told, **wanted)
for suffix in (".gif", ".apng", ".webp", ".mp4", ".webm"):
    WRITERS[suffix] = lambda *told, **wanted: importlib.import_module("autograd_lab.view.movie.movie").save_movie(
        *told, **wanted
    )
for suffix, door in {
    ".perfetto.json": ("perfetto", "save_perfetto"),
    ".model-explorer.json": ("model_explorer", "save_graph"),
    ".node-data.json": ("model_explorer", "save_numbers"),
}.items():
    WRITERS[suffix] = lambda *told, file=door[0], name=door[1]: getattr(
        importlib.import_module(f"autograd_lab.view.viewers.{file}"), name
    )(*told)
SHOWN_AS["text/html"] = lambda told: importlib.import_module("autograd_lab.display.embedded").html_of(told)
LATE = {
    name: room
    for room, names in {
        "amp": "GradScaler autocast",
        "classroom.demos.show": "demo",
        "compiler": "compile",
        "display.gradient_flow": "gradient_flow",
        "display.picture": "draw",
        "display.side_by_side": "compare",
        "display.vary": "vary",
        "findings.diagnosis": "diagnose",
        "func": "vmap",
        "nn.rnn_functions": "gru gru_cell lstm lstm_cell rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell",
        **RARE,
        "notebook": "explore load_ipython_extension play show",
        "random": "get_rng_state set_rng_state thread_safe_generator",
        "recording.iterations.record": "record",
        "serialization": "load save serialization",
        "trainers.watch": "watch",
        "view.torchviz.dot": "make_dot",
    }.items()
    for name in names.split()
}
DEVICES = {"accelerator": "backends.accelerator", "xpu": "backends.xpu", "mps": "backends.metal"}
ROOMS = ("amp", "backends", "compiler", "cuda", "distributions", "func", "nn", "optim", "random", "testing", "utils")


def __getattr__(name: str) -> object:
    """Modules, optimizers, files and drawing are there for the asking, and not imported before."""
    if name in ROOMS or name in DEVICES:
        return importlib.import_module(f"autograd_lab.{DEVICES.get(name, name)}")
    if name == "bfloat16":
        return dtypes.bfloat16()
    if name in LATE:
        return getattr(importlib.import_module(f"autograd_lab.{LATE[name]}"), name)
    for file in ("tensor.typed", "tensor.foreach", "numbers.unheld"):
        if found := importlib.import_module(f"autograd_lab.engine.{file}").called(name):
            return found
    raise why_not(name)


def __dir__() -> list[str]:
    """What completion offers: no rooms of the engine, but also what is not imported before it is asked for."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]


_OWN = {"ALSO", "LATE", "ModuleType", "RARE", "ROOMS", "SHOWN_AS", "TYPE_CHECKING", "WRITERS", "also", "annotations"}
_OWN |= {"companions", "door", "dtypes", "extra", "importlib", "pacing", "pacings", "path", "suffix", "target"}
_OWN |= {"UNOFFERED", "VERSION", "watching", "why_not"}
__all__ = sorted(
    {
        name
        for name, what in globals().items()
        if name[0] != "_" and name not in _OWN and not isinstance(what, ModuleType)
    }
    | {"accelerator", "autograd", "linalg", *ROOMS, *LATE} - UNOFFERED
)
