"""Data and first weights of the programs, drawn by numpy: the same in both worlds."""

import math

import numpy as np


def draws(torch):
    """For a world: numpy's generator, a maker of normal numbers, and one of models with such weights."""
    numbers = np.random.RandomState(0)

    def noise(*shape):
        return torch.tensor(numbers.standard_normal(shape), dtype=torch.get_default_dtype())

    def settle(model):
        """The same weights whatever draws them: as wide as PyTorch would draw them."""
        with torch.no_grad():
            for p in model.parameters():
                p.copy_(noise(*p.shape) / math.sqrt(max(p.shape[-1], 4)) if p.dim() > 1 else noise(*p.shape) * 0.1)
        return model

    return numbers, noise, settle
