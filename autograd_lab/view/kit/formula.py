"""What the backward of common ops computes, in a line: `g` is the gradient that arrives, `y` the op's own result.

>>> formula_of("MulBackward0"), formula_of("PowBackward2"), formula_of("MulBackward")
('self: g × other;  other: g × self', 'exponent: g × y × log(self)', '')
"""

from __future__ import annotations

from autograd_lab.view.kit.signs import base_of

FORMULAS = {
    "add": "self: g;  other: g × alpha",
    "sub": "self: g;  other: −g × alpha",
    "rsub": "self: −g × alpha",
    "mul": "self: g × other;  other: g × self",
    "div": "self: g ÷ other;  other: −g × self ÷ other²",
    "neg": "self: −g",
    "pow": "self: g × exponent × self^(exponent − 1)",
    "exp": "self: g × y",
    "log": "self: g ÷ self",
    "sqrt": "self: g ÷ (2 × y)",
    "reciprocal": "self: −g × y²",
    "sin": "self: g × cos(self)",
    "cos": "self: −g × sin(self)",
    "tanh": "self: g × (1 − y²)",
    "sigmoid": "self: g × y × (1 − y)",
    "relu": "self: g where y > 0, else 0",
    "abs": "self: g × sign(self)",
    "sum": "self: g, as often as elements were added",
    "mean": "self: g ÷ number of elements, for each",
    "mm": "self: g @ mat2ᵀ;  mat2: selfᵀ @ g",
    "mv": "self: outer product of g and vec;  vec: selfᵀ @ g",
    "dot": "self: g × tensor;  tensor: g × self",
    "addmm": "self: g × beta, summed to its shape;  mat1: g @ mat2ᵀ × alpha;  mat2: mat1ᵀ @ g × alpha",
    "t": "self: gᵀ",
    "transpose": "self: g, the same two dims exchanged",
    "view": "self: g in the old shape",
    "reshape": "self: g in the old shape",
    "expand": "self: g, summed over what was repeated",
    "clone": "self: g",
    "logsoftmax": "self: g − exp(y) × sum of g",
    "softmax": "self: y × (g − sum of g × y)",
}

OTHERWISE = {
    "DivBackward2": "",  # rounds, and has no one formula
    "MeanBackward1": "self: g ÷ number of elements of each mean, for each",
    "PowBackward1": "self: g × exponent × self^(exponent − 1);  exponent: g × y × log(self)",
    "PowBackward2": "exponent: g × y × log(self)",
    "RsubBackward0": "self: −g × alpha;  other: g",
}
"""Nodes of the same ops whose operands are others."""


def formula_of(name: str) -> str:
    """For a node's name, what each operand gets; nothing for an op that is not in the list.

    A number ends the names of PyTorch's own nodes; without one it is the node of somebody's Function, called as it is.
    """
    return OTHERWISE.get(name, FORMULAS.get(base_of(name), "") if name[-1:].isdigit() else "")
