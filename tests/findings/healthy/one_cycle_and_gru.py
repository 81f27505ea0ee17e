import torch

torch.manual_seed(0)
gru, out = torch.nn.GRU(3, 5, num_layers=2, batch_first=True, dropout=0.1), torch.nn.Linear(5, 4)
parameters = [*gru.parameters(), *out.parameters()]
optimizer = torch.optim.AdamW(parameters, lr=0.01)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.02, total_steps=6)
losses = []
for _ in range(6):
    sequences = torch.nn.utils.rnn.pack_padded_sequence(torch.randn(3, 4, 3), [4, 3, 2], batch_first=True)
    hidden, _ = gru(sequences)
    unpacked, _ = torch.nn.utils.rnn.pad_packed_sequence(hidden, batch_first=True)
    loss = torch.nn.functional.cross_entropy(out(unpacked).flatten(0, 1), torch.randint(0, 4, (12,)))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 0.5)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    losses.append(float(loss))
