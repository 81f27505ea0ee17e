"""What tensors and ops are called in a headline: by what the user calls them, and by where they are in a model."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile

from autograd_lab.events import OpApplied, TensorDetached, Where
from autograd_lab.view.graph.facts.call import Call
from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.kit.figure import counted, listed
from autograd_lab.view.kit.signs import base_of

LONG = 20
"""Characters that an expression may have to stand in a headline."""
NOUNS = {
    "add": "the sum", "sub": "the difference", "mul": "the product", "div": "the quotient", "mm": "the matrix product",
    "bmm": "the matrix product", "matmul": "the matrix product", "dot": "the dot product", "pow": "the power",
    "sqrt": "the square root", "exp": "the exponential", "sigmoid": "the sigmoid", "tanh": "the tanh",
    "log": "the logarithm", "mean": "the mean",
}  # fmt: skip
WORDS = {
    "nativelayernorm": "layer_norm", "nativebatchnorm": "batch_norm", "nativegroupnorm": "group_norm",
    "tocopy": "to", "unsafeview": "view",
    "logsoftmax": "log_softmax", "nllloss": "nll_loss", "mseloss": "mse_loss", "convolution": "conv",
    "maxpool2dwithindices": "max_pool2d", "binarycrossentropy": "bce", "mkldnnrnnlayer": "rnn_layer",
    "binarycrossentropywithlogits": "bce_with_logits", "cudnnbatchnorm": "batch_norm", "upsamplenearest2d": "upsample",
    "scaleddotproductflashattentionforcpu": "attention", "scaleddotproductattentionmath": "attention",
    "scaleddotproductefficientattention": "attention", "scaleddotproductflashattention": "attention",
}  # fmt: skip
"""The words of nodes whose name nobody would read."""
OWN = re.compile(r"[^\W\d]\w*[a-z_]Backward")
"""The name of a node of a Function that somebody wrote: without a number at its end."""
NOT_YOURS = {
    "CheckpointFunctionBackward", "CompiledFunctionBackward", "SyncBatchNormBackward", "BroadcastBackward",
    "GatherBackward", "ScatterBackward",
}  # fmt: skip
"""Those that PyTorch brings along."""


def shown_memory(history: History, tensor: str) -> str:
    """What the tensor is called whose memory a view without a name shows; nothing for what has a name, or is none."""
    lives = history.lives.get(tensor, ())
    facts = history.boxes[lives[-1]].facts if lives else None
    if facts is None or facts.name:
        return ""
    return next((b.label for b in history.boxes.values() if b.facts.name and b.facts.storage == facts.storage), "")


class Called:
    """Names for headlines. A name that two things of one picture share is made plain by the line or the module."""

    def __init__(self, history: History) -> None:
        self._history = history

    def tensor(self, tensor: str, step: int | None = None) -> str:
        """A tensor by its label, at a step that of the life which it then has; empty where that is too long."""
        lives = [self._history.boxes[box] for box in self._history.lives.get(tensor, ())]
        now = [box for box in lives if step is None or box.born <= step] or lives
        return self.box(now[-1]) if now else ""

    def memory(self, tensor: str) -> str:
        """A tensor by its label; a view without one by that of the tensor whose memory it shows."""
        return self.tensor(tensor) or shown_memory(self._history, tensor)

    def grad(self, tensor: str, step: int | None = None) -> str:
        """What a tensor's `.grad` is called."""
        name = self.tensor(tensor, step)
        return f"{name}.grad" if name else "an unnamed tensor's .grad"

    def box(self, box: Box) -> str:
        """A box by its label, unless that is an expression that says little."""
        return self.path(box.label) if box.facts.name or self.is_short(box.label) else ""

    def several(self, tensors: Sequence[str]) -> str:
        """Several tensors in few words: `G's four parameters`, if all are of one model, or all of those in a module of
        it; else names, or a count."""
        labels = self.labels(tensors)
        roots = {label.partition(".")[0] for label in labels if "." in label} if len(labels) > 1 else set()
        if len(roots) == 1 and all("." in label for label in labels):
            return f"{self.holder(labels)}'s {counted(len(labels))} parameters"
        names = [self.tensor(each) for each in tensors]
        return listed(names) if all(names) and len(names) <= 3 else f"{counted(len(names))} tensors"

    def labels(self, tensors: Sequence[str]) -> list[str]:
        """What stands on their boxes."""
        return [
            self._history.boxes[self._history.lives[each][0]].label for each in tensors if each in self._history.lives
        ]

    def holder(self, labels: Sequence[str]) -> str:
        """Of what these are parameters: the model, if it has no others; else the module that has all of them."""
        root = labels[0].partition(".")[0]
        boxes = self._history.boxes.values()
        if {box.label for box in boxes if box.is_leaf and box.label.startswith(f"{root}.")} <= {*labels}:
            return root
        steps = zip(*(label.split(".")[:-1] for label in labels), strict=False)
        return self.path(".".join(step[0] for step in takewhile(lambda step: len({*step}) == 1, steps)))

    def model(self, tensor: str) -> str:
        """The variable of the model that a parameter is of; empty for a tensor of no model."""
        lives = self._history.lives.get(tensor, ())
        root, dot, _ = self._history.boxes[lives[0]].label.partition(".") if lives else ("", "", "")
        return root if dot else ""

    @cached_property
    def models(self) -> list[str]:
        """The variables of all models that learn."""
        leaves = (box.facts.id for box in self._history.boxes.values() if box.is_leaf and box.facts.requires_grad)
        return list(dict.fromkeys(model for leaf in leaves if (model := self.model(leaf))))

    def path(self, path: str) -> str:
        """A path in a model: without the variable that means the model, if there is but one model and each of its parts
        has a name. So all paths of a picture have it or none: `conv1.weight` and `conv1.bias`, `G.0.bias`, `D.2`."""
        root, _, rest = path.partition(".")
        return rest if rest and root == self._root else path

    @cached_property
    def _root(self) -> str | None:
        """The variable that needs no saying."""
        roots = {call.root for call in self._history.calls}
        inner = [call.path for call in self._history.calls if call.path]
        root = roots.pop() if len(roots) == 1 else None
        return root if inner and not any(path[0].isdigit() for path in inner) else None

    @staticmethod
    def is_short(expression: str | None) -> bool:
        """Whether an expression is one, and can stand in a headline."""
        return (
            bool(expression)
            and len(expression or "") <= LONG
            and "=" not in str(expression)
            and "…" not in str(expression)
        )

    def op(self, op: Op) -> str:
        """An op: `mul in model.0`, `relu 2 of 4 in net`, `y = a * b`, `a * b`, `mul`, or `mul on line 7` where several
        are called so."""
        word, call = self.word(op), self.call(op)
        made = [self._history.boxes[box] for box in op.outputs]
        if call is not None:
            return f"{word}{self._which.get(op.id, '')} in {self.path(call.name)}"
        if len(made) == 1 and not self._is_second(op):
            label, expression = made[0].facts.name and made[0].label, self._expression(op, made[0])
            if label and expression and len(label + expression) <= LONG:
                return f"{label} = {expression}"
            if expression or label:
                return expression or f"{label} = {word}(…)"
        line = op.event.where.line if op.event.where is not None and self._words[word] > 1 else None
        return word if line is None else f"{word} on line {line}"

    def _expression(self, op: Op, box: Box) -> str:
        wrote = isinstance(op.event, OpApplied) and op.event.wrote_in_place
        expression = box.facts.expression or ""
        usable = self.is_short(expression) and expression != box.facts.name
        return expression if usable and (not wrote or expression.endswith(")")) else ""

    def word(self, op: Op) -> str:
        """An op in one word: `mul`, `Swish` of somebody's own Function."""
        if isinstance(op.event, TensorDetached):
            return op.name.removesuffix("()").lstrip(".")
        return op.name.removesuffix("Backward") if self.is_own(op) else WORDS.get(base_of(op.name), base_of(op.name))

    def is_own(self, op: Op) -> bool:
        """Whether an op is a Function that somebody wrote."""
        return op.node is not None and op.name not in NOT_YOURS and OWN.fullmatch(op.name) is not None

    def noun(self, op: Op) -> str:
        """An op as a subject: `the product` where there is but one, else what it is called."""
        word = self.word(op)
        return NOUNS[word] if word in NOUNS and self._words[word] == 1 else self.op(op)

    def node(self, node: str) -> str:
        """A node by its op, or by the leaf that it accumulates for."""
        op = self._history.op_of_node.get(node)
        return self.op(self._history.ops[op]) if op is not None else self._leaves.get(node, "") or "a leaf"

    def made_by(self, node: str, index: int = 0) -> str:
        """What a node made, or the leaf that it accumulates for, by name; empty if it has none."""
        op = self._history.ops.get(self._history.op_of_node.get(node, ""))
        if op is None:
            return self._leaves.get(node, "")
        return self.box(self._history.boxes[op.outputs[index]]) if index < len(op.outputs) else ""

    def uses(self, node: str, index: int = 0) -> int:
        """How often what a node made is used by an op."""
        op = self._history.ops.get(self._history.op_of_node.get(node, ""))
        if op is None:
            return self._leaf_uses[node]
        return self._history.boxes[op.outputs[index]].uses if index < len(op.outputs) else 0

    def operand(self, node: str, edge: int) -> str:
        """What an edge of a node leads to, by name; empty if it has none."""
        op = self._history.ops.get(self._history.op_of_node.get(node, ""))
        for use in op.uses if op is not None else ():
            if use.operand.edge == edge and use.box is not None:
                return self.box(self._history.boxes[use.box])
        return ""

    def place(self, *nodes: str) -> tuple[str, ...]:
        """The module call that all of these nodes are of, and each in a word; nothing if there is no such call."""
        ops = [self._history.ops.get(self._history.op_of_node.get(node, "")) for node in nodes]
        calls = {call.number: call for call in (self.call(op) for op in ops if op is not None) if call is not None}
        if len(calls) != 1 or any(op is None or self.call(op) is None for op in ops):
            return ()
        call = next(iter(calls.values()))
        return (self.path(call.name), *(self.word(op) for op in ops if op is not None))

    def call(self, op: Op) -> Call | None:
        """The innermost module call that an op ran in."""
        if not self._history.calls:
            return None
        number = int(op.id[1:])
        at = bisect_right(self._starts, number) - 1
        found = self._history.calls[at] if at >= 0 else None
        while found is not None and not found.start <= number < found.end:
            found = self._history.calls[found.parent] if found.parent is not None else None
        return found

    @cached_property
    def _which(self) -> dict[str, str]:
        """Of ops with one word in one call of a module, which each is: ` 2 of 4`."""
        alike: dict[tuple[int, str], list[str]] = defaultdict(list)
        for op in self._history.ops.values():
            if (call := self.call(op)) is not None:
                alike[call.number, self.word(op)].append(op.id)
        several = [ops for ops in alike.values() if len(ops) > 1]
        return {op: f" {place} of {len(ops)}" for ops in several for place, op in enumerate(ops, 1)}

    @cached_property
    def _starts(self) -> list[int]:
        return [call.start for call in self._history.calls]

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(self.word(op) for op in self._history.ops.values())

    @cached_property
    def _leaves(self) -> dict[str, str]:
        boxes = self._history.boxes.values()
        return {box.leaf_node: self.box(box) for box in boxes if box.leaf_node is not None}

    @cached_property
    def _leaf_uses(self) -> Counter[str]:
        counts = Counter[str]()
        for box in self._history.boxes.values():
            counts[box.leaf_node or ""] += box.uses
        return counts

    def _is_second(self, op: Op) -> bool:
        """Whether an op has a line that did not write it down: one of a backward pass."""
        where = op.event.where
        return where is not None and "backward(" in where.text


def line(where: Where | None, otherwise: str) -> str:
    """A line of the program."""
    return otherwise if where is None else f"line {where.line}"
