"""The axis of a loop says what the program itself counts its turns by."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_lab.display.script import run_script
from autograd_lab.view.graph.cards.names import Names
from autograd_lab.view.still import stills_of

PROGRAM = """import autograd_lab as torch

turns, xs = 60, [torch.ones(2)] * 60
w = torch.tensor([[0.3, -0.2], [0.1, 0.4]], requires_grad=True)
h = torch.ones(2)
{loop}
    h = torch.tanh(w @ h)
h.sum().backward()
"""
NESTED = """for epoch in range(2):
    for i in range(turns // 2):
        h = torch.tanh(w @ h)
for i in range(0):"""


@pytest.mark.parametrize(
    ("loop", "first"),
    [
        ("for step in range(60):", "step 0–"),
        ("for step in range(turns):", "step 0–"),
        ("for k in range(1, 61):", "k 1–"),
        ("for word in xs:", "word 1–"),
        ("for t, x in enumerate(xs):", "t 0–"),
        ("for _ in xs:", "turns 1–"),
        ("for t in reversed(range(turns)):", "turns 1–"),
        ("while (turns := turns - 1) >= 0:", "turns 1–"),
        (NESTED, "turns 1–"),
    ],
)
def test_turns_are_counted_by_the_variable_of_their_loop(loop: str, first: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(loop=loop))
    cards = stills_of(run_script(script).trace).picture.choice.cards
    words = [Names(cards).of(card) for card in cards.cards.values() if card.turns > 1]
    assert words[0].title.startswith(first)
    assert all(word.title.startswith(first.split()[0]) and word.label in word.title for word in words)
    assert all(word.label[0].isdigit() for word in words[1:])
