import torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
parameters = dict(model.named_parameters())


def loss(parameters, x, y):
    return (torch.func.functional_call(model, parameters, (x,)) - y).pow(2).mean()


for _ in range(2):
    gradients = torch.func.grad(loss)(parameters, torch.randn(4, 3), torch.randn(4, 1))
    parameters = {name: (p - 0.1 * gradients[name]).detach().requires_grad_() for name, p in parameters.items()}
