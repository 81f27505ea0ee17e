"""Batches of containers, parts of data sets, and what a loader refuses: as in PyTorch."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")

Pair = namedtuple("Pair", "x y")

TEXTS = """
d.default_collate([OrderedDict(a=1), OrderedDict(a=2)]) | d.default_collate([{"a": {"b": 1.0}}, {"a": {"b": 2.0}}])
d.default_collate([MappingProxyType({"a": 1})]) | d.default_collate([UserDict(a=1), UserDict(a=2)])["a"]
d.default_collate([[1, 2], [3, 4]]) | d.default_collate([(1, "a"), (2, "b")]) | d.default_collate([Pair(1, 2.0)])
d.default_collate([UserList([1]), UserList([2])])[0] | d.default_collate([range(2), range(2)])
d.default_collate([np.array(["a"])]) | d.default_collate([np.array([None])]) | d.default_collate([object])
d.default_collate([np.float64(2), np.float64(3)]) | d.default_collate([True, False]) | d.default_collate([b"a", b"b"])
d.default_convert([np.ones(2), (1, "a"), {"k": np.float64(2)}]) | d.default_convert(Pair(np.ones(1), 2))
d.default_convert(OrderedDict(a=np.ones(1))) | d.default_convert("ab") | d.default_convert(np.array("ab"))
d.default_convert(range(2)) | d.default_convert([[np.int32(1)]]) | d.default_convert(np.bool_(True))
d.Subset([10, 11, 12], [2, 0])[1] | d.Subset(d.TensorDataset(m.arange(4)), [3, 1])[[0, 1]]
d.Subset([10, 11, 12], [2, 0]).__getitems__([1, 0]) | d.Subset(d.Subset(range(9), [1, 3, 5]), [2, 0]).__getitems__([0])
list(d.DataLoader(d.Subset(d.TensorDataset(m.arange(6)), [5, 3, 1]), 2))
d.DataLoader([1], timeout=-1) | d.DataLoader([1], prefetch_factor=2) | d.DataLoader([1], persistent_workers=True)
setattr(d.DataLoader([1]), "batch_size", 2) | setattr(d.DataLoader([1]), "dataset", 2)
setattr(d.DataLoader([1]), "sampler", 2) | setattr(d.DataLoader([1]), "timeout", 2)
""".strip().replace("\n", " | ")


@pytest.mark.parametrize("text", TEXTS.split(" | "))
def test_data_is_gathered_and_refused_as_in_pytorch(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(text, {**globals(), "m": m, "d": m.utils.data})

    assert said(autograd_lab, story) == said(torch, story)


def test_a_container_of_the_users_keeps_what_it_has() -> None:
    class Kept(dict):  # type: ignore[type-arg]
        name = ""

    def told(m: Any) -> Any:
        first, second = Kept(a=1), Kept(a=2)
        first.name = "first"
        made = m.utils.data.default_collate([first, second])
        return type(made).__name__, made.name, made["a"]

    assert said(autograd_lab, told) == said(torch, told)


def test_a_part_with_items_of_its_own_needs_them_in_batches_too() -> None:
    def story(m: Any) -> Any:
        class Doubled(m.utils.data.Subset):  # type: ignore[misc, name-defined]
            def __getitem__(self, index: Any) -> Any:
                return self.dataset[self.indices[index]] * 2

        return Doubled([1, 2], [0])

    assert said(autograd_lab, story) == said(torch, story)


def test_a_packed_sequence_goes_to_another_dtype() -> None:
    def story(m: Any) -> Any:
        packed = m.nn.utils.rnn.pack_sequence([m.ones(2), m.ones(3)], enforce_sorted=False)
        same = [packed.to(m.float32) is packed, packed.cpu() is packed, packed.is_pinned()]
        return [packed.double(), packed.half(), packed.long(), packed.int(), packed.to("cpu", m.float16), same]

    assert said(autograd_lab, story) == said(torch, story)
