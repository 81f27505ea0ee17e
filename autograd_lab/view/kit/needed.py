"""Of a style sheet as much as a drawing needs."""

from __future__ import annotations

import re
from collections.abc import Container


def needed(sheet: str, drawing: str) -> str:
    """The rules of a sheet that may match something in a drawing.

    >>> needed(".box .name{fill:red}.pill,.name{fill:blue}", '<text class="name">')
    '.name{fill:blue}'
    """
    return about(sheet, {name for classes in re.findall(r'class="([^"]*)"', drawing) for name in classes.split()})


def about(sheet: str, names: Container[str]) -> str:
    """The rules of a sheet whose classes all are among some names.

    >>> about("@media print{.box{fill:red}.pill,.name{fill:blue}}", ["name"])
    '@media print{.name{fill:blue}}'
    """

    def kept(rule: re.Match[str]) -> str:
        selectors = [rule[1]] if "(" in rule[1] else rule[1].split(",")
        apt = [each.strip() for each in selectors if all(name in names for name in re.findall(r"\.([\w-]+)", each))]
        return ",".join(apt) + rule[2] if apt else ""

    return re.sub(r"([^{}]+)(\{[^{}]*\})", kept, sheet)


def classes_in(film: str, script: str) -> set[str]:
    """The class names that a film has in its drawings, and those that a script gives to elements that it makes.

    >>> sorted(classes_in('{"classes":["card op"],"shapes":[["g",{"class":"wire"}]]}', 'h("p",{class:"reason"})'))
    ['card', 'op', 'reason', 'wire']
    """
    lists = re.findall(r'"classes":\[([^\]]*)\]', film)
    told = re.findall(r'"class":"([^"]*)"', film) + re.findall(r'class:["`]([^"`]*)["`]', script)
    return {name for text in (*told, *lists) for name in re.findall(r"[\w-]+", text)}


def words_in(*texts: str) -> set[str]:
    """All words of some texts, any of which may be the name of a class.

    >>> sorted(words_in('h("p",{class:"not-yet"})', ".card{}"))
    ['card', 'class', 'h', 'not-yet', 'p']
    """
    return {word for text in texts for word in re.findall(r"[\w-]+", text)}


def without_idle(sheet: str, *others: str) -> str:
    """The sheet without the colours and the like that neither it nor other texts use; a text may put a name together.

    >>> without_idle(":root{--ink:#000;--hair:#777}text{fill:var(--ink)}")
    ':root{--ink:#000;}text{fill:var(--ink)}'
    >>> without_idle(":root{--warm1:#f00;--cold1:#00f}", "`var(--warm${step})`")
    ':root{--warm1:#f00;}'
    """
    texts = " ".join((sheet, *others))
    used, begun = set(re.findall(r"var\(--([\w-]+)", texts)), tuple(re.findall(r"var\(--([\w-]+)\$\{", texts))

    def kept(declared: re.Match[str]) -> str:
        return declared[0] if declared[1] in used or declared[1].startswith(begun) else ""

    return re.sub(r"(?<=[{;])--([\w-]+):[^;{}]*;?", kept, sheet)
