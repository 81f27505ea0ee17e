"""Optimizers and learning rate schedules, as `torch.optim` has them."""

from __future__ import annotations

from autograd_lab.optim import lr_scheduler
from autograd_lab.optim.adam import Adam, AdamW
from autograd_lab.optim.optimizer import Optimizer
from autograd_lab.optim.rmsprop import Adagrad, RMSprop
from autograd_lab.optim.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
