"""error: numpy-of-a-recorded-tensor

numpy() of a tensor that requires grad

The array would share its memory with a part of the graph, and autograd could not see what numpy does to it. The same
happens where numpy or matplotlib convert the tensor by themselves.
"""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.numpy()  # <-- here
