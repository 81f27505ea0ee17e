import autograd_lab as torch

torch.manual_seed(0)
policy, critic = torch.nn.Linear(4, 3), torch.nn.Linear(4, 1)
of_policy = torch.optim.Adam(policy.parameters(), lr=0.01)
of_critic = torch.optim.Adam(critic.parameters(), lr=0.01)
for _ in range(4):
    state, reward = torch.randn(8, 4), torch.randn(8, 1)
    advantage = reward - critic(state)
    of_critic.zero_grad()
    advantage.pow(2).mean().backward()
    of_critic.step()
    logs = torch.nn.functional.log_softmax(policy(state), 1)
    action = logs.detach().exp().argmax(1, keepdim=True)
    loss = -(logs.gather(1, action) * advantage.detach()).mean()
    of_policy.zero_grad()
    loss.backward()
    of_policy.step()
