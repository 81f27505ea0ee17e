"""Stories of layers and small networks, forward and backward."""

from __future__ import annotations

from typing import Any

from tests.stories import filled


def a_linear_layer(torch: Any) -> Any:
    layer = filled(torch, torch.nn.Linear(3, 2))
    x = torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]])
    y = layer(x)
    loss = y.pow(2).mean()
    loss.backward()
    return y, layer.weight.grad, layer.bias.grad


def two_layers_by_hand(torch: Any) -> Any:
    x = torch.tensor([[1.0, -2.0], [0.5, 3.0]])
    w1 = torch.tensor([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]], requires_grad=True)
    b1 = torch.zeros(3, requires_grad=True)
    w2 = torch.tensor([[1.0], [2.0], [-1.0]], requires_grad=True)
    hidden = torch.relu(x @ w1 + b1)
    output = hidden @ w2
    loss = ((output - 1) ** 2).mean()
    loss.backward()
    return loss, w1.grad, b1.grad, w2.grad


def a_network_in_a_row(torch: Any) -> Any:
    nn = torch.nn
    model = filled(torch, nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1), nn.Sigmoid()))
    x = torch.tensor([[0.0, 1.0], [1.0, 1.0]])
    target = torch.tensor([[1.0], [0.0]])
    prediction = model(x)
    loss = nn.functional.binary_cross_entropy(prediction, target)
    loss.backward()
    return prediction, loss, [p.grad for p in model.parameters()]


def a_network_as_a_class(torch: Any) -> Any:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(2, 3)
            self.second = torch.nn.Linear(3, 2)

        def forward(self, x: Any) -> Any:
            hidden = torch.relu(self.first(x))
            return self.second(hidden) + x

    net = filled(torch, Net())
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    y = net(x)
    y.sum().backward()
    return y, x.grad, net.first.weight.grad


def one_layer_used_twice(torch: Any) -> Any:
    layer = filled(torch, torch.nn.Linear(2, 2))
    x = torch.tensor([[1.0, -1.0]])
    y = layer(torch.tanh(layer(x)))
    y.sum().backward()
    return y, layer.weight.grad, layer.bias.grad


def a_small_convolution(torch: Any) -> Any:
    conv = filled(torch, torch.nn.Conv2d(1, 2, 2))
    image = torch.arange(9.0).view(1, 1, 3, 3) / 9
    features = torch.relu(conv(image))
    pooled = torch.nn.functional.max_pool2d(features, 2)
    loss = pooled.flatten(1).sum()
    loss.backward()
    return pooled, conv.weight.grad, conv.bias.grad


def a_network_for_images(torch: Any) -> Any:
    nn = torch.nn
    parts = nn.Conv2d(1, 2, 2, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)
    model = filled(torch, nn.Sequential(*parts))
    image = torch.linspace(-1.0, 1.0, 9).view(1, 1, 3, 3)
    loss = nn.functional.cross_entropy(model(image), torch.tensor([2]))
    loss.backward()
    return loss, [p.grad for p in model.parameters()]


def a_batch_is_normalised(torch: Any) -> Any:
    norm = torch.nn.BatchNorm1d(2)
    x = torch.tensor([[1.0, 10.0], [2.0, 30.0], [4.0, 25.0]], requires_grad=True)
    y = norm(x)
    (y**3).sum().backward()
    norm.eval()
    again = norm(x)
    return y, again, norm.running_mean, norm.num_batches_tracked, norm.weight.grad


def a_layer_is_normalised(torch: Any) -> Any:
    norm = filled(torch, torch.nn.LayerNorm(3))
    x = torch.tensor([[1.0, 2.0, 4.0], [0.0, -1.0, 3.0]], requires_grad=True)
    y = norm(x)
    (y * torch.arange(6.0).view(2, 3)).sum().backward()
    return y, x.grad, norm.weight.grad


def words_become_vectors(torch: Any) -> Any:
    table = filled(torch, torch.nn.Embedding(4, 2))
    words = torch.tensor([1, 3, 1])
    vectors = table(words)
    score = (vectors[0] * vectors[1]).sum() + vectors[2].sum()
    score.backward()
    return vectors, table.weight.grad


