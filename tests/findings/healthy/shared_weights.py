import autograd_lab as torch

torch.manual_seed(0)
embed = torch.nn.Embedding(7, 4)
out = torch.nn.Linear(4, 7, bias=False)
out.weight = embed.weight
optimizer = torch.optim.SGD(embed.parameters(), lr=0.1)
for _ in range(3):
    tokens = torch.randint(0, 7, (5,))
    loss = torch.nn.functional.cross_entropy(out(embed(tokens)), tokens)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
