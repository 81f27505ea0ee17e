"""Optimizers and learning rate schedules, as `torch.optim` has them."""

from __future__ import annotations

from autograd_lab.optim import lr_scheduler, swa_utils
from autograd_lab.optim.adadelta import Adadelta
from autograd_lab.optim.adafactor import Adafactor
from autograd_lab.optim.adagrad import Adagrad
from autograd_lab.optim.adam import Adam, SparseAdam
from autograd_lab.optim.adamax import Adamax
from autograd_lab.optim.adamw import AdamW
from autograd_lab.optim.asgd import ASGD
from autograd_lab.optim.lbfgs import LBFGS
from autograd_lab.optim.muon import Muon
from autograd_lab.optim.nadam import NAdam
from autograd_lab.optim.optimizer import Optimizer
from autograd_lab.optim.radam import RAdam
from autograd_lab.optim.rmsprop import RMSprop
from autograd_lab.optim.rprop import Rprop
from autograd_lab.optim.sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]
