import autograd_lab as torch

torch.manual_seed(0)
embed = torch.nn.Embedding(11, 8, padding_idx=0)
layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
head = torch.nn.Linear(8, 11)
parameters = [*embed.parameters(), *layer.parameters(), *head.parameters()]
optimizer = torch.optim.AdamW(parameters, lr=0.001)
mask = torch.full((5, 5), float("-inf")).triu(1)
for _ in range(3):
    tokens = torch.randint(1, 11, (2, 5))
    logits = head(layer(embed(tokens), mask))
    loss = torch.nn.functional.cross_entropy(logits.view(-1, 11), tokens.view(-1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
