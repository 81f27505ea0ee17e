"""Lazy modules, parametrizations and recurrent layers: what is saved, copied, refused, and made smaller."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import pytest

import autograd_lab
from tests.programs import error
from tests.worlds import Stories, filled, is_alike, said

torch = pytest.importorskip("torch")
story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    ours, theirs = said(autograd_lab, tell), said(torch, tell)
    theirs[1][:] = [warning for warning in theirs[1] if "oneDNN" not in warning]
    assert is_alike(ours, theirs), (ours, theirs)


def kinds(module: Any) -> list[str]:
    return [type(one).__name__ for one in (*module.parameters(), *module.buffers())]


def lazy(m: Any) -> list[Any]:
    return [m.nn.LazyLinear(2), m.nn.LazyConv1d(2, 1), m.nn.LazyBatchNorm1d()]


@story
def lazy_modules_are_pickled_and_copied_before_and_after_their_first_input(m: Any) -> Any:
    told: list[Any] = []
    for module in lazy(m):
        copies = [] if kinds(module)[2:] else [copy.deepcopy(module)]  # PyTorch copies no lazy buffers
        for again in (pickle.loads(pickle.dumps(module)), *copies):
            told += [type(again).__name__, kinds(again), again.has_uninitialized_params()]
            again(m.ones(2, 3, 4))
            later = pickle.loads(pickle.dumps(again))
            told += [type(later).__name__, kinds(later), [tuple(one.shape) for one in later.parameters()]]
    return told


@story
def the_states_of_lazy_modules_are_lazy_or_make_them_ready(m: Any) -> Any:
    told: list[Any] = []
    whole = [filled(m.nn.Linear(3, 2)), filled(m.nn.Conv1d(3, 2, 1)), m.nn.BatchNorm1d(3)]
    for module, ready in zip(lazy(m), whole, strict=True):
        told.append([type(one).__name__ for one in module.state_dict().values()])
        told.append(error(lambda module=module, ready=ready: ready.load_state_dict(module.state_dict())) is not None)
        module.load_state_dict(type(module)(**{} if hasattr(module, "eps") else sizes(module)).state_dict())
        told.append(module.has_uninitialized_params())
        module.load_state_dict(ready.state_dict())
        told += [module.has_uninitialized_params(), type(module).__name__, next(module.parameters()).tolist()]
    return told


def sizes(module: Any) -> dict[str, int]:
    return {"out_features": 2} if hasattr(module, "in_features") else {"out_channels": 2, "kernel_size": 1}


@story
def what_has_no_shape_yet_is_a_buffer_and_shares_no_memory(m: Any) -> Any:
    module = m.nn.Module()
    module.one = m.nn.UninitializedBuffer()
    told = [isinstance(module.one, m.nn.Buffer), isinstance(m.ones(1), m.nn.Buffer), list(dict(module.named_buffers()))]
    told += [error(lambda: m.nn.LazyLinear(1).share_memory()), type(module.one).__name__]
    module.half()
    module.one.materialize(3)
    other = m.nn.LazyLinear(1, dtype=m.float64)
    other.weight.materialize((1, 2), dtype=m.float16)
    return (
        told,
        tuple(module.one.shape),
        str(module.one.dtype),
        str(other.weight.dtype),
    )


@story
def norms_of_weights_wait_for_a_shape(m: Any) -> Any:
    norms = m.nn.utils.weight_norm, m.nn.utils.spectral_norm
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [error(lambda norm=norm: norm(m.nn.LazyLinear(1))) for norm in norms]


@story
def a_lazy_transposed_convolution_is_told_the_size_of_its_output(m: Any) -> Any:
    return tuple(m.nn.LazyConvTranspose1d(2, 2, 2)(m.ones(1, 3, 4), output_size=(9,)).shape)


@story
def a_parametrized_module_is_copied_but_not_pickled(m: Any) -> Any:
    linear = m.nn.utils.parametrizations.weight_norm(filled(m.nn.Linear(2, 1)))
    again = copy.deepcopy(linear)
    return error(lambda: pickle.dumps(linear)), again.weight.tolist(), list(again.state_dict())


@story
def a_parametrization_leaves_an_optimizer_its_parameter(m: Any) -> Any:
    class Twice(m.nn.Module):  # type: ignore[name-defined,misc]
        def forward(self, x: Any) -> Any:
            return x * 2

        def right_inverse(self, x: Any) -> Any:
            return x / 2

    linear = filled(m.nn.Linear(2, 1))
    weight, before = linear.weight, linear.weight.tolist()
    step = m.optim.SGD(linear.parameters(), lr=1.0)
    m.nn.utils.parametrize.register_parametrization(linear, "weight", Twice())
    linear(m.ones(1, 2)).sum().backward()
    step.step()
    chain = linear.parametrizations.weight
    return chain.original is weight, before, weight.tolist(), linear.weight.tolist(), chain.ntensors


@story
def inverses_that_give_something_else_are_refused(m: Any) -> Any:
    def refused(back: Any, forth: Any = lambda x: x, twice: bool = False) -> Any:
        class Wrong(m.nn.Module):  # type: ignore[name-defined,misc]
            def forward(self, *parts: Any) -> Any:
                return forth(*parts)

            def right_inverse(self, x: Any) -> Any:
                return back(x)

        linear, register = m.nn.Linear(2, 1), m.nn.utils.parametrize.register_parametrization
        if twice:
            register(linear, "weight", m.nn.Identity())
        return error(lambda: register(linear, "weight", Wrong()))

    return [
        refused(lambda x: None),
        refused(lambda x: (x, None)),
        refused(lambda x: x.bool(), lambda x: x.float()),
        refused(lambda x: (x, x), twice=True),
        refused(lambda x: x[:, :1], twice=True),
        refused(lambda x: x.double(), twice=True),
    ]


@story
def parametrizations_are_handed_on(m: Any) -> Any:
    one, two = (filled(m.nn.Linear(2, 1)) for _ in range(2))
    m.nn.utils.parametrize.register_parametrization(one, "weight", m.nn.Tanh())
    m.nn.utils.parametrize.transfer_parametrizations_and_params(one, two)
    return two.weight.tolist(), two.parametrizations.weight.original is one.parametrizations.weight.original


@story
def a_weight_norm_reads_what_the_older_one_saved(m: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = m.nn.utils.weight_norm(filled(m.nn.Linear(2, 1)))
    new = m.nn.utils.parametrizations.weight_norm(m.nn.Linear(2, 1))
    return new.load_state_dict(old.state_dict()), new.weight.tolist()


@story
def an_lstm_gives_a_smaller_state_if_wanted(m: Any) -> Any:
    told: list[Any] = []
    for options in ({}, {"bidirectional": True}, {"num_layers": 2, "bias": False}, {"batch_first": True}):
        lstm = filled(m.nn.LSTM(3, 4, proj_size=2, **options))
        x = m.linspace(-1, 1, 12).reshape(2, 2, 3).requires_grad_()
        out, (h, c) = lstm(x)
        (out.sum() + h.sum() + c.sum()).backward()
        told += [[one.tolist() for one in (out, h, c, x.grad, lstm.weight_hr_l0.grad)], repr(lstm)]
        told.append([name for name, _ in lstm.named_parameters()])
        again, _ = lstm(x[0], (h[:, 0], c[:, 0]))
        told += [again.tolist(), [[tuple(one.shape) for one in part] for part in lstm.all_weights]]
        told += [lstm._flat_weights_names, lstm._all_weights]
    return told


@story
def an_lstm_with_a_smaller_state_takes_sequences_of_many_lengths(m: Any) -> Any:
    lstm = filled(m.nn.LSTM(1, 3, proj_size=2))
    parts = m.nn.utils.rnn.pack_sequence([m.ones(3, 1), m.zeros(1, 1)])
    out, (h, c) = lstm(parts)
    return out.data.tolist(), h.tolist(), c.tolist()


@story
def sizes_of_states_that_make_no_sense_are_refused(m: Any) -> Any:
    x = m.ones(2, 1, 3)
    h, c = m.zeros(1, 1, 2), m.zeros(1, 1, 4)
    return [
        error(lambda: m.nn.LSTM(3, 4, proj_size=-1)),
        error(lambda: m.nn.LSTM(3, 4, proj_size=4)),
        error(lambda: m.nn.GRU(3, 4, proj_size=2)),
        error(lambda: m.nn.RNN(3, 4, proj_size=2)),
        error(lambda: m.nn.GRU(3, 4, other=2)),
        error(lambda: m.nn.LSTM(3, 4, proj_size=2)(x, (c, c))),
        error(lambda: m.nn.LSTM(3, 4, proj_size=2)(x, (h, h))),
    ]


@story
def the_weights_of_a_recurrent_layer_may_be_computed_and_laid_side_by_side(m: Any) -> Any:
    gru = filled(m.nn.GRU(2, 3))
    m.nn.utils.parametrize.register_parametrization(gru, "weight_hh_l0", m.nn.Tanh())
    gru.flatten_parameters()
    return gru(m.ones(1, 1, 2))[0], len(gru._flat_weights)


@story
def a_lazy_linear_layer_with_a_loaded_state_learns_its_size_from_its_first_input(m: Any) -> Any:
    told: list[Any] = []
    for size in (3, 4):
        layer = m.nn.LazyLinear(2)
        layer.load_state_dict(filled(m.nn.Linear(3, 2)).state_dict())
        told.append(layer.in_features)
        told.append(error(lambda layer=layer, size=size: layer(m.ones(1, size)).shape).partition(".")[0])
        told.append(layer.in_features)
    return told


@story
def a_lazy_convolution_refuses_an_input_of_too_few_or_many_dimensions(m: Any) -> Any:
    layers = [m.nn.LazyConv1d(2, 1), m.nn.LazyConv2d(2, 1), m.nn.LazyConvTranspose2d(2, 1)]
    return [error(lambda layer=layer, n=n: layer(m.ones([2] * n)).shape) for layer in layers for n in (1, 2, 3, 4, 5)]
