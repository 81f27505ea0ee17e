"""Pictures: a U-Net with Dice loss, a vision transformer, a spatial transformer, gradients accumulated."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from tests.nn.tutorials.drawn import draws

_, noise, settle = draws(torch)


class DoubleConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(i, o, kernel_size=3, padding=1, bias=False), nn.GroupNorm(2, o), nn.SiLU(inplace=True),
            nn.Conv2d(o, o, kernel_size=3, padding=1, bias=False), nn.InstanceNorm2d(o, affine=True), nn.Mish(),
        )  # fmt: skip

    def forward(self, x):
        return self.double_conv(x)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inc, self.down, self.up2 = DoubleConv(1, 4), DoubleConv(4, 8), DoubleConv(8, 4)
        self.up = nn.ConvTranspose2d(8, 4, kernel_size=2, stride=2)
        self.outc = nn.Conv2d(4, 1, kernel_size=1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down(F.max_pool2d(x1, 2))
        y = self.up(x2)
        diffY, diffX = x1.size()[2] - y.size()[2], x1.size()[3] - y.size()[3]
        y = F.pad(y, [diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2])
        y = torch.cat([x1, y], dim=1)
        y = checkpoint(self.up2, y, use_reentrant=False)
        return self.outc(y)


def dice_loss(pred, target, smooth=1.0):
    pred = torch.sigmoid(pred).contiguous()
    intersection = (pred * target).sum(dim=(2, 3))
    return (1 - (2.0 * intersection + smooth) / (pred.sum(dim=(2, 3)) + target.sum(dim=(2, 3)) + smooth)).mean()


yy, xx = torch.meshgrid(torch.arange(9), torch.arange(11), indexing="ij")
masks = torch.stack(
    [((yy - c) ** 2 + (xx - c - 1) ** 2 < 9).to(torch.get_default_dtype()) for c in (3, 4, 5)]
).unsqueeze(1)
x = masks + 0.3 * noise(3, 1, 9, 11)
net = settle(UNet())
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(4):
    optimizer.zero_grad()
    for part, mask in zip(x.chunk(3), masks.chunk(3)):
        out = net(part)
        loss = (F.binary_cross_entropy_with_logits(out, mask) + dice_loss(out, mask)) / 3
        loss.backward()
    optimizer.step()
    print(loss.item(), (out > 0).sum().item())
iou = lambda a, b: (a & b).sum() / (a | b).sum()  # noqa: E731
print(iou(out > 0, mask > 0.5), F.interpolate(out, scale_factor=2, mode="bilinear", align_corners=False).mean())


class ViT(nn.Module):
    def __init__(self, size=8, patch=4, dim=12, classes=3):
        super().__init__()
        self.patch_embed = nn.Conv2d(1, dim, patch, stride=patch)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.empty(1, (size // patch) ** 2 + 1, dim))
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, 3, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(dim, 24), nn.GELU(approximate="tanh"), nn.Linear(24, dim))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1) + self.pos_embed
        y = self.norm1(x)
        y, weights = self.attn(y, y, y, need_weights=True)
        x = x + y
        x = x + self.mlp(self.norm2(x))
        return self.head(x[:, 0]), weights


vit = settle(ViT())
optimizer = torch.optim.RAdam(vit.parameters(), lr=1e-2)
labels = torch.tensor([0, 1, 2])
crops = x[:, :, :8, :8]
for step in range(4):
    out, weights = vit(crops)
    loss = F.cross_entropy(out, labels, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), weights[0, 0, :3].tolist())
patches = crops.unfold(2, 4, 4).unfold(3, 4, 4).contiguous().view(3, -1, 16)
print(torch.equal(patches.transpose(1, 2), F.unfold(crops, 4, stride=4)), patches.shape)


class STN(nn.Module):
    def __init__(self):
        super().__init__()
        self.localization = nn.Sequential(
            nn.Conv2d(1, 3, 3), nn.MaxPool2d(2, stride=2), nn.ReLU(True), nn.AdaptiveAvgPool2d(2)
        )
        self.fc_loc = nn.Linear(12, 6)
        self.register_parameter("shift", nn.Parameter(torch.zeros(6)))

    def forward(self, x):
        theta = self.fc_loc(self.localization(x).view(-1, 12)).mul(0.1) + self.shift
        theta = theta.view(-1, 2, 3) + torch.tensor([[1.0, 0, 0], [0, 1.0, 0]])
        return F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False), align_corners=False)


stn = settle(STN())
optimizer = torch.optim.Adadelta(stn.parameters(), lr=0.5)
for step in range(3):
    loss = F.mse_loss(stn(crops), crops.roll(1, -1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
sobel = torch.tensor([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]]).expand(2, 1, 3, 3)
print(F.conv2d(crops.expand(-1, 2, -1, -1), sobel, groups=2, padding="same").abs().amax((2, 3)))
print(
    F.pixel_shuffle(noise(1, 8, 2, 2), 2).shape, F.avg_pool2d(crops, 2)[0, 0, 0], F.local_response_norm(crops, 1).mean()
)
