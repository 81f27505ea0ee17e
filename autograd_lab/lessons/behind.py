"""What is behind a closed cell, in a few words that give nothing away."""

from __future__ import annotations

import re

from autograd_lab.lessons.worded import worded

ARTICLE = re.compile(r"\A# [^\n]+: [^\n]+\n# [^\n]+: ")
"""A cell begins with what an article says, and what PyTorch does, in any language."""


def behind(source: str, prose: bool) -> str:
    """What a cell brings when it opens, in the language that is spoken.

    >>> behind("figure(run, 'Backward goes through y.')", prose=False)
    'a picture'
    """
    if prose:
        return worded("a few lines to read")
    if re.search(r"\b(predict|task|check)\(", source):
        return worded("the next question" if "predict(" in source else "an exercise")
    if ARTICLE.match(source):
        return worded("what an article says, and what PyTorch does")
    if re.search(r"\b(figure|drag)\(", source):
        return worded("a picture")
    return worded("code, and what it prints" if "print(" in source else "code")
