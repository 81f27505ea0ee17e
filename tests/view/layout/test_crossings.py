from __future__ import annotations

from autograd_lab.view.layout.boxes import Link
from autograd_lab.view.layout.crossings import crossings


def crossed(text: str) -> int:
    pairs = [tuple(part.split(">")) for part in text.split()]
    names = sorted({name for pair in pairs for name in pair})
    return crossings(names, [Link(f"{a}>{b}", a, b) for a, b in pairs])


def test_a_chain_a_tree_and_a_diamond_have_no_crossing() -> None:
    for text in ("a>b b>c", "a>d b>d c>e d>f e>f", "a>b a>c b>d c>d"):
        assert crossed(text) == 0, text


def test_all_of_three_with_all_of_three_cannot_be_drawn_without_a_crossing() -> None:
    assert crossed(" ".join(f"{a}>{b}" for a in "abc" for b in "xyz")) > 0


def test_lines_that_part_at_one_box_do_not_count_as_crossing() -> None:
    assert crossed("a>b a>c a>d b>d c>d") == 0
