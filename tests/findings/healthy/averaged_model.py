import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
average = torch.optim.swa_utils.AveragedModel(model)
slow = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.05)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(16, 2), torch.randn(16, 1)), batch_size=4)
for _ in range(2):
    for x, y in data:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    average.update_parameters(model)
    slow.step()
torch.optim.swa_utils.update_bn([x for x, _ in data], average)
with torch.no_grad():
    print(average(torch.ones(2, 2)))
