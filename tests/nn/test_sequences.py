"""Sequences of different lengths: padded, packed, and through recurrent layers."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import filled, graph, is_alike, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

SAYINGS = """
R.pad_sequence([m.ones(2), m.ones(3) * 2])
R.pad_sequence([m.ones(2, 2), m.ones(3, 2) * 2], batch_first=True, padding_value=-1)
R.pad_sequence([m.ones(2), m.ones(3)], padding_side="left", batch_first=True)
R.pad_sequence([])
R.pad_sequence(3)
R.pad_sequence([m.ones(1)], padding_side="top")
R.pack_sequence([m.ones(3), m.ones(2) * 2])
R.pack_sequence([m.ones(2), m.ones(3) * 2], enforce_sorted=False)
R.pack_sequence([m.ones(2), m.ones(3)])
R.pack_padded_sequence(m.ones(3, 2, 1), [3, 0])
R.pack_padded_sequence(m.ones(3, 2, 1), [3])
R.pad_packed_sequence(R.pack_sequence([m.ones(2), m.ones(3) * 2], enforce_sorted=False))
R.pad_packed_sequence(R.pack_sequence([m.ones(3), m.ones(2)]), True, -1.0, 4)
R.pad_packed_sequence(R.pack_sequence([m.ones(3), m.ones(2)]), total_length=2)
R.unpack_sequence(R.pack_sequence([m.ones(2), m.ones(3) * 2], enforce_sorted=False))
R.unpad_sequence(m.ones(3, 2), m.tensor([3, 1]))
R.PackedSequence()
R.PackedSequence(m.ones(3))
R.PackedSequence((m.ones(3), m.tensor([2, 1])))
R.PackedSequence(m.ones(3), m.tensor([2, 1]), m.tensor([1, 0]))
R.PackedSequence(data=m.ones(3), batch_sizes=m.tensor([2, 1]))._replace(data=m.zeros(3))
"""


@pytest.mark.parametrize("text", SAYINGS.strip().splitlines())
def test_an_expression_says_the_same(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(text, {"m": m, "R": m.nn.utils.rnn})

    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("how", ["", ", num_layers=2", ", bidirectional=True"])
@pytest.mark.parametrize("ordered", [True, False])
def test_packed_sequences_end_each_for_itself(kind: str, how: str, ordered: bool) -> None:
    def story(m: Any) -> list[Any]:
        layer = filled(eval(f"m.nn.{kind}(2, 3{how})", {"m": m}))
        x = (m.arange(24.0).reshape(4, 3, 2) * 0.37).sin().requires_grad_()
        rnn = m.nn.utils.rnn
        packed = rnn.pack_padded_sequence(x, [4, 2, 1] if ordered else [2, 4, 1], enforce_sorted=ordered)
        out, last = layer(packed)
        padded, lengths = rnn.pad_packed_sequence(out)
        lasts = last if isinstance(last, tuple) else (last,)
        sum((one * one).sum() for one in (padded, *lasts)).backward()
        grads = [x.grad, *(p.grad for p in layer.parameters())]
        return [one.tolist() for one in (padded, lengths, *lasts, *grads)]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs)


@pytest.mark.parametrize("lengths", [[4, 2, 1], [3, 3], [2], [4, 4, 1, 1]])
@pytest.mark.parametrize("first", [False, True])
def test_padding_is_written_as_in_pytorch(lengths: list[int], first: bool) -> None:
    def story(m: Any) -> list[Any]:
        rows = [m.arange(2.0 * length).view(length, 2).requires_grad_() for length in lengths]
        padded, _ = m.nn.utils.rnn.pad_packed_sequence(m.nn.utils.rnn.pack_sequence(rows), first, 0.5)
        (padded**2).sum().backward()
        both = [m.nn.utils.rnn.pad_sequence(rows, batch_first=one).is_contiguous() for one in (False, True)]
        return [both, graph(padded), padded.is_contiguous(), padded.tolist(), [row.grad.tolist() for row in rows]]

    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize("first", [False, True])
def test_padding_is_taken_away_and_the_padded_left_as_in_pytorch(first: bool) -> None:
    def story(m: Any) -> list[Any]:
        padded, lengths = m.arange(6.0).view(3, 2), m.tensor([1, 2, 1][: 3 if first else 2])
        return [m.nn.utils.rnn.unpad_sequence(padded, lengths, first), padded, padded.stride()]

    assert said(autograd_lab, story) == said(torch, story)


def test_second_gradients_go_through_packing() -> None:
    def story(m: Any) -> list[Any]:
        x = m.arange(6.0).reshape(3, 2).requires_grad_()
        rnn = m.nn.utils.rnn
        packed = rnn.pack_padded_sequence(x, [3, 1])
        padded, _ = rnn.pad_packed_sequence(packed._replace(data=packed.data**3))
        (g,) = m.autograd.grad(padded.sum(), x, create_graph=True)
        (g * g).sum().backward()
        return [g.tolist(), x.grad.tolist()]

    assert said(autograd_lab, story) == said(torch, story)
