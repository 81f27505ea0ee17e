import torch

torch.manual_seed(0)
encoder = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
predictor = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.05)
for _ in range(3):
    x = torch.randn(6, 4)
    one, two = encoder(x + 0.1 * torch.randn(6, 4)), encoder(x + 0.1 * torch.randn(6, 4))
    loss = -torch.nn.functional.cosine_similarity(predictor(one), two.detach()).mean() / 2
    loss = loss - torch.nn.functional.cosine_similarity(predictor(two), one.detach()).mean() / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
