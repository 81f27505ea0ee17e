"""`save` and `load`: tensors, and whatever plain containers hold them, in a zip file that runs no code when read.

The file has the structure as JSON and each array in numpy's own format. PyTorch's files are pickles, which this cannot
read, nor PyTorch these. Of anything else, such as a module, it holds a pickle, which is read with
`weights_only=False`, or where all that it uses is trusted: see `add_safe_globals`.
"""

from __future__ import annotations

import io
import json
import math
import operator
import os
import pickle
import sys
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.exact.aliasing import address, flat_memory
from autograd_lab.engine.exact.elementless import elementless
from autograd_lab.engine.numbers.device import device, owner_of
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, Size, dtype
from autograd_lab.engine.numbers.dtypes import _named as of_dtype
from autograd_lab.engine.ops.ground.copying import rebuilt
from autograd_lab.engine.ops.ground.memory import memory_of, place_of, placed, read_as
from autograd_lab.nn.parameter import Parameter, leaf_of
from autograd_lab.nn.parameter import _unpickled as of_parameter
from autograd_lab.trace import write_whole

serialization = sys.modules[__name__]
"""What `torch.serialization` finds, which is imported when it is asked for."""
STRUCTURE, PICKLE = "autograd_lab.json", "autograd_lab.pickle"
UNSAFE = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, do those steps only if "
    "you trust the source of the checkpoint. \n\t(1) Re-running `torch.load` with `weights_only` set to `False` will "
    "likely succeed, but it can result in arbitrary code execution. Do it only if you got the file from a trusted "
    "source.\n\t(2) Alternatively, save the `state_dict()`, and load that into a module of the same kind."
)
NOT_ALLOWED = (
    "WeightsUnpickler error: Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{1}])` or the `torch.serialization.safe_globals([{1}])` context manager to "
    "allowlist this global if you trust this class/function."
)
HARMLESS: tuple[Any, ...] = (
    rebuilt, of_parameter, of_dtype, Size, device, np.ndarray, np.dtype, np.zeros(0).__reduce__()[0], OrderedDict,
    Counter, set, bytearray,
)  # fmt: skip
"""What pickles of tensors and containers are made of."""
TWO_DTYPES = "Cannot save multiple tensors or storages that view the same data as different types"
DEFAULT_PROTOCOL = 2
"""What PyTorch calls the form of its pickles."""
MOST_ALIKE = 1000
"""So many keys of a dict or a set may have one hash; by chance it is a handful."""
File = str | os.PathLike[str] | BinaryIO
FILE_LIKE, MAP_LOCATION = File, Any
"""Names that PyTorch's annotations have for what `load` is given."""


_skipping: list[bool] = []
_trusted: list[Any] = []
"""Functions and classes of the user's that a pickle may use, or pairs of one and its path there."""


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let `load` use functions and classes that are trusted, each as it is or as a pair of it and its path."""
    _trusted.extend(one for one in safe_globals if one not in _trusted)


def get_safe_globals() -> list[Any]:
    """What was added."""
    return list(_trusted)


def clear_safe_globals() -> None:
    """Trust none of it any longer."""
    _trusted.clear()


class safe_globals:
    """Inside, `load` uses these functions and classes too."""

    def __init__(self, safe_globals: list[Any]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        self._before = get_safe_globals()
        add_safe_globals(self.safe_globals)

    def __exit__(self, *_: object) -> None:
        _trusted[:] = self._before


class skip_data:
    """Inside of a block, `save` writes zeros in the place of what tensors hold."""

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self._before = list(_skipping)

    def __enter__(self) -> None:
        _skipping.append(True)

    def __exit__(self, *_: object) -> None:
        _skipping[:] = self._before


def register_package(priority: int, tagger: Any, deserializer: Any) -> None:
    """Nothing: it would say on which device memory is, and there is one."""


class _Trusting(pickle.Unpickler):
    """Reads a pickle of nothing but tensors, containers, and what the user trusts."""

    def find_class(self, module: str, name: str) -> Any:
        known = {(one.__module__, one.__qualname__): one for one in HARMLESS}
        for one in _trusted:
            thing, path = one if isinstance(one, tuple) else (one, f"{one.__module__}.{one.__qualname__}")
            known[path.rpartition(".")[::2]] = thing
        if (module, name) in known:
            return known[module, name]
        raise pickle.UnpicklingError(NOT_ALLOWED.format(f"{module}.{name}", name))


class _NotPlain(Exception):
    """A thing that is not data alone."""


SEQUENCES: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "Size": Size}
MAPPINGS: dict[str, Any] = {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}


def save(
    obj: Any, f: File, pickle_module: Any = pickle, pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
) -> None:  # fmt: skip
    """Write tensors, numbers, texts, lists, tuples, sets and dicts as data, and anything else as a pickle.

    There is one form of file, whatever is said of pickles. Raises what pickling raises: for a function without a name,
    say.
    """
    arrays: dict[int, tuple[int, Array]] = {}
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        try:
            structure = _written(obj, arrays)
        except _NotPlain:
            archive.writestr(PICKLE, pickle.dumps(obj))
        else:
            archive.writestr(STRUCTURE, json.dumps(structure))
            for number, array in arrays.values():
                with archive.open(f"{number}.npy", "w") as file:
                    np.lib.format.write_array(file, array * 0 if _skipping else array, allow_pickle=False)
    if isinstance(f, str | os.PathLike):
        write_whole(Path(f), memory.getvalue())
    else:
        f.write(memory.getvalue())


def load(
    f: File, map_location: Any = None, pickle_module: Any = None, *,
    weights_only: bool | None = None, mmap: bool | None = None, **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """Read what `save` wrote. Raises ValueError for a file that it did not write, or that was damaged since, OSError.

    A pickle, which may run code, is read only without `weights_only`, which is on unless a `pickle_module` is given;
    else it is an `UnpicklingError`. Nothing in such a file is compressed, so that reading takes no more memory than
    some twenty times the file's size.
    """
    if weights_only is None:
        weights_only = pickle_module is None
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    content = Path(f).read_bytes() if isinstance(f, str | os.PathLike) else f.read()
    name = f if isinstance(f, str | os.PathLike) else "this"
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise ValueError(f"{name} is not a file that autograd_lab.save wrote")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {info.filename: info for info in archive.infolist()}
            if STRUCTURE in members:
                return _read(*_unpacked(archive, members, len(content)))
            if PICKLE in members and not weights_only:
                return pickle.loads(archive.read(PICKLE))
            if PICKLE in members:
                return _Trusting(io.BytesIO(archive.read(PICKLE))).load()
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(f"{UNSAFE}\n{error}") from None
    except Exception as error:  # of a damaged file anything may be wrong
        raise ValueError(f"{name} is damaged: {type(error).__name__}: {str(error)[:100]}") from None
    made = "was written by PyTorch, as a pickle, which autograd_lab does not read"
    pickled = any(one.endswith("data.pkl") for one in members)
    raise ValueError(f"{name} {made if pickled else 'is not a file that autograd_lab.save wrote'}")


def _unpacked(archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], size: int) -> tuple[Any, list[Array]]:
    """The structure and the arrays. Raises ValueError for what would unpack to more than there is."""
    if any(info.compress_type != zipfile.ZIP_STORED for info in members.values()):
        raise ValueError("a part of it is compressed, which save never does")
    if sum(info.file_size for info in members.values()) > size:
        raise ValueError("its parts are larger than the whole")
    arrays = [_array(archive.read(f"{number}.npy")) for number in range(len(members) - 1)]
    return json.loads(archive.read(STRUCTURE)), arrays


def _array(content: bytes) -> Array:
    """An array in numpy's format. Raises ValueError, also where its header tells of more than follows."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, is_fortran, kind = read(file)
    if kind not in BY_NUMPY:
        raise ValueError(f"no tensor holds {kind}")
    if math.prod(shape) * kind.itemsize != len(content) - file.tell():
        raise ValueError(f"an array of shape {shape} has {len(content) - file.tell()} bytes")
    array = np.frombuffer(content, kind, offset=file.tell()).copy()
    return array.reshape(shape[::-1]).T if is_fortran else array.reshape(shape)


