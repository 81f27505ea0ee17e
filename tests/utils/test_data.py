"""Data sets, loaders, and files of tensors."""

from __future__ import annotations

import io
import pickle
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import pytest

import autograd_lab
from tests.worlds import filled, said

SAYINGS = """
ds[1]
ds[1:3]
len(ds)
list(D.DataLoader(ds, batch_size=2))
list(D.DataLoader(ds, batch_size=2, drop_last=True))
len(D.DataLoader(ds, batch_size=2)), len(D.DataLoader(ds, batch_size=2, drop_last=True))
list(D.DataLoader([1, 2, 3], batch_size=2))
list(D.DataLoader([1.5, 2.0]))
list(D.DataLoader([{"a": 1.5, "b": (1, "x")}] * 3, batch_size=2))
list(D.DataLoader(ds, batch_size=None))
next(iter(D.DataLoader(ds, pin_memory=True)))
next(iter(D.DataLoader(ds, pin_memory=True, pin_memory_device="cuda"))), D.DataLoader(ds, pin_memory_device="cuda")[0]
list(D.DataLoader(ds, batch_size=3, sampler=[4, 0, 1, 2]))
list(D.DataLoader(ds, batch_sampler=[[0, 1], [2]]))
list(D.DataLoader(ds, batch_size=5, collate_fn=len))
sorted(int(y) for _, y in D.DataLoader(ds, shuffle=True))
[len(part) for part in D.random_split(ds, [2, 3])]
[len(part) for part in D.random_split(ds, [0.5, 0.5])]
sorted(int(y) for part in D.random_split(ds, [2, 3]) for _, y in part)
D.random_split([1, 2], [3])
(ds + ds)[7], len(ds + ds), (ds + ds)[-1]
D.Subset(ds, [3, 1])[0], len(D.Subset(ds, [3, 1]))
D.TensorDataset(m.ones(2), m.ones(3))
D.Dataset()[0]
D.DataLoader([1], batch_size=0)
D.DataLoader([1], batchsize=2)
len(D.DataLoader([1], timeout=0, worker_init_fn=None, persistent_workers=False))
D.DataLoader([1], shuffle=True, sampler=[0])
D.DataLoader([1], batch_size=None, drop_last=True)
D.DataLoader([1], batch_size=2, batch_sampler=[[0]])
D.DataLoader([], shuffle=True)
list(D.DataLoader([(1, 2), (1,)], batch_size=2))
list(D.DataLoader([None], batch_size=2))
[part.indices for part in D.random_split([1, 2], [0.5, 0.4, 0.1])][2]
D.TensorDataset(3)
D.StackDataset(ds, [1, 2, 3, 4, 5]).__getitems__([0, 3])
D.StackDataset(a=ds, b=[1, 2, 3, 4, 5]).__getitems__([0, 3])
D.StackDataset(ds, [1, 2, 3, 4, 5]).__getitems__([0, 9])
D.StackDataset(D.Subset(ds, [1, 2])).__getitems__([1])
D.ConcatDataset([ds, Few()])
D.IterableDataset()
D.WeightedRandomSampler([0.1], True)
D.WeightedRandomSampler([0.1], 1, replacement=3)
[(l._auto_collation, type(l._index_sampler).__name__) for l in (D.DataLoader(ds), D.DataLoader(ds, batch_size=None))]
[(l._auto_collation, l._index_sampler) for l in (D.DataLoader(ds, batch_sampler=[1]), D.DataLoader(ds, None, 0, [1]))]
(l := D.DataLoader(Few(), 3, drop_last=1), type(l.sampler).__name__, type(l.batch_sampler).__name__, len([*l]))[1:]
(l := D.DataLoader(Few(), batch_size=None), type(l.sampler).__name__, l.batch_sampler, l._auto_collation)[1:]
list(Whole(ds, batch_size=2, collate_fn=lambda part: part))
(loader := D.DataLoader(Few(), batch_size=None), len(loader), list(loader))[1:]
(loader := D.DataLoader(Few(), batch_size=1), list(loader), len(loader))[1:]
"""


@pytest.mark.parametrize("saying", SAYINGS.strip().splitlines())
def test_loaders_give_the_same_batches(saying: str) -> None:
    torch = pytest.importorskip("torch")

    def story(m: Any) -> Any:
        D = m.utils.data
        ds = D.TensorDataset(m.arange(10).float().view(5, 2), m.arange(5))

        class Few(D.IterableDataset):  # type: ignore[misc, name-defined]
            def __iter__(self) -> Any:
                return iter(range(4))

            def __len__(self) -> int:
                return 2

            def __repr__(self) -> str:
                return "few"

        class Whole(D.DataLoader):  # type: ignore[misc, name-defined]
            """Its data set gives a batch at once."""

            _auto_collation = False
            _index_sampler = property(lambda self: self.batch_sampler)

        return eval(saying, {"m": m, "D": D, "ds": ds, "Few": Few, "Whole": Whole})

    assert said(autograd_lab, story) == said(torch, story)


def test_a_seed_makes_the_order_the_same() -> None:
    def order() -> list[Any]:
        autograd_lab.manual_seed(3)
        return list(autograd_lab.utils.data.DataLoader(range(20), batch_size=20, shuffle=True))

    assert order()[0].tolist() == order()[0].tolist() != list(range(20))


def test_a_generator_given_to_a_loader_makes_its_order_the_same() -> None:
    def order() -> Any:
        generator = autograd_lab.Generator().manual_seed(3)
        loader = autograd_lab.utils.data.DataLoader(range(20), batch_size=20, shuffle=True, generator=generator)
        return next(iter(loader)).tolist()

    assert order() == order() != list(range(20))


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    m = autograd_lab
    model = filled(m.nn.Linear(2, 1))
    shared = m.arange(3)
    thing = {
        "model": model.state_dict(), "epoch": 3, 5: [None, True, 0.1, "x"], "size": m.Size([2, 3]), "kind": m.float64,
        "pair": (shared, shared), "parameter": model.weight, "counter": Counter([1, 1]), "set": {1},
        "half": m.ones(2, 2, dtype=m.float16).t(), "number": m.tensor(2.5), "none": m.zeros(0, 3),
    }  # fmt: skip
    m.save(thing, tmp_path / "file.pt")
    found = m.load(tmp_path / "file.pt")
    assert repr(found) == repr(thing)
    assert type(found["model"]) is OrderedDict and type(found["counter"]) is Counter
    assert repr(m.nn.Linear(2, 1).load_state_dict(found["model"])) == "<All keys matched successfully>"
    found["pair"][0].add_(1)
    assert found["pair"][1].tolist() == [1, 2, 3]


def test_an_optimizers_state_goes_through_a_file() -> None:
    m, file = autograd_lab, io.BytesIO()
    p = m.nn.Parameter(m.ones(2))
    p.grad = m.ones(2)
    optimizer = m.optim.Adam([p])
    optimizer.step()
    m.save(optimizer.state_dict(), file)
    file.seek(0)
    assert repr(m.load(file)) == repr(optimizer.state_dict())


def test_a_file_of_another_kind_is_refused_and_none_of_its_code_run(tmp_path: Path) -> None:
    path = tmp_path / "file.pt"
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ValueError, match=r"is not a file that autograd_lab\.save wrote"):
        autograd_lab.load(path)
    with pytest.raises(FileNotFoundError):
        autograd_lab.load(tmp_path / "missing.pt")
    torch = pytest.importorskip("torch")
    torch.save({"a": torch.ones(1)}, path)
    with pytest.raises(ValueError, match="was written by PyTorch, as a pickle"):
        autograd_lab.load(path)
