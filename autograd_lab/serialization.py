"""`save` and `load`: tensors, and whatever plain containers hold them, in a zip file that runs no code when read.

The file has the structure as JSON and each array in numpy's own format. PyTorch's files are pickles, which this cannot
read, nor PyTorch these.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, Size, dtype
from autograd_lab.nn.parameter import Parameter, leaf_of
from autograd_lab.trace import write_whole

STRUCTURE = "autograd_lab.json"
File = str | os.PathLike[str] | BinaryIO

SEQUENCES: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "Size": Size}
MAPPINGS: dict[str, Any] = {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}


def save(obj: Any, f: File) -> None:
    """Write tensors, numbers, texts, lists, tuples, sets and dicts. Raises TypeError for anything else."""
    arrays: dict[int, tuple[int, Array]] = {}
    structure = _written(obj, arrays)
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr(STRUCTURE, json.dumps(structure))
        for number, array in arrays.values():
            with archive.open(f"{number}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    if isinstance(f, str | os.PathLike):
        write_whole(Path(f), memory.getvalue())
    else:
        f.write(memory.getvalue())


def load(f: File, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Read what `save` wrote. Raises ValueError for a file that it did not write."""
    content = Path(f).read_bytes() if isinstance(f, str | os.PathLike) else f.read()
    name = f if isinstance(f, str | os.PathLike) else "this"
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise ValueError(f"{name} is not a file that autograd_lab.save wrote")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        if STRUCTURE not in names:
            made = "was written by PyTorch, as a pickle, which autograd_lab does not read"
            pickled = any(one.endswith("data.pkl") for one in names)
            raise ValueError(f"{name} {made if pickled else 'is not a file that autograd_lab.save wrote'}")
        arrays = []
        for number in range(len(names) - 1):
            with archive.open(f"{number}.npy") as file:
                arrays.append(np.lib.format.read_array(file, allow_pickle=False))
        return _read(json.loads(archive.read(STRUCTURE)), arrays)


def _written(thing: Any, arrays: dict[int, tuple[int, Array]]) -> Any:
    """A thing as JSON: what is no plain value is a list that begins with its kind."""
    kind = type(thing).__name__
    if thing is None or type(thing) in (bool, int, float, str):
        return thing
    if is_tensor(thing):
        number, _ = arrays.setdefault(id(thing._array), (len(arrays), thing._array))
        return ["parameter" if isinstance(thing, Parameter) else "tensor", number, thing.requires_grad]
    if isinstance(thing, dtype):
        return ["dtype", thing.name]
    if SEQUENCES.get(kind) is type(thing):
        return [kind, [_written(part, arrays) for part in thing]]
    if isinstance(thing, dict):
        pairs = [[_written(key, arrays), _written(value, arrays)] for key, value in thing.items()]
        return [kind if MAPPINGS.get(kind) is type(thing) else "dict", pairs]
    raise TypeError(
        f"save() writes tensors, numbers, texts, lists, tuples, sets and dicts, and no {kind}; "
        "of a module or an optimizer, save the state_dict()"
    )


def _read(structure: Any, arrays: list[Array]) -> Any:
    if not isinstance(structure, list):
        return structure
    kind, content = structure[:2]
    if kind in ("tensor", "parameter"):
        if kind == "parameter":
            return leaf_of(Parameter, arrays[content], structure[2])
        return wrap(arrays[content], structure[2])
    if kind == "dtype":
        return BY_NUMPY[np.dtype(content)]
    if kind in SEQUENCES:
        return SEQUENCES[kind](_read(part, arrays) for part in content)
    return MAPPINGS[kind]({_read(key, arrays): _read(value, arrays) for key, value in content})
