"""error: second-backward

Something is computed once before a loop that calls backward()

`h` is made before the loop, so each turn goes back through the same `exp`. The first turn has freed what it saved.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = w.exp()
for k in range(3):
    loss = h[k] * 2
    loss.backward()  # <-- here
# remedy: `h` was computed once, on line 11, before the loop
