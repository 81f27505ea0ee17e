import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 4)),
    torch.nn.ReLU(),
    torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(4, 1)),
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(3):
    loss = model(torch.randn(5, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
