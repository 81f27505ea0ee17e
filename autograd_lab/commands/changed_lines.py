"""`autograd-lab compare`: the lines of text that only one of two programs has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from autograd_lab.view.compare.both import Both
from autograd_lab.view.kit.font import clean
from autograd_lab.view.languages.texts import worded

FEW = 6
"""So many lines may be told: programs that differ in more are two programs, and no two versions of one."""


def changed_lines(both: Both) -> list[str]:
    """Each such line with its number; nothing where several files differ, or many lines.

    What a line does may leave no trace, as where it sets a learning rate.
    """
    files = [scene.trace.files for scene in both.scenes]
    texts = [[text for text in one.values() if text not in other.values()] for one, other in (files, files[::-1])]
    if [len(each) for each in texts] != [1, 1]:
        return []
    one, other = (text.splitlines() for (text,) in texts)
    found = list(_only_one_has(one, other))
    if len(found) > FEW:
        return []
    titles = both.titles
    return [worded("only “{}” has line {}: {}", titles[side], at + 1, clean(line)) for side, at, line in found]


def _only_one_has(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Side, index and text of lines that are not blank."""
    for what, *spans in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        for side, lines, span in ((0, one, spans[:2]), (1, other, spans[2:])):
            if what != "equal":
                yield from ((side, at, lines[at].strip()) for at in range(*span) if lines[at].strip())
