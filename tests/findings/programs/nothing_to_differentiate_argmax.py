"""error: nothing-to-differentiate

The loss is computed from an argmax

argmax gives a whole number, which has no gradient. To turn it into a float does not bring its history back.
"""

import autograd_lab as torch

w = torch.tensor([0.1, 0.9, 0.3], requires_grad=True)
k = (w * 2).argmax()  # <-- here
loss = k.float() - 1
loss.backward()
# remedy: softmax for argmax