def _written(thing: Any, arrays: dict[int, tuple[int, Array]]) -> Any:
    """A thing as JSON: what is no plain value is a list that begins with its kind."""
    kind = type(thing).__name__
    if thing is None or type(thing) in (bool, int, float, str):
        return thing
    if is_tensor(thing):
        kind = "parameter" if isinstance(thing, Parameter) else "tensor"
        if thing.is_meta:
            return ["meta", list(thing.shape), thing.dtype.name, thing.requires_grad, kind]
        whole = owner_of(thing._array) is thing._array and thing._array.flags.forc
        held = thing._array if whole else read_as(memory_of(thing._array), thing._array.dtype)
        number, kept = arrays.setdefault(address(held) if held.size else id(thing), (len(arrays), held))
        if kept.dtype != held.dtype:
            raise RuntimeError(TWO_DTYPES)
        return [kind, number, thing.requires_grad, *([] if kept is thing._array else [place_of(thing._array)])]
    if isinstance(thing, dtype | device):
        return [kind, thing.name if isinstance(thing, dtype) else str(thing)]
    if SEQUENCES.get(kind) is type(thing):
        return [kind, [_written(part, arrays) for part in thing]]
    if isinstance(thing, dict):
        pairs = [[_written(key, arrays), _written(value, arrays)] for key, value in thing.items()]
        return [kind if MAPPINGS.get(kind) is type(thing) else "dict", pairs]
    raise _NotPlain


def _read(structure: Any, arrays: list[Array]) -> Any:
    if not isinstance(structure, list):
        return structure
    kind, content = structure[:2]
    if kind == "meta":
        return _elementless(*structure[1:])
    if kind in ("tensor", "parameter"):
        array, requires_grad = arrays[content], structure[2] is True
        array = placed(flat_memory(array), *structure[3]) if len(structure) > 3 else array
        return of_parameter((array,), requires_grad) if kind == "parameter" else rebuilt((array,), requires_grad)
    if kind == "dtype":
        return BY_NUMPY[np.dtype(content)]
    if kind == "device":
        return device(content)
    if kind in SEQUENCES:
        parts = [_read(part, arrays) for part in content]
        return SEQUENCES[kind](_distinct(parts) if kind == "set" else parts)
    keys = _distinct([_read(key, arrays) for key, _ in content])
    return MAPPINGS[kind](dict(zip(keys, (_read(value, arrays) for _, value in content), strict=True)))


def _elementless(shape: list[int], name: str, requires_grad: bool, kind: str) -> Any:
    array = elementless(tuple(map(operator.index, shape)), BY_NUMPY[np.dtype(name)].numpy)
    needs = requires_grad is True
    return leaf_of(Parameter, array, needs) if kind == "parameter" else wrap(array, needs)


def _distinct(keys: list[Any]) -> list[Any]:
    """Keys as they are. Raises ValueError for so many of one hash that a dict would take minutes to tell them apart."""
    if keys and max(Counter(map(hash, keys)).values()) > MOST_ALIKE:
        raise ValueError(f"more than {MOST_ALIKE} keys have the same hash")
    return keys
