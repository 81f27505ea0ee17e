import autograd_lab as torch

torch.manual_seed(0)
online, target = torch.nn.Linear(4, 2), torch.nn.Linear(4, 2)
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=0.01)
for _ in range(5):
    state, then = torch.randn(6, 4), torch.randn(6, 4)
    with torch.no_grad():
        goal = 1 + 0.9 * target(then).max(1).values
    chosen = online(state).gather(1, torch.randint(0, 2, (6, 1))).squeeze(1)
    loss = torch.nn.functional.smooth_l1_loss(chosen, goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for mine, theirs in zip(target.parameters(), online.parameters(), strict=True):
            mine.mul_(0.9).add_(0.1 * theirs)
