"""What is to be clicked: of these exercises no notebook has a solution."""

CLICKS = {
    "L0.T1": "b y.grad_fn y.grad_fn._saved_self",
    "L1.T1": "d.grad_fn",
    "L2.T1": "y.grad_fn s.grad_fn u.grad_fn a",
    "L3.T1": "y.grad_fn d.grad_fn c.grad_fn a b",
    "L4.T1": "w.grad_fn v.grad_fn u.grad_fn x",
    "L5.T1": "x y.grad_fn",
    "L6.T1": "s b",
    "L7.T1": "u.grad_fn",
    "L8.T1": "y.grad_fn w.grad_fn a b",
    "L9.T1": "p.grad_fn._saved_self",
    "L12.T1": "picture",
}
"""The right answers to exercises that are answered by clicks, by what the clicks are called."""
