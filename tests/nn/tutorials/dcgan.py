"""A generative adversarial network with transposed convolutions, spectral norm and a gradient penalty."""

import torch
import torch.nn as nn

from tests.nn.tutorials.drawn import draws

_, noise, _ = draws(torch)


nz, ngf, ndf, nc = 6, 4, 4, 1


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        m.weight.data.copy_(noise(*m.weight.shape) * 0.2)
    elif classname.find("BatchNorm") != -1:
        m.weight.data.copy_(1 + 0.02 * noise(*m.weight.shape))
        nn.init.constant_(m.bias.data, 0)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, input):
        return self.main(input).view(-1)


netG, netD = Generator(), Discriminator()
netG.apply(weights_init)
netD.apply(weights_init)
criterion = nn.BCELoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
real = torch.sin(torch.arange(4 * 256).reshape(4, 1, 16, 16) / 7.0)


def gradient_penalty(real, fake):
    alpha = torch.linspace(0.2, 0.8, len(real)).view(-1, 1, 1, 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = netD(mixed)
    gradients = torch.autograd.grad(
        outputs=score, inputs=mixed, grad_outputs=torch.ones_like(score), create_graph=True, retain_graph=True
    )[0]
    return ((gradients.view(len(real), -1).norm(2, dim=1) - 1) ** 2).mean()


for step in range(5):
    netD.zero_grad()
    label = torch.full((4,), 1.0)
    output = netD(real)
    errD_real = criterion(output, label)
    errD_real.backward()
    D_x = output.mean().item()
    fake = netG(noise(4, nz, 1, 1))
    label.fill_(0.0)
    output = netD(fake.detach())
    errD_fake = criterion(output, label)
    errD_fake.backward()
    penalty = gradient_penalty(real, fake.detach())
    (0.1 * penalty).backward()
    optimizerD.step()
    netG.zero_grad()
    label.fill_(1.0)
    output = netD(fake)
    errG = criterion(output, label)
    errG.backward()
    optimizerG.step()
    print(f"{errD_real.item() + errD_fake.item():.4f} {errG.item():.4f} {penalty.item():.4f} {D_x:.4f}")
print(sum(p.grad.norm() for p in netG.parameters()))
