"""Content and style losses by Gram matrices, the picture itself optimised by L-BFGS; features through hooks."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

from tests.nn.tutorials.drawn import draws

_, noise, settle = draws(torch)


class ContentLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    G = torch.mm(features, features.t())
    return G.div(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super().__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        self.loss = F.mse_loss(gram_matrix(input), self.target)
        return input


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(mean).view(-1, 1, 1)
        self.std = torch.tensor(std).view(-1, 1, 1)

    def forward(self, img):
        return (img - self.mean) / self.std


cnn = settle(
    nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Conv2d(6, 8, 3, padding=1),
        nn.ReLU(inplace=True), nn.AvgPool2d(2), nn.Conv2d(8, 8, 3, padding=1),
    )
).eval()  # fmt: skip
content_img = torch.sigmoid(noise(1, 3, 16, 16))
style_img = torch.sigmoid(torch.sin(torch.arange(768.0)).view(1, 3, 16, 16) * 3)


def get_style_model_and_losses():
    content_losses, style_losses = [], []
    model = nn.Sequential(Normalization([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    i = 0
    for layer in cnn.children():
        if isinstance(layer, nn.Conv2d):
            i += 1
            name = f"conv_{i}"
        elif isinstance(layer, nn.ReLU):
            name = f"relu_{i}"
            layer = nn.ReLU(inplace=False)
        elif isinstance(layer, (nn.MaxPool2d, nn.AvgPool2d)):
            name = f"pool_{i}"
        else:
            raise RuntimeError(f"Unrecognized layer: {layer.__class__.__name__}")
        model.add_module(name, layer)
        if name == "conv_2":
            content_losses.append(ContentLoss(model(content_img).detach()))
            model.add_module(f"content_loss_{i}", content_losses[-1])
        if name.startswith("conv"):
            style_losses.append(StyleLoss(model(style_img).detach()))
            model.add_module(f"style_loss_{i}", style_losses[-1])
    return model, style_losses, content_losses


model, style_losses, content_losses = get_style_model_and_losses()
print(model)
input_img = content_img.clone()
input_img.requires_grad_(True)
model.eval()
model.requires_grad_(False)
optimizer = optim.LBFGS([input_img])
run = [0]
while run[0] <= 20:

    def closure():
        with torch.no_grad():
            input_img.clamp_(0, 1)
        optimizer.zero_grad()
        model(input_img)
        style_score, content_score = 0, 0
        for sl in style_losses:
            style_score += sl.loss
        for cl in content_losses:
            content_score += cl.loss
        style_score *= 100
        loss = style_score + content_score
        loss.backward()
        run[0] += 1
        if run[0] in (1, 2, 4, 8):
            print(f"run {run}: Style Loss : {style_score.item():4f} Content Loss: {content_score.item():4f}")
        return style_score + content_score

    optimizer.step(closure)

activation = {}


def get_activation(name):
    def hook(model, input, output):
        activation[name] = output.detach()

    return hook


handle = cnn[3].register_forward_hook(get_activation("conv2"))
x = content_img.clone().requires_grad_()
score = cnn(x)[0, 2].mean()
handle.remove()
score.backward()
saliency, _ = torch.max(x.grad.data.abs(), dim=1)
print(activation["conv2"].shape, saliency.sum(), saliency.view(-1).topk(3).values)
adversarial = torch.clamp(x + 0.03 * x.grad.sign(), 0, 1)
print(cnn(adversarial)[0, 2].mean() > score)
tv = (adversarial[..., 1:] - adversarial[..., :-1]).abs().sum() + torch.norm(
    adversarial[..., 1:, :] - adversarial[..., :-1, :]
)
print(tv)
