"""What PyTorch has and this engine has not: a sentence for each, and what stands in its place for who imports it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

CAPTURES = "programs run as they are written; `torch.compile` captures functions"
DENSE = "all tensors here are dense"
FOURIER = "there are no complex numbers here, and so no Fourier transforms"
ONE_PROCESS = "there is one process; `autograd_lab.parallel` splits layers"
NOT_LOADED = "the engine is plain Python: nothing is loaded into it"
UNTABLED = "Sobol's points hang on a table of directions for 21,201 dimensions, which is not here"
FLEXIBLE = "attention by a program of one's own is not here: give `scaled_dot_product_attention` a mask"
NOT_HERE = {
    "hspmm": DENSE,
    "package": CAPTURES,
    **dict.fromkeys(
        ("quantization", "ao", "quantize_per_tensor", "int4", "uint4"),
        "there are no quantised numbers here",
    ),
    "monitor": "memory and gradients of a run are in its recording: `autograd_lab.record`",
    **dict.fromkeys(("mtia", "hip"), "there is one device, the CPU"),
    "classes": NOT_LOADED,
    **dict.fromkeys(
        ("eig", "eigvals", "svd_lowrank", "pca_lowrank"),
        "of the decompositions of matrices there are svd, eigh, qr, lu, ldl and cholesky, and `linalg.lstsq`",
    ),
}
"""Why some names of PyTorch are not here."""
FLAT = "layers here are for sequences and pictures, and not for three dimensions"


def why_not(name: str, module: str = "autograd_lab") -> AttributeError:
    """The error for a name that a module does not have: with the reason, if PyTorch has it."""
    reason = NOT_HERE.get(name) or (FLAT if name.endswith("3d") else None)
    return AttributeError(f"module {module!r} has no attribute {name!r}" + (f": {reason}" if reason else ""))


def missing(module: str) -> Any:
    """The `__getattr__` of a module: an error with the reason for what PyTorch has there and this engine has not."""

    def refuse(name: str) -> Any:
        raise why_not(name, module)

    return refuse


def unseen(name: str, module: str, why: str) -> type:
    """A kind of which there is never an object here: libraries import it, and ask whether a thing is one."""

    def refuse(self: Any, *args: Any, **named: Any) -> None:
        raise NotImplementedError(why)

    of = classmethod(lambda kind, item: kind)  # as an annotation: `Future[Tensor]`
    return type(name, (), {"__init__": refuse, "__class_getitem__": of, "__module__": module})


def named_only(module: str, why: str, names: str) -> dict[str, Any]:
    """What libraries import of a module in case they need it, which says why it is not here once it is called."""
    return {name: unseen(name, f"torch.{module}", why) for name in names.split()}


def refused(name: str, error: Exception) -> Callable[..., NoReturn]:
    """A function that libraries import in case they need it: whatever it is given, it raises the error."""

    def refuse(*args: Any, **named: Any) -> NoReturn:
        raise error

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


UNMADE = {
    **dict.fromkeys(["stft", "istft"], FOURIER),
    **dict.fromkeys([f"sparse_{kind}_tensor" for kind in ("bsc", "bsr", "compressed", "coo", "csc", "csr")], DENSE),
    **dict.fromkeys(["conv3d", "conv_transpose3d", "max_pool3d"], FLAT),
}
"""Functions that make what is not here, and why it is not."""
globals().update({name: refused(name, NotImplementedError(f"{name}: {why}")) for name, why in UNMADE.items()})

ARCHIVES = "PyTorch's files are archives of pickles, which run code: they are neither read nor written here"
PyTorchFileReader, PyTorchFileWriter = named_only("_C", ARCHIVES, "PyTorchFileReader PyTorchFileWriter").values()
