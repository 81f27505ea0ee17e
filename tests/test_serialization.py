"""What `save` wrote, `load` reads; a damaged or hostile file is refused, and costs no more than it is large."""

from __future__ import annotations

import io
import json
import pickle
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_lab as torch
from autograd_lab.serialization import STRUCTURE


def saved(thing: Any) -> bytes:
    memory = io.BytesIO()
    torch.save(thing, memory)
    return memory.getvalue()


THING = {
    "w": torch.ones(3, 2, requires_grad=True), "b": [torch.arange(4), torch.tensor(2.5, dtype=torch.float64)],
    "lr": 0.1, "at": (1, None, True, "x"), "kind": torch.int64, "place": torch.device("cuda", 1),
}  # fmt: skip


def packed(structure: Any, *arrays: bytes, how: int = zipfile.ZIP_STORED) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", how) as archive:
        archive.writestr(STRUCTURE, json.dumps(structure))
        for number, array in enumerate(arrays):
            archive.writestr(f"{number}.npy", array)
    return memory.getvalue()


def array_of(shape: tuple[int, ...], content: bytes) -> bytes:
    """An array whose header may tell of more than there is."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return file.getvalue() + content


def test_what_was_saved_comes_back() -> None:
    found = torch.load(io.BytesIO(saved(THING)))
    assert found["w"].requires_grad
    assert torch.equal(found["w"], THING["w"])
    assert found["b"][1].dtype is torch.float64
    assert found["b"][0].tolist() == [0, 1, 2, 3]
    assert (found["lr"], found["at"], found["kind"]) == (0.1, (1, None, True, "x"), torch.int64)
    assert found["place"] == torch.device("cuda:1")


class Noted(torch.Tensor):
    """A tensor of a class of the user's."""


class Settings:
    def __init__(self, **values: Any) -> None:
        vars(self).update(values)


def test_a_pickle_of_classes_that_are_trusted_is_read_and_none_of_others() -> None:
    things = {"t": torch.ones(2).as_subclass(Noted), "s": Settings(lr=0.1, w=torch.nn.Parameter(torch.ones(1)))}
    file = saved(things)
    with torch.serialization.safe_globals([Noted]):
        with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL .*Settings was not an allowed global by default"):
            torch.load(io.BytesIO(file))
        torch.serialization.add_safe_globals([Settings, Noted])
        assert torch.serialization.get_safe_globals() == [Noted, Settings]
        found = torch.load(io.BytesIO(file))
    assert torch.serialization.get_safe_globals() == []
    assert type(found["t"]) is Noted
    assert found["t"].tolist() == [1, 1]
    assert (found["s"].lr, found["s"].w.tolist()) == (0.1, [1])
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(io.BytesIO(file))


def test_code_in_a_pickle_is_not_run_whoever_else_is_trusted() -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return print, ("evil",)

    torch.serialization.add_safe_globals([Settings, (len, "somewhere.length")])
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL builtins\.print was not"):
        torch.load(io.BytesIO(saved(Evil())))
    torch.serialization.clear_safe_globals()


def test_a_module_is_saved_as_a_pickle_which_is_read_by_whoever_trusts_it() -> None:
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 1), torch.nn.MultiheadAttention(4, 2), torch.nn.LSTM(2, 3))
    file = saved({"model": model.eval(), "optimizer": torch.optim.Adam(model.parameters())})
    with pytest.raises(pickle.UnpicklingError, match=r"^Weights only load failed\. (?s:.*)save the `state_dict\(\)`"):
        torch.load(io.BytesIO(file))
    back = torch.load(io.BytesIO(file), weights_only=False)
    assert repr(back["model"]) == repr(model)
    assert not back["model"].training
    assert all(torch.equal(one, other) for one, other in zip(back["model"].parameters(), model.parameters()))  # noqa: B905
    assert back["optimizer"].param_groups[0]["params"][0] is back["model"][0].weight
    assert repr(torch.load(io.BytesIO(file), None, pickle)["model"]) == repr(model)
    with pytest.raises(RuntimeError, match=r"^Can not safely load weights when explicit pickle_module is specified$"):
        torch.load(io.BytesIO(file), pickle_module=pickle, weights_only=True)


def test_every_module_can_be_pickled_and_is_of_its_class_again() -> None:
    for name in ("Module", "ReLU", "Softmax", "CELU", "Upsample", "Identity", "MSELoss", "ModuleList", "Flatten"):
        kind = getattr(torch.nn, name)
        assert type(pickle.loads(pickle.dumps(kind()))) is kind


def test_transposed_and_empty_tensors_come_back_as_they_were() -> None:
    one, none = torch.load(io.BytesIO(saved([torch.arange(6).reshape(2, 3).t(), torch.zeros(0, 3)])))
    assert one.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert tuple(none.shape) == (0, 3)


def test_loaded_tensors_can_be_written_to() -> None:
    found = torch.load(io.BytesIO(saved(torch.zeros(2))))
    found += 1
    assert found.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (packed(["tensor", 0, False], array_of((1,), b"\0" * 4), how=zipfile.ZIP_DEFLATED), "is compressed"),
        (packed(["tensor", 0, False], array_of((10**12,), b"")), "has 0 bytes"),
        (packed(["tensor", 7, False]), "IndexError"),
        (packed(["spell", []]), "KeyError"),
        (packed(["set", [["list", []]]]), "TypeError"),
        (packed(json.loads("[" * 500 + "]" * 500)), "is damaged"),
        (packed(["set", [number * (2**61 - 1) for number in range(1001)]]), "the same hash"),
        (packed(["dict", [[number * (2**61 - 1), 0] for number in range(1001)]]), "the same hash"),
    ],
)
def test_a_file_that_cannot_be_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        torch.load(io.BytesIO(content))


def test_a_small_file_never_unpacks_to_a_large_one(tmp_path: Path) -> None:
    bomb = packed(["tensor", 0, False], array_of((25_000_000,), b"\0" * 100_000_000), how=zipfile.ZIP_DEFLATED)
    assert len(bomb) < 200_000
    with pytest.raises(ValueError, match="compressed, which save never does"):
        torch.load(io.BytesIO(bomb))


def test_whatever_happens_to_a_file_it_is_read_or_a_value_error() -> None:
    whole = saved(THING)
    for case in range(2000):
        rng = random.Random(case)
        content = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        if rng.random() < 0.2:
            del content[rng.randrange(len(content)) :]
        try:
            torch.load(io.BytesIO(bytes(content)))
        except ValueError as error:
            assert len(str(error)) < 300
