"""What differs on purpose: of which thing, in which fact, and why."""

from __future__ import annotations

import re

TIES = "positions of equal elements: those of a stable sort"
LAYOUT = "numpy's memory layout"
ROUNDING = "gradients of float32 that cancel: PyTorch's rounding is another"
WORDS = "wrong arguments: an error of the same kind, in Python's own words"

KNOWN: list[tuple[str, str, str]] = [
    (r"kthvalue|topk|sort|argsort|msort|median|nanmedian|mode", "values|gradient", TIES),
    (r".*", "layout", LAYOUT),
    (
        r"nn.functional.ctc_loss|nn.functional.normalize|nn.functional.layer_norm|logcumsumexp|linalg.*|grid_sampler_2d|nn.functional.scaled_dot_product_attention|native_layer_norm|nn.functional.*_norm|CTCLoss|LayerNorm|GroupNorm|InstanceNorm.*|BatchNorm.*",
        "gradient|second gradient",
        ROUNDING,
    ),
    (
        r"nn.functional.embedding_bag|nn.functional.hardsigmoid|Hardsigmoid|cdist|nn.functional.pdist|nn.functional.scaled_dot_product_attention|linalg.det|det",
        "second gradient",
        "there, where PyTorch refuses it",
    ),
    (r"polygamma|digamma", "values|gradient|second gradient", "trigamma of whole numbers up to 0"),
    (r"linalg.eigh|linalg.svd|svd|linalg.qr|qr", "values", "eigenvectors and their kin point one way or the other"),
    (r"svd", "gradient|second gradient", "eigenvectors and their kin point one way or the other"),
    (r"cdist", "node|view", "PyTorch looks at a batch of products in its shape"),
    (r"matrix_exp", "values|gradient|as a method: .*", "computed in double precision; PyTorch's float32 is less exact"),
    (r"triangular_solve", "node", "the nodes of linalg.solve_triangular"),
    (r"linalg.cond", "node|view", "PyTorch squeezes a quotient of slices"),
    (r"nn.functional.(interpolate|upsample_nearest|pad)", "error", "no pictures of three dimensions"),
    (r"nn.functional.grid_sample", "error", "pictures of two dimensions"),
    (r"nn.functional.linear", "error", "no out=: it is called most of all"),
    (r"nonzero|argwhere", "view|layout", "PyTorch's result is a transposed one"),
    (r".*", "words", WORDS),
    (r"sum_to_size", "node|gradient|dtype", "PyTorch's database calls it with what it never is called with"),
    (r"as_strided", "gradient", "PyTorch's own gradient depends on what lies outside of the input"),
    (r"Transformer.*|MultiheadAttention", "second gradient", "there, where PyTorch refuses it"),
    (r"addbmm", "error", "PyTorch writes to another shape than the tensor's own"),
    (r"Muon", "values", "sums in another order, which bfloat16 rounds to the next number now and then"),
    (r"ASGD", "values", "PyTorch keeps the step size in float32"),
    (r"LBFGS", "keys", "PyTorch keeps a list for its own use, too"),
    (
        r"gather|take|masked_select|index_select|kthvalue|aminmax|cat|arange",
        "wrong input",
        "an out of which PyTorch says that it does not suit",
    ),
    (r"bitwise_.*|__r.*__", "wrong input", "numbers in the place of tensors are taken for such"),
    (
        r".*pool.*|multinomial|diag_embed|nn.functional.rrelu|[hvd]split|linspace|logspace",
        "wrong input",
        "another kind of error, or none",
    ),
    (r"nn.functional.batch_norm", "error", "a tensor of one dimension has no channels"),
    (r"LSTM|GRU|RNN", "node|second gradient", "the nodes of every step"),
    (r"BatchNorm.*", "node", "PyTorch copies a batch without examples"),
    (r"native_group_norm", "node|gradient|second gradient", "its means and deviations have no gradients"),
    (r"native_layer_norm", "second gradient", "there, where PyTorch refuses it"),
    (
        r"nn.functional.linear_cross_entropy|LinearCrossEntropyLoss",
        "view|node|second gradient",
        "PyTorch computes it in pieces, by one node",
    ),
    (r"native_batch_norm|split_with_sizes_copy|unbind_copy", "error", "no out= of several tensors"),
    (r"histogramdd", "error", "edges that do not rise are refused"),
]
"""Patterns of names and of facts, and the reason."""


def reason(name: str, kind: str) -> str | None:
    """Why a difference is meant, or None if it is not."""
    fact = kind.rpartition(": ")[2]
    for names, facts, why in KNOWN:
        if re.fullmatch(names, name) and re.fullmatch(facts, fact):
            return why
    return None