def a_recurrent_network_by_hand(torch: Any) -> Any:
    w = torch.tensor([[0.5, -0.3], [0.2, 0.8]], requires_grad=True)
    u = torch.tensor([1.0, -1.0], requires_grad=True)
    h = torch.zeros(2)
    for x in (1.0, 0.5, -1.0, 2.0):
        h = torch.tanh(w @ h + u * x)
    loss = (h**2).sum()
    loss.backward()
    return h, w.grad, u.grad


def a_recurrent_cell(torch: Any) -> Any:
    cell = filled(torch, torch.nn.RNNCell(2, 3))
    inputs = torch.arange(6.0).view(3, 1, 2) / 6
    h = torch.zeros(1, 3)
    outputs = []
    for x in inputs:
        h = cell(x, h)
        outputs.append(h)
    loss = torch.stack(outputs).mean()
    loss.backward()
    return h, cell.weight_hh.grad


def a_cell_with_memory(torch: Any) -> Any:
    cell = filled(torch, torch.nn.LSTMCell(1, 2))
    h = torch.zeros(1, 2)
    c = torch.zeros(1, 2)
    for x in (0.5, -0.5):
        h, c = cell(torch.tensor([[x]]), (h, c))
    loss = h.sum()
    loss.backward()
    return h, c, cell.bias_ih.grad


def attention_by_hand(torch: Any) -> Any:
    tokens = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.0, 2.0]])
    wq = torch.tensor([[1.0, 0.2], [0.0, 1.0]], requires_grad=True)
    wk = torch.tensor([[0.5, 0.0], [0.3, 1.0]], requires_grad=True)
    wv = torch.tensor([[1.0, -1.0], [2.0, 0.0]], requires_grad=True)
    q = tokens @ wq
    k = tokens @ wk
    v = tokens @ wv
    scores = q @ k.transpose(0, 1) / 2**0.5
    future = torch.ones(3, 3).triu(1) > 0
    scores = scores.masked_fill(future, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ v
    output.pow(2).sum().backward()
    return weights, wq.grad, wk.grad, wv.grad


def attention_in_heads(torch: Any) -> Any:
    attention = filled(torch, torch.nn.MultiheadAttention(4, 2, batch_first=True))
    tokens = torch.linspace(-1.0, 1.0, 8).view(1, 2, 4).requires_grad_()
    output, weights = attention(tokens, tokens, tokens)
    output.sum().backward()
    return output, weights, tokens.grad


def a_block_of_a_transformer(torch: Any) -> Any:
    F = torch.nn.functional
    x = torch.linspace(-1.0, 1.5, 8).view(2, 4).requires_grad_()
    mix = filled(torch, torch.nn.Linear(4, 4, bias=False))
    up = filled(torch, torch.nn.Linear(4, 6))
    down = filled(torch, torch.nn.Linear(6, 4))
    normed = F.layer_norm(x, (4,))
    attended = torch.softmax(normed @ normed.T / 2, -1) @ mix(normed)
    x1 = x + attended
    hidden = F.gelu(up(F.layer_norm(x1, (4,))))
    x2 = x1 + down(hidden)
    loss = (x2**2).mean()
    loss.backward()
    return x2, x.grad, mix.weight.grad


def two_classes_and_a_loss(torch: Any) -> Any:
    w = torch.tensor([0.5, -0.5], requires_grad=True)
    x = torch.tensor([[1.0, 2.0], [3.0, 1.0], [0.0, 0.0]])
    y = torch.tensor([1.0, 0.0, 1.0])
    loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ w, y)
    loss.backward()
    return loss, w.grad


def an_encoder_and_its_mirror(torch: Any) -> Any:
    encoder = filled(torch, torch.nn.Linear(4, 2, bias=False))
    x = torch.tensor([[1.0, 0.0, -1.0, 2.0]])
    code = torch.tanh(encoder(x))
    back = torch.nn.functional.linear(code, encoder.weight.t())
    loss = torch.nn.functional.mse_loss(back, x)
    loss.backward()
    return back, encoder.weight.grad
