import autograd_lab as torch

torch.manual_seed(0)
critic = torch.nn.Linear(2, 1)
optimizer = torch.optim.RMSprop(critic.parameters(), lr=0.01)
for _ in range(3):
    optimizer.zero_grad()
    loss = critic(torch.randn(4, 2)).mean() - critic(torch.randn(4, 2)).mean()
    loss.backward()
    optimizer.step()
    for parameter in critic.parameters():
        parameter.data.clamp_(-0.01, 0.01)
