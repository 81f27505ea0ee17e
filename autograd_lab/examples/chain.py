"""5,000 operations in a row: deep graphs are built, run backward and drawn without recursion."""

import autograd_lab as torch

x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(2500):
    y = y * 1.001
    y = y + 0.001
y.backward()
print(y, x.grad)
