"""error: inference-tensor-in-a-graph

A tensor that was made under torch.inference_mode() is used in training

Tensors made under inference_mode() have no version counter. Autograd could not notice if they were overwritten, so it
does not save them.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.inference_mode():
    features = torch.ones(2) * 3
(w * features).sum().backward()  # <-- here
