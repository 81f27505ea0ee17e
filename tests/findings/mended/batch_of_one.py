"""DataLoader leaves out a last batch that is not full. To predict for one example, call model.eval() first."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
data = torch.utils.data.TensorDataset(torch.randn(5, 2))
for (x,) in torch.utils.data.DataLoader(data, batch_size=4, drop_last=True):
    model(x)
