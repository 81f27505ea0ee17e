"""Softmax or sigmoid before a loss that applies it itself: `CrossEntropyLoss` and `BCEWithLogitsLoss` want logits."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.finding import NOTE, WARNING, Finding, Place
from autograd_lab.findings.losses.handed_over import op, source_of

KIND = "softmax-before-loss"
NAMES = {"softmax": "softmax()", "logsoftmax": "log_softmax()", "sigmoid": "sigmoid()"}
GIVEN = {
    "logsoftmax": ("softmax", "logsoftmax", "sigmoid"),
    "binarycrossentropywithlogits": ("sigmoid", "softmax"),
    "nllloss": ("softmax", "sigmoid"),
    "kldiv": ("softmax", "sigmoid"),
}
"""By the op of a loss what is not to be given to it."""


def find(case: Case) -> Iterator[Finding]:
    """The first call of each line that is handed probabilities in the place of logits, and is gone back through."""
    seen = set()
    for call in case.calls:
        name = op(call)
        if name == "sub" and (logarithms := _of_divergence(case, call)) is not None:
            name, place, given = "kldiv", *logarithms
        elif name in GIVEN:
            place, given = 0, call
        else:
            continue
        if call.node is not None and call.where not in seen:
            before = source_of(case, given, place)
            if before is not None and op(before) in GIVEN[name] and _is_loss(case, call, before):
                seen.add(call.where)
                yield _finding(case, call, before, name)


def _of_divergence(case: Case, call: Call) -> tuple[int, Call] | None:
    """Of `target * target.log() - target * input`, as kl_div is computed: which operand of which call the input is."""
    entropy, product = (None if number is None else case.calls[number] for number in (*call.sources, None, None)[:2])
    if entropy is None or product is None or op(entropy) != "xlogy" or op(product) != "mul":
        return None
    target = entropy.operands[:1]
    if entropy.operands[1:] != target or target[0] not in product.operands or len(product.operands) != 2:
        return None
    return (1 if product.operands[0] == target[0] else 0), product


def _is_loss(case: Case, call: Call, before: Call) -> bool:
    """A sigmoid may bound logits on purpose, unless it is for a loss over classes."""
    if op(call) != "logsoftmax" or op(before) != "sigmoid":
        return True
    return any(op(case.calls[user]) == "nllloss" for user in call.users)


def _finding(case: Case, call: Call, before: Call, name: str) -> Finding:
    given = op(before)
    said, module = NAMES[given], case.module_of(before)
    places = (
        Place(words=f"{said}{f' in {module}' * bool(module)} is applied here", where=before.where),
        Place(words=WORDS[name], where=call.where),
    )
    return Finding(
        kind=KIND, severity=NOTE if given == "logsoftmax" else WARNING,
        sentence=SENTENCES.get((name, given), SENTENCE[name]).format(said),
        cause=places if call.where != before.where else places[:1],
        remedy=REMEDIES[name].format(said), steps=(call.step, before.step),
        parts=tuple(node for node in (before.node, call.node) if node),
    )  # fmt: skip


WORDS = {
    "logsoftmax": "and the loss applies log_softmax() once more here",
    "binarycrossentropywithlogits": "and the loss applies sigmoid() once more here",
    "nllloss": "and the loss takes it for logarithms here",
    "kldiv": "and kl_div takes it for logarithms here",
}
SENTENCE = {
    "logsoftmax": "The loss is given the output of {}, and applies softmax itself: gradients are weak, and it cannot "
    "come near 0.",
    "binarycrossentropywithlogits": "The loss is given the output of {}, and applies sigmoid itself: gradients are "
    "weak, and it cannot come near 0.",
    "nllloss": "nll_loss is given the output of {}, and wants logarithms: its gradient does not grow where the model "
    "is wrong.",
    "kldiv": "kl_div is given the output of {} as its input, and wants logarithms there: what comes of it is no "
    "distance of the two, and may be negative.",
}  # fmt: skip
SENTENCES = {
    ("logsoftmax", "logsoftmax"): "{} is applied twice: cross_entropy does so itself. The second time changes nothing.",
}  # fmt: skip
"""Of a loss and what it is given, where that is another case than the rest."""
REMEDIES = {
    "logsoftmax": "Give the loss what {} was given: `cross_entropy(logits, target)`; use softmax to predict alone.",
    "binarycrossentropywithlogits": "Give the loss what {} was given: `binary_cross_entropy_with_logits(logits, "
    "target)`; use sigmoid to predict alone.",
    "nllloss": "Use `log_softmax` in its place, or give logits to `cross_entropy(logits, target)`.",
    "kldiv": "Use `log_softmax` for the input: `kl_div(input.log_softmax(-1), target, reduction='batchmean')`; the "
    "target stays as it is.",
}  # fmt: skip
