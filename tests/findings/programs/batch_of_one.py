"""error: batch-of-one

BatchNorm in training gets a batch with a single example

In training, BatchNorm subtracts the mean of the batch and divides by its standard deviation. Of a single example the
mean is the example itself, and there is no deviation. Mostly it is the last batch of an epoch that happens to have one
example.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
model(torch.ones(1, 2))  # <-- here
# remedy: drop_last=True
