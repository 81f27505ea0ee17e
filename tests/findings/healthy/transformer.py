import torch

torch.manual_seed(0)


class Tiny(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(13, 16)
        self.place = torch.nn.Parameter(torch.zeros(1, 6, 16))
        options = {"batch_first": True, "norm_first": True}
        self.blocks = torch.nn.ModuleList(torch.nn.TransformerEncoderLayer(16, 2, 32, **options) for _ in range(3))
        self.norm = torch.nn.LayerNorm(16)
        self.head = torch.nn.Linear(16, 13, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("mask", torch.triu(torch.ones(6, 6, dtype=torch.bool), 1))

    def forward(self, tokens):
        x = self.embed(tokens) + self.place
        for block in self.blocks:
            x = block(x, src_mask=self.mask)
        return self.head(self.norm(x))


model = Tiny()
decay = [p for p in model.parameters() if p.dim() > 1]
rest = [p for p in model.parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=1e-3)
for number in range(4):
    tokens = torch.randint(0, 13, (2, 7))
    loss = torch.nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if number % 2:
        model.eval()
        with torch.no_grad():
            print(loss.item(), norm.item(), model(tokens[:, :-1]).argmax(-1)[0])
        model.train()
