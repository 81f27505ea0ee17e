"""Modules: attributes, containers, state dicts and hooks say and do what PyTorch's do."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import autograd_lab
from tests.worlds import filled, graph, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

SAYINGS = """
nn.Parameter(m.tensor([1., 2.]))
nn.Parameter(m.tensor([1., 2.]), requires_grad=False)
nn.Parameter(m.tensor([1]))
nn.Parameter([1.])
nn.Parameter()
type(nn.Parameter(m.ones(1)))
f"{nn.Parameter(m.tensor(1.0))}"
type(nn.Linear(1, 1)), nn.Module, type(nn.BatchNorm1d(1))
nn.Linear(1, 1).type(m.float64).weight.dtype
nn.Parameter(m.ones(2), False) + 1
type(nn.Parameter(m.ones(2)).data)
nn.Parameter(m.ones(2, requires_grad=True) * 2).is_leaf
nn.Buffer(m.ones(1))
isinstance(nn.Buffer(m.ones(1)), nn.Buffer)
nn.Linear(2, 3)
nn.Linear(2, 3, bias=False)
nn.Linear(2, 3, dtype=m.float64).weight.dtype
[p._version for p in nn.Linear(2, 3).parameters()]
nn.Linear(2, 3).weight.is_leaf
nn.Linear(0, 3)
nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU(), nn.Dropout(0.2)), nn.Flatten())
nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())[1:]
nn.Sequential(nn.ReLU(), nn.Tanh())[-1]
nn.Sequential(nn.ReLU(), nn.Tanh())[2]
nn.Sequential(nn.ReLU())["a"]
nn.Sequential({"a": nn.ReLU()})
nn.Sequential(__import__("collections").OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
nn.Sequential(__import__("collections").OrderedDict(a=nn.ReLU(), b=nn.Tanh())).b
nn.Sequential(nn.ReLU()).append(nn.Tanh())
nn.Sequential(nn.ReLU()).append(3)
nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh())
nn.Sequential(nn.ReLU()) + 3
nn.Sequential(nn.ReLU()) * 2
nn.Sequential(nn.ReLU()) * 0
nn.Sequential(nn.ReLU()) * "a"
nn.Sequential(nn.ReLU(), nn.Tanh()).__imul__(2)
nn.Sequential(nn.ReLU(), nn.Tanh()).__imul__(-1)
nn.Sequential(nn.ReLU()).pop(1)
nn.ModuleDict().update([3])
nn.ParameterDict().update([3])
nn.ParameterDict().update(3)
nn.ParameterList().extend(m.ones(2))
nn.Sequential(nn.ReLU()).insert(0, nn.Tanh())
nn.Sequential(nn.ReLU()).insert(5, nn.Tanh())
nn.Sequential(nn.ReLU()).extend([nn.Tanh()])
nn.Sequential(nn.ReLU(), nn.Tanh()).pop(0)
nn.Sequential(3)
nn.Sequential([nn.ReLU()])
nn.Sequential()
len(nn.Sequential(nn.ReLU()))
nn.ModuleList([nn.Linear(1, 1) for _ in range(3)] + [nn.ReLU()])
nn.ModuleList([nn.Sequential(nn.Linear(1, 1))] * 2)
nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.ReLU()])[1:]
nn.ModuleList([nn.ReLU()])[3]
nn.ModuleList([nn.ReLU()])(1)
nn.ModuleList([nn.ReLU()]).append(2)
nn.ModuleList([nn.ReLU()]).extend(2)
nn.ModuleList([nn.ReLU()]) + [nn.Tanh()]
nn.ModuleList()
[n for n, _ in nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1)]).named_parameters()]
nn.ModuleDict({"x": nn.ReLU(), "y": nn.Linear(1, 1)})
nn.ModuleDict([["a", nn.ReLU()]])
nn.ModuleDict({"a": nn.ReLU()})["q"]
nn.ModuleDict(3)
nn.ModuleDict([["a"]])
nn.ModuleDict({"a": nn.ReLU()})(1)
nn.ModuleDict({"keys": nn.ReLU()})
nn.ModuleDict({"a.b": nn.ReLU()})
list(nn.ModuleDict({"a": nn.ReLU()}).keys())
nn.ModuleDict({"a": nn.ReLU()}).pop("a")
"a" in nn.ModuleDict({"a": nn.ReLU()})
nn.ParameterList([m.ones(2, 3), nn.Parameter(m.ones(2)), 5])
nn.ParameterList([m.ones(2)]).append(m.ones(1))
nn.ParameterList([m.ones(2)])[4]
nn.ParameterList([m.ones(2)])(4)
list(nn.ParameterList([m.ones(2), m.ones(1)]).state_dict())
nn.ParameterList([m.ones(2), m.ones(1)])[1:]
nn.ParameterDict({"a": m.ones(2, 3), "b": nn.Parameter(m.ones(()))})
nn.ParameterDict({"a": m.ones(2)})["a"]
nn.ParameterDict({"a": m.ones(2)})["b"]
nn.ParameterDict({"a": m.ones(2)}).pop("a")
nn.Module()
nn.Module()(1)
nn.Module(3)
nn.Module(a=3)
nn.Linear(1, 1).nothing
setattr(nn.Linear(1, 1), "weight", m.ones(1))
setattr(nn.Linear(1, 1), "weight", 3)
setattr(nn.Linear(1, 1), "weight", None)
setattr(nn.Sequential(nn.ReLU()), "0", 3)
setattr(nn.BatchNorm1d(1), "running_mean", 3)
nn.Module().register_parameter("a.b", None)
nn.Module().register_parameter("", None)
nn.Module().register_parameter(3, None)
nn.Module().register_parameter("a", m.ones(1))
nn.Module().register_parameter("train", None)
nn.Linear(1, 1).register_parameter("weight", None)
nn.Module().register_buffer("a", 3)
nn.Module().register_buffer("a.b", None)
nn.Module().register_buffer("", None)
nn.Module().register_buffer("eval", None)
nn.Module().register_buffer(3, None)
nn.Module().add_module("a", 3)
nn.Module().add_module("a.b", nn.ReLU())
nn.Module().add_module("", nn.ReLU())
nn.Module().add_module(3, nn.ReLU())
nn.Module().add_module("eval", nn.ReLU())
delattr(nn.Linear(1, 1), "x")
delattr(nn.Linear(1, 1), "bias")
nn.Sequential(nn.Linear(1, 1)).get_submodule("0")
nn.Sequential(nn.Linear(1, 1)).get_submodule("0.x")
nn.Sequential(nn.Linear(1, 1)).get_submodule("0.weight")
nn.Sequential(nn.Linear(1, 1)).get_parameter("0.weight").shape
nn.Sequential(nn.Linear(1, 1)).get_parameter("0.x")
nn.Sequential(nn.Linear(1, 1)).get_parameter("0")
nn.Sequential(nn.Linear(1, 1)).set_submodule("0", nn.ReLU())
nn.Sequential(nn.Linear(1, 1)).set_submodule("", nn.ReLU())
nn.Sequential(nn.Linear(1, 1)).set_submodule("0", 3)
nn.Linear(1, 1).train(3)
nn.Linear(1, 1).eval().training
nn.Linear(1, 1).to(m.int64)
nn.Linear(1, 1).to(m.float64).weight.dtype
nn.Linear(1, 1).double().weight._version
nn.Linear(1, 1).half().bias.dtype
nn.Linear(1, 1).requires_grad_(False).weight.requires_grad
[n for n, _ in nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.Linear(1, 1))).named_parameters(prefix="p")]
[n for n, _ in nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.Linear(1, 1))).named_parameters(recurse=False)]
[n for n, _ in nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.Linear(1, 1))).named_modules()]
[n for n, _ in nn.Sequential(*[nn.ReLU()] * 3).named_modules()]
[n for n, _ in nn.Sequential(*[nn.ReLU()] * 3).named_modules(remove_duplicate=False)]
[n for n, _ in nn.Sequential(*[nn.ReLU()] * 3).named_children()]
len(list(nn.Sequential(*[nn.Linear(1, 1)] * 3).parameters()))
[n for n, _ in nn.Sequential(*[nn.Linear(1, 1)] * 3).named_parameters(remove_duplicate=False)]
list(nn.Sequential(*[nn.Linear(1, 1)] * 2).state_dict())
[n for n, _ in nn.BatchNorm1d(1).named_buffers()]
nn.Linear(1, 1).load_state_dict({})
nn.Linear(1, 1).load_state_dict(3)
nn.Linear(1, 1).load_state_dict({"weight": m.ones(1, 2), "bias": m.ones(1), "x": m.ones(1)})
nn.Linear(1, 1).load_state_dict({"weight": m.ones(1, 1), "x": m.ones(1)}, strict=False)
nn.Linear(1, 1).load_state_dict({"weight": m.ones(1, 1), "bias": m.ones(1)})
nn.Linear(1, 1).load_state_dict({"weight": 3, "bias": m.ones(1)})
nn.Sequential(nn.Linear(1, 1)).load_state_dict({"0.weight": m.ones(1, 1), "1.bias": m.ones(1)})
nn.Sequential(nn.Linear(1, 1)).load_state_dict({"0.x.y": m.ones(1), "1.b": m.ones(1), "0.q": m.ones(1)}, strict=False)
filled(nn.Linear(1, 1)).state_dict()
filled(nn.Linear(1, 1)).state_dict(prefix="a.")
filled(nn.Linear(1, 1)).state_dict(keep_vars=True)
nn.Linear(1, 1).state_dict()._metadata
nn.Identity(5)
nn.Flatten()
nn.Unflatten(1, (2, 3))
nn.Unflatten(1, 3)
nn.Unflatten(1, (2, "a"))
nn.Unflatten(1, (2, 3))(m.zeros(4, 6)).shape
nn.Flatten()(m.zeros(4, 2, 3)).shape
"""


@pytest.mark.parametrize("saying", SAYINGS.strip().splitlines())
def test_an_expression_says_the_same(saying: str) -> None:
    assert said(autograd_lab, saying) == said(torch, saying)


def same(story: Any) -> None:
    """The story goes the same in both worlds."""
    assert said(autograd_lab, story) == said(torch, story)


def test_assignment_makes_parameters_buffers_and_children_and_takes_their_places() -> None:
    def story(m: Any) -> list[Any]:
        class Net(m.nn.Module):  # type: ignore[misc, name-defined]  # of either world
            def __init__(self) -> None:
                super().__init__()
                self.w = m.nn.Parameter(m.ones(2))
                self.b = m.nn.Buffer(m.zeros(1))
                self.c = m.nn.Buffer(m.zeros(1), persistent=False)
                self.l = m.nn.Linear(1, 1)
                self.n = None

            def extra_repr(self) -> str:
                return "a=1\nb=2"

        net = filled(Net())
        told = [net, list(net.state_dict()), [name for name, _ in net.named_buffers()], net.n]
        net.w = None
        told.append(list(net.state_dict()))
        net.w = m.nn.Parameter(m.ones(1))
        net.l = None
        told += [repr(net), net.l]
        net.x = m.nn.ReLU()
        net.b = m.ones(1)
        told += [repr(net), net.state_dict()]
        del net.c
        net.b = m.nn.Parameter(m.zeros(1))
        told += [list(net.named_buffers()), list(net.named_parameters())]
        net.apply(lambda module: told.append(type(module).__name__))
        net.requires_grad_(False)
        told.append([parameter.requires_grad for parameter in net.parameters()])
        net.b = m.nn.ReLU()
        return told

    same(story)


@pytest.mark.parametrize("what", ["nn.Linear(1, 1)", "nn.Parameter(m.ones(1))", "nn.Buffer(m.ones(1))"])
def test_assigning_before_init_is_refused(what: str) -> None:
    def story(m: Any) -> Any:
        class Net(m.nn.Module):  # type: ignore[misc, name-defined]  # of either world
            def __init__(self) -> None:
                self.x = eval(what, {"m": m, "nn": m.nn})

        return Net()

    same(story)


def test_zero_grad_forgets_or_zeroes_in_place() -> None:
    def story(m: Any) -> list[Any]:
        linear = filled(m.nn.Linear(2, 1))
        linear(m.ones(1, 2)).sum().backward()
        gradient = linear.weight.grad
        linear.zero_grad(set_to_none=False)
        told = [linear.weight.grad is gradient, gradient._version, gradient]
        linear.zero_grad()
        return [*told, linear.weight.grad]

    same(story)


def test_deepcopy_copies_leaves_with_their_gradients_and_nothing_else() -> None:
    def story(m: Any) -> list[Any]:
        model = filled(m.nn.Sequential(m.nn.Linear(2, 1)))
        twin = copy.deepcopy(model)
        x = m.ones(1, requires_grad=True)
        (x * 2).sum().backward()
        told = [twin.state_dict(), twin[0].weight is model[0].weight, twin[0].weight._version, copy.deepcopy(x).grad]
        return [*told, said(m, lambda m: copy.deepcopy(x * 2))]

    same(story)


def test_state_dicts_share_memory_and_are_copied_in() -> None:
    def story(m: Any) -> list[Any]:
        one, two = filled(m.nn.Linear(2, 1)), m.nn.Linear(2, 1)
        told = [two.load_state_dict(one.state_dict()), two.state_dict(), two.weight._version]
        one.state_dict()["weight"].zero_()
        told += [one.weight, one.weight._version, two.weight.sum()]
        told += [two.load_state_dict({"weight": m.ones(1, 2), "bias": m.ones(1)}, assign=True), two.weight]
        return told

    same(story)


def test_hooks_see_arguments_results_and_gradients() -> None:
    def story(m: Any) -> list[Any]:
        told: list[Any] = []
        linear = filled(m.nn.Linear(2, 1))
        linear.register_forward_pre_hook(lambda module, args: told.append(("before", args)))
        linear.register_forward_hook(lambda module, args, out: told.append(("after", args, out)))
        first = {"with_kwargs": True, "prepend": True}
        linear.register_forward_hook(lambda module, args, kwargs, out: told.append((kwargs, out)), **first)
        linear.register_full_backward_hook(lambda module, gi, go: told.append(("backward", gi, go)))
        linear.register_full_backward_pre_hook(lambda module, go: told.append(("backward soon", go)))
        x = m.ones(3, 2, requires_grad=True)
        y = linear(x)
        told += [repr(y), graph(y)]
        y.sum().backward()
        told += [x.grad, linear.weight.grad]
        y = linear(input=m.ones(1, 2))
        told.append(graph(y))
        y.sum().backward()
        return told

    same(story)


def test_what_hooks_return_takes_the_place() -> None:
    def story(m: Any) -> list[Any]:
        linear = filled(m.nn.Linear(2, 1))
        linear.register_forward_pre_hook(lambda module, args: args[0] * 2)
        linear.register_forward_hook(lambda module, args, out: out * 3)
        linear.register_full_backward_hook(lambda module, gi, go: (gi[0] * 10,))
        linear.register_full_backward_pre_hook(lambda module, go: (go[0] * 5,))
        x = m.ones(3, 2, requires_grad=True)
        y = linear(x)
        y.sum().backward()
        return [y, x.grad, linear.weight.grad, graph(y)]

    same(story)


WRONG_HOOKS: dict[str, Any] = {
    "too many gradients of inputs": lambda n: n.register_full_backward_hook(lambda module, gi, go: (None,) * 3),
    "too many gradients of outputs": lambda n: n.register_full_backward_pre_hook(lambda module, go: (None,) * 2),
    "no tuple of arguments": lambda n: n.register_forward_pre_hook(lambda module, args, kw: 3, with_kwargs=True),
}


@pytest.mark.parametrize("wrong", WRONG_HOOKS)
def test_hooks_that_return_the_wrong_thing_are_refused(wrong: str) -> None:
    def story(m: Any) -> None:
        linear = m.nn.Linear(2, 1)
        WRONG_HOOKS[wrong](linear)
        linear(m.ones(3, 2, requires_grad=True)).sum().backward()

    same(story)


def test_a_backward_hook_without_gradients_of_inputs_may_return_none_only() -> None:
    def story(m: Any) -> None:
        linear = m.nn.Linear(2, 1)
        linear.register_full_backward_hook(lambda module, gi, go: go)
        linear(m.ones(3, 2)).sum().backward()

    same(story)


def test_the_result_of_a_module_with_backward_hooks_must_not_be_written_to() -> None:
    def story(m: Any) -> None:
        relu = m.nn.ReLU()
        relu.register_full_backward_hook(lambda module, gi, go: None)
        relu(m.ones(3, 2, requires_grad=True)).add_(1)

    same(story)


def test_hooks_are_always_called_if_wanted_and_go_when_removed() -> None:
    def story(m: Any) -> list[Any]:
        told: list[Any] = []
        linear = m.nn.Linear(2, 1)
        linear.register_forward_hook(lambda *args: told.append(len(args)), always_call=True)
        told.append(said(m, lambda m: linear(m.ones(3, 5))))
        linear.register_forward_hook(lambda *args: told.append("removed")).remove()
        with linear.register_forward_hook(lambda *args: told.append("for a while")):
            linear(m.ones(1, 2))
        linear(m.ones(1, 2))
        return told

    same(story)


def test_the_pattern_of_pytorchs_quickstart_runs_unchanged() -> None:
    def story(torch: Any) -> list[Any]:
        nn = torch.nn
        torch.cuda.manual_seed_all(0)
        torch.backends.cudnn.deterministic = False
        has_mps = torch.backends.mps.is_available()
        device = "cuda" if torch.cuda.is_available() else "mps" if has_mps else "cpu"

        class Network(nn.Module):  # type: ignore[misc, name-defined]  # of either world
            def __init__(self) -> None:
                super().__init__()
                self.flatten = nn.Flatten()
                self.stack = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))

            def forward(self, x: Any) -> Any:
                return self.stack(self.flatten(x))

        model = filled(Network()).to(device)
        xs = torch.arange(32).float().reshape(8, 2, 2).cos()
        loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(xs, torch.arange(8) % 3), batch_size=4)
        loss_fn, optimizer = nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=0.5)
        told: list[Any] = [model]
        for _ in range(3):
            model.train()
            for x, y in loader:
                loss = loss_fn(model(x), y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            model.eval()
            with torch.no_grad():
                told.append((model(xs).argmax(1) == torch.arange(8) % 3).type(torch.float).sum().item())
        return [*told, loss, graph(loss), [parameter._version for parameter in model.parameters()]]

    same(story)


def test_a_subclass_says_what_its_state_is_and_how_it_is_loaded() -> None:
    def story(m: Any) -> list[Any]:
        told: list[Any] = []

        class Scaled(m.nn.Module):
            _version = 3

            def __init__(self) -> None:
                super().__init__()
                self.scale, self.linear, self.calls = m.nn.Parameter(m.ones(2)), filled(m.nn.Linear(2, 1)), 0

            def get_extra_state(self) -> Any:
                return {"calls": self.calls}

            def set_extra_state(self, state: Any) -> None:
                self.calls = state["calls"]

            def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
                super()._save_to_state_dict(destination, prefix, keep_vars)
                destination[prefix + "more"] = m.zeros(1)

            def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
                told.append((sorted(state_dict), prefix, local_metadata, rest[0]))
                state_dict.pop(prefix + "more", None)
                if prefix + "old_scale" in state_dict:
                    state_dict[prefix + "scale"] = state_dict.pop(prefix + "old_scale")
                super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

        one, two = m.nn.Sequential(Scaled()), m.nn.Sequential(Scaled())
        one[0].calls = 7
        told += [one.state_dict(), one.state_dict()._metadata, two.load_state_dict(one.state_dict()), two[0].calls]
        older = {"0.old_scale": m.zeros(2), "0.linear.weight": m.ones(1, 2)}
        told += [two.load_state_dict(older, strict=False), two[0].scale, sorted(older)]
        told += [said(m, lambda m: two.load_state_dict(older)), two.load_state_dict(one.state_dict(), assign=True)]
        told += [said(m, lambda m: m.nn.Linear(1, 1).load_state_dict({"_extra_state": 1}))]
        return [*told, said(m, lambda m: m.nn.Linear(1, 1).get_extra_state())]

    same(story)


def test_hooks_see_states_being_saved_and_loaded() -> None:
    def story(m: Any) -> list[Any]:
        told: list[Any] = []
        model = m.nn.Sequential(filled(m.nn.Linear(2, 1)))
        inner = model[0]
        inner.register_state_dict_pre_hook(lambda module, prefix, keep: told.append(("saving", prefix, keep)))
        inner.register_state_dict_post_hook(lambda module, state, prefix, about: told.append((dict(state), about)))
        model._register_state_dict_hook(lambda module, state, prefix, about: {"kept": state["0.bias"]})
        told += [model.state_dict(), model.state_dict(keep_vars=True)]

        def renamed(state: Any, prefix: str, about: Any, strict: bool, *lists: Any) -> None:
            told.append(("loading", prefix, about, strict, lists))
            state[prefix + "weight"] = state.pop(prefix + "w")

        handle = inner._register_load_state_dict_pre_hook(renamed)
        inner.register_load_state_dict_pre_hook(
            lambda module, state, *rest: told.append((module is inner, sorted(state)))
        )
        model.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
        told += [model.load_state_dict({"0.w": m.ones(1, 2)}), inner.weight]
        handle.remove()
        told += [said(m, lambda m: model.load_state_dict({"0.w": m.ones(1, 2)}))]
        model.register_load_state_dict_post_hook(lambda module, keys: 1)
        told += [said(m, lambda m: model.load_state_dict({"0.weight": m.ones(1, 2)}))]
        twin = copy.deepcopy(model)
        return [*told, list(twin.state_dict()), inner._load_state_dict_pre_hooks.keys() is not None]

    same(story)


def test_states_without_a_count_of_batches_are_loaded_as_those_that_were_saved_before_it() -> None:
    def story(m: Any) -> list[Any]:
        norm = m.nn.BatchNorm1d(1)
        old = {name: m.ones(1) for name in ("weight", "bias", "running_mean", "running_var")}
        told = [norm.load_state_dict(old), norm.num_batches_tracked, said(m, lambda m: norm.state_dict({}, "a."))]
        new = norm.state_dict()
        del new["num_batches_tracked"]
        return [*told, said(m, lambda m: norm.load_state_dict(new))]

    same(story)
