"""What older programs say: norms of weights by hooks, initial values without an underscore, `upsample`, `mmap`."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import autograd_lab
from tests.worlds import Stories, filled, is_alike, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)
STORIES = Stories()


def kept(layer: Any) -> list[Any]:
    names = [name for name, _ in layer.named_parameters()]
    return [names, list(layer.state_dict()), isinstance(layer.weight, type(layer.bias)), layer.weight.tolist()]


@STORIES
def a_weight_is_length_times_direction(m: Any) -> Any:
    told: list[Any] = []
    for dim in (0, 1, None):
        layer = m.nn.utils.weight_norm(filled(m.nn.Linear(3, 2)), dim=dim)
        with m.no_grad():
            layer.weight_g.mul_(2)
        layer(m.ones(1, 3)).sum().backward()
        told += [kept(layer), layer.weight_g, layer.weight_g.grad.tolist(), layer.weight_v.grad.tolist()]
        told += kept(m.nn.utils.remove_weight_norm(layer))
    return told


@STORIES
def a_second_norm_of_one_weight_is_refused(m: Any) -> Any:
    return m.nn.utils.weight_norm(m.nn.utils.weight_norm(m.nn.Linear(2, 2)))


@STORIES
def a_norm_that_is_not_there_cannot_be_removed(m: Any) -> Any:
    return m.nn.utils.remove_spectral_norm(m.nn.Linear(2, 2))


def known_start(m: Any, layer: Any) -> Any:
    layer.weight_u.copy_(m.arange(1.0, layer.weight_u.numel() + 1))
    layer.weight_u.div_(layer.weight_u.norm())
    return layer


@STORIES
def a_weight_is_divided_by_what_it_stretches(m: Any) -> Any:
    told: list[Any] = []
    x = m.arange(12.0).view(1, 3, 4)
    for layer in (m.nn.Linear(4, 3), m.nn.ConvTranspose1d(3, 2, 2)):
        known_start(m, m.nn.utils.spectral_norm(filled(layer), n_power_iterations=2))
        layer(x).sum().backward()
        layer.eval()
        told += [layer(x).tolist(), kept(layer), layer.weight_orig.grad.tolist(), layer.weight_u, layer.weight_v.shape]
        told += kept(m.nn.utils.remove_spectral_norm(layer))
    return told


@STORIES
def initial_values_have_their_old_names(m: Any) -> Any:
    m.nn.init.constant(x := m.zeros(2, 2), 3.0)
    return [x, m.nn.init.eye(m.zeros(2, 3)), m.nn.init.dirac_(m.zeros(4, 2, 3)), m.nn.init.dirac_(m.zeros(4, 2, 3), 2)]


@STORIES
def dirac_needs_channels(m: Any) -> Any:
    return m.nn.init.dirac_(m.zeros(2, 2))


@STORIES
def sparse_columns_have_zeros(m: Any) -> Any:
    return (m.nn.init.sparse_(m.zeros(10, 3), 0.35) == 0).sum(0)


@STORIES
def pictures_are_made_larger(m: Any) -> Any:
    x = m.arange(4.0).view(1, 1, 2, 2)
    F = m.nn.functional
    return [F.upsample(x, scale_factor=2), F.upsample_nearest(x, 3), F.upsample_bilinear(x, scale_factor=2)]


@STORIES
def channels_are_shuffled(m: Any) -> Any:
    x = m.arange(8.0, requires_grad=True)
    layer = m.nn.ChannelShuffle(2)
    y = layer(x.view(1, 4, 2))
    (y * m.arange(8.0).view(1, 4, 2)).sum().backward()
    return [layer, y.tolist(), x.grad, m.channel_shuffle(x.detach().view(1, 4, 1, 2), 4).shape]


@STORIES
def distances_within_a_set_stand_in_a_row(m: Any) -> Any:
    x = (m.arange(6.0) ** 2).view(3, 2).requires_grad_()
    m.nn.functional.pdist(x).sum().backward()
    return [m.pdist(x.detach()), m.nn.functional.pdist(x.detach(), 1), x.grad]


@STORIES
def what_has_a_shape_is_made_without_initial_values(m: Any) -> Any:
    return m.nn.utils.skip_init(m.nn.Linear, 3, 2).weight.shape


@STORIES
def all_recurrent_layers_and_cells_are_of_a_kind(m: Any) -> Any:
    layers = [m.nn.RNN(2, 3, nonlinearity="relu"), m.nn.LSTM(2, 3), m.nn.GRU(2, 3, 2, True, True)]
    cells = [m.nn.RNNCell(2, 3), m.nn.LSTMCell(2, 3, False), m.nn.GRUCell(2, 3)]
    told = [(isinstance(one, m.nn.RNNBase), one.mode, one.proj_size, one) for one in layers]
    return told, [(isinstance(one, m.nn.RNNCellBase), one) for one in cells]


@STORIES
def a_recurrent_layer_of_ones_own_says_its_mode(m: Any) -> Any:
    class Own(m.nn.RNNBase):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__("GRU", *args, **kwargs)

    return [tuple(one.shape) for one in Own(2, 3, num_layers=2, bidirectional=True).parameters()]


@STORIES
def a_mode_that_does_not_exist_is_refused(m: Any) -> Any:
    return m.nn.RNNBase("SRU", 2, 3)


@STORIES
def a_cell_of_ones_own_says_how_many_parts_its_weights_have(m: Any) -> Any:
    return [tuple(one.shape) for one in m.nn.RNNCellBase(2, 3, False, 5).parameters()]


@STORIES
def batches_are_not_counted_while_tracking_is_switched_off(m: Any) -> Any:
    layer, told = m.nn.BatchNorm1d(2, momentum=None), []
    for tracks in (True, False, True):
        layer.track_running_stats = tracks
        layer(m.arange(6.0).view(3, 2))
        told += [layer.num_batches_tracked, layer.running_mean, layer.running_var]
    return told


@STORIES
def an_optimizer_may_require_a_setting(m: Any) -> Any:
    from importlib import import_module

    required = import_module(f"{m.__name__}.optim.optimizer").required

    class Own(m.optim.Optimizer):
        def __init__(self, params: Any, lr: Any = required) -> None:
            super().__init__(params, {"lr": lr})

    w = m.nn.Parameter(m.ones(1))
    return repr(required), Own([{"params": [w], "lr": 1}]).param_groups[0]["lr"], Own([w])


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_old_spellings_mean_what_they_mean_in_pytorch(story: Any) -> None:
    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), (ours, theirs)


def test_a_file_may_be_asked_to_be_mapped(tmp_path: Path) -> None:
    autograd_lab.save({"w": autograd_lab.ones(2)}, tmp_path / "w.pt")
    assert autograd_lab.load(tmp_path / "w.pt", mmap=True)["w"].tolist() == [1, 1]


def test_a_module_with_a_norm_by_hook_is_pickled() -> None:
    layer = autograd_lab.nn.utils.spectral_norm(autograd_lab.nn.Linear(2, 2)).eval()
    again = pickle.loads(pickle.dumps(layer))
    x = autograd_lab.ones(1, 2)
    assert again(x).tolist() == layer(x).tolist()


FORWARDS = """
a * 2 | (a * 2) * 3 | {"x": a * 2} | (a * 2, a * 3) | [a * 2] | (a * 2,) | (a * 2).unbind(0) | (a * 2, 3) | a * b
""".strip()


@pytest.mark.parametrize("text", [*FORWARDS.split(" | "), "a.detach()"])
@pytest.mark.parametrize("given", ["(y, y * 3)", "(x, x)", "(y, 3.0)"])
def test_a_hook_that_does_not_see_all_of_a_module_is_warned_of(text: str, given: str) -> None:
    def story(m: Any) -> Any:
        class Layer(m.nn.Module):
            def forward(self, a: Any, b: Any) -> Any:
                return eval(text, {"a": a, "b": b})

        layer, seen = Layer(), []
        layer.register_backward_hook(lambda module, sent, received: seen.append((len(sent), len(received))))
        x = m.ones(2, requires_grad=True)
        out = layer(*eval(given, {"x": x, "y": x * 1}))
        while not isinstance(out, m.Tensor):
            out = next(iter(out.values() if isinstance(out, dict) else out))
        if out.requires_grad:
            out.sum().backward()
        return seen

    assert said(autograd_lab, story) == said(torch, story)
