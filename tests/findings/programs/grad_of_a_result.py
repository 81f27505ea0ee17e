"""warning: grad-of-a-result

h.grad is None after backward(), though h requires grad

backward() stores gradients in `.grad` of leaves alone. `h` was computed: its gradient was used on the path to `x` and
dropped.
"""

import autograd_lab as torch

x = torch.tensor(2.0, requires_grad=True)
h = x * x
y = h + 1
y.backward()
print(x.grad, h.grad)  # <-- here
# remedy: `h.retain_grad()`
