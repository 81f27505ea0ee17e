import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
x = torch.randn(4, 3, requires_grad=True)
loss = torch.nn.functional.cross_entropy(model(x), torch.randint(0, 2, (4,)))
loss.backward()
attacked = (x + 0.1 * x.grad.sign()).detach()
print(model(attacked).argmax(1))
