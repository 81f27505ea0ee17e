import copy

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 6), torch.nn.GELU(), torch.nn.Linear(6, 2))
optimizer = torch.optim.Adam(model.parameters())
loss_of = torch.nn.CrossEntropyLoss()
best, best_state = float("inf"), None
for _ in range(4):
    model.train()
    running = 0.0
    for _ in range(2):
        optimizer.zero_grad()
        loss = loss_of(model(torch.randn(8, 3)), torch.randint(0, 2, (8,)))
        loss.backward()
        optimizer.step()
        running += loss.item() * 8
    model.eval()
    with torch.inference_mode():
        validation = loss_of(model(torch.randn(8, 3)), torch.randint(0, 2, (8,))).item()
    if validation < best:
        best, best_state = validation, copy.deepcopy(model.state_dict())
model.load_state_dict(best_state)
