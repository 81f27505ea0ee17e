"""error: second-backward

Two losses share a part of their graphs

Both losses were computed from `shared`. The first backward() has freed what it saved.
"""

import autograd_lab as torch

w = torch.tensor(2.0, requires_grad=True)
shared = w.exp()
first = shared * 2
second = shared * 3
first.backward()  # <-- here
second.backward()
# remedy: `(first + second).backward()`
