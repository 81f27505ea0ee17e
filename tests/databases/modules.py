"""PyTorch's `module_db`: each module with its samples: what it prints, keeps and gives, and its gradients."""

from __future__ import annotations

import copy
import warnings
from itertools import islice
from typing import Any

import torch

import autograd_lab as lab
from autograd_lab.nn.three_dimensions import REFUSED
from tests.databases.observed import observed, plain
from tests.databases.ops import Compared
from tests.databases.theirs import database
from tests.databases.twins import Absent, Twins, tensors_in

DRAWN = {"Dropout", "Dropout1d", "Dropout2d", "AlphaDropout", "FeatureAlphaDropout", "RReLU"}


def present() -> list[Any]:
    """The entries of the database whose module exists here."""
    return [
        info
        for info in database("modules", "module_db")
        if hasattr(lab.nn, name := info.module_cls.__name__) and ".nn.modules" in str(info.module_cls)
        if name not in REFUSED
    ]


def compare(info: Any, most: int | None = None) -> Compared:
    """Build a module as its samples say, give both the same parameters, and call both, training and not."""
    found = Compared()
    for training in (True, False):
        for dtype in (torch.float64, torch.float32):
            if dtype in info.dtypes:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    samples = info.module_inputs_func(info, "cpu", dtype, True, training)
                    for sample in islice(samples, most):
                        _compare_sample(found, info.module_cls.__name__, sample, dtype, training)
    return found


def _compare_sample(found: Compared, name: str, sample: Any, dtype: Any, training: bool) -> None:
    built, given = sample.constructor_input, sample.forward_input
    torch.manual_seed(0)
    theirs = getattr(torch.nn, name)(*built.args, **built.kwargs).to(dtype).train(training)
    arguments = [given.args, given.kwargs] if given is not None else [(), {}]
    twins = Twins()
    try:
        args, kwargs, state, options, words = twins.of([*arguments, dict(theirs.state_dict()), *_plain(built)])
    except Absent:
        return
    try:
        ours = getattr(lab.nn, name)(*options, **words).to(twins.of(dtype)).train(training)
        ours.load_state_dict(state)
    except Exception as error:
        found.differ.append((name, "error", f"{type(error).__name__}: {error}"))
        return
    facts = []
    for m, module, call in ((lab, ours, (args, kwargs)), (torch, theirs, copy.copy(arguments))):
        leaves = [one for one in tensors_in(call) if one.requires_grad] + list(module.parameters())
        seen = observed(m, lambda module=module, call=call: module(*call[0], **call[1]), leaves)
        seen["printed"], seen["keys"] = repr(module), list(module.state_dict())
        seen["kept"] = [plain(one) for one in module.buffers()]
        facts.append(seen)
    if "error" in facts[1]:
        return
    found.add(name, facts[0], facts[1], drawn=name in DRAWN and training)


def _plain(built: Any) -> list[Any]:
    """Arguments of a constructor, those that are modules or functions too, as far as they have a twin."""
    return [list(built.args), dict(built.kwargs)]
