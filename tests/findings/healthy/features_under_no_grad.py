import autograd_lab as torch

torch.manual_seed(0)
backbone, head = torch.nn.Linear(4, 8), torch.nn.Linear(8, 3)
backbone.eval()
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(4):
    with torch.no_grad():
        features = backbone(torch.randn(6, 4))
    loss = torch.nn.functional.cross_entropy(head(features), torch.randint(0, 3, (6,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
