import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Softplus(), torch.nn.Linear(5, 1))
seen = []
model[0].register_forward_hook(lambda module, inputs, output: seen.append(output.detach().mean().item()))
for parameter in model.parameters():
    parameter.register_hook(lambda gradient: gradient.clamp(-1, 1))
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
for _ in range(3):
    out = model(torch.randn(6, 3))
    loss = out.exp().mean() + 1e-4 * sum(p.pow(2).sum() for p in model.parameters())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
