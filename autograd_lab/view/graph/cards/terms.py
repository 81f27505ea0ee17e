"""Terms: what ops compute, as one would write it: `a · b`, `x @ W + b`, `mean(out²)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable

from autograd_lab.view.graph.cards.ground import VIEWS
from autograd_lab.view.graph.facts.history import Box, History, Op, Use
from autograd_lab.view.kit.numeral import FEWER, numeral
from autograd_lab.view.kit.signs import base_of, spelled

INFIX = {"mul": "·", "add": "+", "sub": "−", "div": "/", "mm": "@", "bmm": "@", "matmul": "@", "mv": "@", "dot": "·"}
WORDS = {
    "addmm": "@ +",
    "rsub": "−",
    "neg": "−",
    "pow": "( )ⁿ",
    "maskedfill": "mask",
    "maxpool2d": "pool",
    "maxpool2dwithindices": "pool",
    "mkldnnmaxpool2d": "pool",
    "avgpool2d": "average",
    "adaptiveavgpool2d": "average",
    "upsamplenearest2d": "upsample",
    "upsamplebilinear2d": "upsample",
    "crossentropy": "cross entropy",
    "mseloss": "mse",
    "l1loss": "l1",
    "binarycrossentropy": "bce",
    "binarycrossentropywithlogits": "bce logits",
    "logsoftmax": "log softmax",
    "nllloss": "nll",
    "nllloss2d": "nll",
    "nativelayernorm": "layer norm",
    "nativebatchnorm": "batch norm",
    "cudnnbatchnorm": "batch norm",
    "convolution": "conv",
    "mkldnnconvolution": "conv",
    "scaleddotproductattention": "attention",
    "scaleddotproductflashattentionforcpu": "attention",
    "copyslices": "write",
    "asstrided": "view",
    "unsafeview": "reshape",
    "tocopy": "to",
    "linalgvectornorm": "norm",
    "backwardhookfunction": "hook",
}
"""Names of ops that people say otherwise, or that have a sign."""
EITHER_WAY = ("add", "mul")
UP = dict(enumerate("²³⁴⁵⁶⁷⁸⁹", 2))
TRANSPOSING = ("t", "transpose")
SILENT = VIEWS - {"cat", "stack"}
"""What a list of signs leaves out."""

DEEP, LONG, INNER = 3, 34, 16
"""Terms in terms at most; characters of a term, and of one within another."""
UNKNOWN, GAP = "…", "( )"
MADE = {"ones": "1s", "zeros": "0s", "randn": "randn", "rand": "rand", "randn_like": "randn", "rand_like": "rand"}
"""What to call tensors without a name, by what made them."""
CALL = re.compile(r"(?:torch\.)?(\w+)\(")


def word_of_op(op: Op) -> str:
    """What an op is called in a few letters."""
    base = base_of(op.name)
    exponent = op.uses[1].operand.number if base == "pow" and len(op.uses) > 1 else None
    if exponent in UP:
        return f"( ){UP[int(exponent)]}"
    return INFIX.get(base) or WORDS.get(base) or spelled(op.name)


def signs(ops: Iterable[Op]) -> str:
    """The signs of several ops, each once, in order; views are left out, and what PyTorch splits is one."""
    words = list(dict.fromkeys(word_of_op(op) for op in ops if base_of(op.name) not in SILENT))
    halves = [WORDS["logsoftmax"], WORDS["nllloss"]]
    for at in range(len(words) - 1):
        if words[at : at + 2] == halves:
            words[at : at + 2] = [WORDS["crossentropy"]]
    return ", ".join(words)


def says_little(op: Op) -> bool:
    """Whether an op has only a sign, or is a view: a module that is nothing else says more."""
    base = base_of(op.name)
    return base in INFIX or base in VIEWS


class Terms:
    """Writes terms for the ops of a history; `name` gives the word for a box, if there is one."""

    def __init__(self, history: History, name: Callable[[Box], str]) -> None:
        self._history, self._name = history, name

    def term(self, ops: Collection[Op], last: Op) -> str:
        """What the last of several ops computes, by what comes in; their signs, if that would be too long."""
        written = self._of(last, {op.id for op in ops}, 0)
        if len(written) <= LONG and UNKNOWN not in written:
            return written
        outer = _closed(written)
        if len(ops) > 1 and " " in outer and len(outer) <= LONG and UNKNOWN not in outer.replace(f"({UNKNOWN})", ""):
            return outer
        if len(ops) > 1 and (factor := self._with_gap(last, {op.id for op in ops})):
            return factor
        return self._half(last) if len(ops) == 1 else signs(ops) or word_of_op(last)

    def _with_gap(self, op: Op, inside: Container[str]) -> str:
        """`w · ( )`: a sign between something known and something without a name, which is told if it is short; nothing
        if that is too long."""
        operands = [self._operand(use, inside, 0) for use in op.uses]
        if len(operands) == 2 and (whole := self._meeting(op, base_of(op.name), operands)):
            return whole
        is_telling = len(operands) == 2 and sum(UNKNOWN in text for text in operands) == 1 and all(operands)
        written = self._infix(op, base_of(op.name), [text.replace(UNKNOWN, GAP) for text in operands])
        return written if is_telling and base_of(op.name) in INFIX and len(written) <= LONG else ""

    def _half(self, op: Op) -> str:
        """Of what takes something without a name only what is known, `/ 2.83` or `( )²`; where two things meet, each by
        what stands on its own card, `c · (b + 1)`, and if that is too long, `c · ( )`."""
        base, operands = base_of(op.name), [self._operand(use, set(), 0) for use in op.uses]
        if base == "pow" and len(operands) == 2 and operands[0] == UNKNOWN != operands[1]:
            return self._infix(op, base, [GAP, operands[1]])
        known = [text for text in operands if text and text != UNKNOWN]
        if base not in INFIX or len(operands) != 2:
            return word_of_op(op)
        if operands[0] == UNKNOWN and known:
            return f"{INFIX[base]} {_bracketed(known[0])}"
        if whole := self._meeting(op, base, operands):
            return whole
        if not known:
            return word_of_op(op)
        return f"{known[0]} {INFIX[base]} {GAP}" if base in EITHER_WAY else word_of_op(op)

    def _meeting(self, op: Op, base: str, operands: list[str]) -> str:
        """A sign between two things, those without a name by their terms; nothing if that is too long."""
        given = [self._elsewhere(use) if UNKNOWN in text else text for use, text in zip(op.uses, operands, strict=True)]
        written = self._infix(op, base, given) if all(given) else ""
        return written if len(written) <= LONG else ""

    def _elsewhere(self, use: Use) -> str:
        """What stands on the card of something without a name, if that is short and tells what is in it: `exp(…)`."""
        made = self._history.ops.get(self._history.boxes[use.box].op or "") if use.box is not None else None
        tried = [_closed(self._of(made, self._history.ops.keys(), deep)) for deep in (DEEP - 1, DEEP)] if made else []
        return next((text for text in tried if len(text) <= INNER and (UNKNOWN not in text or _is_call(text))), "")

    def _of(self, op: Op, inside: Container[str], deep: int) -> str:
        base = base_of(op.name)
        operands = [self._operand(use, inside, deep) for use in op.uses]
        given = [text for text in operands if text]
        joined = self._infix(op, base, given)
        if joined:
            return joined
        live = [text for use, text in zip(op.uses, operands, strict=True) if text and use.box is not None]
        if base in TRANSPOSING and live:
            return live[0].removesuffix(".t()") if live[0].endswith(".t()") else f"{_bracketed(live[0])}.t()"
        word = word_of_op(op) if base not in ("addmm", "rsub", "neg", "pow") else base
        if base in INFIX and live:
            return f"{UNKNOWN} {word} {_bracketed(live[0])}"
        return f"{word}({', '.join(live[:3])})" if live else word

    def _infix(self, op: Op, base: str, given: list[str]) -> str:
        """A term with a sign between what is given, or none."""
        alpha = getattr(op.event, "attributes", {}).get("alpha", 1)
        if base == "rsub" and len(given) > 1:
            given, base = [given[1], given[0], *given[2:]], "sub"
        if base in ("add", "sub") and len(given) > 1 and alpha != 1:
            given = [given[0], f"{_number(alpha)} · {_bracketed(given[1])}"]
            return f"{given[0]} {INFIX[base]} {given[1]}"
        if base == "add" and len(given) > 1:
            return f"{given[0]} + {given[1]}"
        if base == "sub" and len(given) > 1:
            return f"{given[0]} − {_bracketed(given[1])}"
        if base == "mul" and len(given) > 1 and op.uses[1].box is None:
            given = [given[1], given[0]]
        if base in INFIX and len(given) > 1:
            return f"{_bracketed(given[0])} {INFIX[base]} {_bracketed(given[1])}"
        if base == "addmm" and len(given) > 2:
            return f"{_bracketed(given[1])} @ {_bracketed(given[2])} + {given[0]}"
        if base == "pow" and len(given) == 2:
            small = given[1].isdigit() and int(given[1]) in UP
            return _bracketed(given[0]) + (UP[int(given[1])] if small else f"^{_bracketed(given[1])}")
        return f"−{_bracketed(given[0])}" if base == "neg" and given else ""

    def _operand(self, use: Use, inside: Container[str], deep: int) -> str:
        if use.box is None:
            return _number(use.operand.number)
        box = self._history.boxes[use.box]
        if name := self._name(box):
            return name
        made = self._history.ops.get(box.op or "")
        if made is not None and deep < DEEP and (made.id in inside or base_of(made.name) in VIEWS):
            if base_of(made.name) in VIEWS and base_of(made.name) not in TRANSPOSING and made.uses:
                return self._operand(made.uses[0], inside, deep + 1)
            term = self._of(made, inside, deep + 1)
            return term if len(term) <= (LONG if made.id in inside else INNER) else UNKNOWN
        value = box.values[0].numbers if box.values and box.op is None else None
        return _number(value) or made_by(box) or UNKNOWN


def _closed(term: str) -> str:
    """A term without what is in brackets, where that has something without a name in it.

    >>> _closed("−0.5 · sum((… − b) − exp(b)) + f(a)")
    '−0.5 · sum(…) + f(a)'
    """
    found, start, depth = "", 0, 0
    for at, letter in enumerate(term):
        start = at if letter == "(" and not depth else start
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == ")" and not depth:
            found += f"({UNKNOWN})" if UNKNOWN in term[start:at] else term[start : at + 1]
        elif not depth:
            found += letter
    return found


def made_by(box: Box) -> str:
    """What a tensor without a name is by the call that made it: randn, 1s; nothing if that says little, or if it is
    there to be learnt."""
    made = CALL.match(box.label) if not box.facts.requires_grad else None
    return MADE.get(made[1], "") if made else ""


def _number(number: object) -> str:
    """A plain number, as short as people write it."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return ""
    return numeral(number, FEWER).removesuffix(".0").replace("-", "−")


def _bracketed(term: str) -> str:
    """A term in brackets, if it is more than one thing."""
    whole = " " not in term or term == "( )" or re.fullmatch(r"[\w.]+\[[^\[\]]*\]", term)
    return term if whole or (term.endswith(")") and _is_call(term)) else f"({term})"


def _is_call(term: str) -> bool:
    """Whether the whole is one call: the bracket that opens first closes last."""
    start, depth = term.find("("), 0
    for at in range(start, len(term)):
        depth += {"(": 1, ")": -1}.get(term[at], 0)
        if not depth:
            return at == len(term) - 1 and " " not in term[:start]
    return False
