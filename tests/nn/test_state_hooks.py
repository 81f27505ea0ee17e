"""State dicts of modules whose users have a say in them: hooks, steps of their own, extra states, old versions."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

import autograd_lab
from tests.programs import error
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")
story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


def model(m: Any) -> Any:
    return m.nn.Sequential(m.nn.Linear(1, 2), m.nn.Sequential(m.nn.BatchNorm1d(2)))


@story
def hooks_are_called_where_states_are_saved(m: Any) -> Any:
    net, told = model(m), []
    handle = net[1].register_state_dict_pre_hook(lambda part, prefix, keep: told.append(("before", prefix, keep)))
    net[1].register_state_dict_post_hook(lambda part, state, prefix, local: told.append((list(state), prefix, local)))
    net._register_state_dict_hook(lambda part, state, prefix, local: dict.fromkeys(state, 0))
    first = net.state_dict(prefix="net.")
    handle.remove()
    net.state_dict(keep_vars=True)
    net[0].register_state_dict_post_hook(lambda *_: {})
    return first, told, error(net.state_dict)


@story
def hooks_are_called_where_states_are_loaded(m: Any) -> Any:
    net, told = model(m), []
    state = model(m).state_dict()

    def rename(state: Any, prefix: str, *others: Any) -> None:
        told.append((prefix, others))
        for key in list(state):
            if key.startswith("old."):
                state["0." + key[4:]] = state.pop(key)

    net._register_load_state_dict_pre_hook(rename)
    net[1].register_load_state_dict_pre_hook(lambda part, *others: told.append((type(part).__name__, others[1])))
    net[1].register_load_state_dict_post_hook(lambda part, keys: told.append(list(keys)))
    net.register_load_state_dict_post_hook(lambda part, keys: keys.missing_keys.clear())
    old = OrderedDict((key.replace("0.", "old.", 1) if key.startswith("0.") else key, state[key]) for key in state)
    del old["1.0.weight"]
    return net.load_state_dict(old), told


@story
def what_a_hook_returns_after_loading_is_refused(m: Any) -> Any:
    net = model(m)
    net.register_load_state_dict_post_hook(lambda part, keys: keys)
    return error(lambda: net.load_state_dict(net.state_dict()))


@story
def a_module_saves_and_loads_in_its_own_way(m: Any) -> Any:
    class Own(m.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = m.nn.Parameter(m.ones(2))
            self.told: Any = []

        def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
            super()._save_to_state_dict(destination, prefix, keep_vars)
            destination[prefix + "more"] = m.zeros(1)

        def _load_from_state_dict(self, state: Any, prefix: str, *others: Any) -> None:
            self.told.append((prefix, float(state.pop(prefix + "more"))))
            super()._load_from_state_dict(state, prefix, *others)

    net = m.nn.Sequential(Own())
    state = net.state_dict()
    return list(state), net.load_state_dict(state), net[0].told, list(state)


@story
def a_module_has_an_extra_state(m: Any) -> Any:
    class Extra(m.nn.Module):
        count: Any = 1

        def get_extra_state(self) -> Any:
            return {"count": self.count}

        def set_extra_state(self, state: Any) -> None:
            self.count = state["count"] + 1

    net = m.nn.Sequential(Extra())
    state = net.state_dict()
    loaded = net.load_state_dict(state)
    plain = m.nn.Sequential(m.nn.Module())
    none = [error(lambda: net.load_state_dict({})), error(lambda: plain.load_state_dict(state))]
    return dict(state), loaded, net[0].count, none, error(plain.get_extra_state)


@story
def states_of_old_batch_norms_have_no_count(m: Any) -> Any:
    net, state = model(m), model(m).state_dict()
    del state["1.0.num_batches_tracked"]
    new = error(lambda: net.load_state_dict(state))
    del state._metadata
    return new, net.load_state_dict(state)


@story
def arguments_of_state_dict_have_names(m: Any) -> Any:
    return list(m.nn.Linear(1, 1).state_dict(OrderedDict(), "own."))
