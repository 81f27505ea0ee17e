"""warning: no-gradient-whole-numbers

The Dice loss is computed of a thresholded mask, and added to another loss

A comparison gives truth values, and no gradient. The model learns by the other term alone; the Dice loss is a number
that is added to it, and changes what is printed.
"""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Conv2d(1, 1, 3, padding=1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
image, mask = torch.randn(2, 1, 4, 4), (torch.randn(2, 1, 4, 4) > 0).float()
for _ in range(3):
    logits = model(image)
    guessed = (torch.sigmoid(logits) > 0.5).float()  # <-- here
    dice = 1 - 2 * (guessed * mask).sum() / (guessed.sum() + mask.sum() + 1)
    loss = F.binary_cross_entropy_with_logits(logits, mask) + dice
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: the probabilities themselves
