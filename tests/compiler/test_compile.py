"""What a user sees of `compile`: the same as without it, in the same order, and a reason where it runs as written."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_lab as torch
from autograd_lab import nn, record
from autograd_lab.compiler.compiled import Compiled
from autograd_lab.compiler.passes.fusion import fusion

F = nn.functional


def leaf(*shape: int, seed: int = 0) -> Any:
    return torch.tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32)).requires_grad_()


def as_written(function: Callable[..., Any], *args: Any, match: str) -> Any:
    """The compiled function after one call, which must have said why it was not captured."""
    compiled = torch.compile(function)
    with pytest.warns(UserWarning, match=match):
        compiled(*args)
    assert not compiled.entries
    return compiled


def bits(*tensors: Any) -> list[Any]:
    return [None if one is None else (one.shape, one.detach().numpy().tobytes()) for one in tensors]


# --- results and gradients -------------------------------------------------------------------------------------------


def test_it_is_a_decorator_with_and_without_brackets_and_keeps_the_name() -> None:
    @torch.compile
    def double(x: Any) -> Any:
        """Twice."""
        return x * 2

    @torch.compile(fullgraph=True)
    def triple(x: Any) -> Any:
        return x * 3

    assert double(torch.ones(2)).tolist() == [2, 2] and triple(torch.ones(2)).tolist() == [3, 3]
    assert double.__name__ == "double" and double.__doc__ == "Twice."


def test_a_result_has_one_node_for_the_whole_function() -> None:
    w = leaf(3)
    loss = torch.compile(lambda x: ((x * w).exp() + 1).log().sum())(leaf(3, seed=1))
    assert loss.grad_fn.name() == "CompiledFunctionBackward"
    assert [node.name() for node, _ in loss.grad_fn.next_functions] == ["torch::autograd::AccumulateGrad"] * 2


def test_gradients_accumulate_and_hooks_of_inputs_are_called_as_ever() -> None:
    def run(f: Any) -> Any:
        x, log = leaf(3), []
        x.register_hook(lambda g: log.append(g.tolist()))
        x.register_post_accumulate_grad_hook(lambda p: log.append(p.grad.tolist()))
        inner = x * 2
        inner.register_hook(lambda g: g * 10)
        inner.retain_grad()
        for _ in range(2):
            f(inner).backward(retain_graph=True)
        return log, bits(x.grad, inner.grad)

    def f(x: Any) -> Any:
        return (x.sin() * x).sum()

    assert run(torch.compile(f)) == run(f)


def test_two_calls_before_their_backward_passes_keep_their_values_apart() -> None:
    f = torch.compile(lambda x: (x.exp() * x).sum())
    first, second = leaf(4), leaf(4, seed=1)
    one, other = f(first), f(second)
    other.backward()
    one.backward()
    assert bits(first.grad) == bits(first.exp() * first + first.exp())


def test_a_result_is_not_written_over_by_the_next_call() -> None:
    f = torch.compile(lambda x: (x + 1) * 2)
    kept = f(torch.ones(3))
    f(torch.zeros(3))
    assert kept.tolist() == [4, 4, 4]


def test_backward_twice_needs_retain_graph_and_says_so_in_pytorchs_words() -> None:
    x = leaf(3)
    loss = torch.compile(lambda x: (x * x).sum())(x)
    loss.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        loss.backward()


def test_the_gradient_of_a_gradient_is_refused_in_pytorchs_words() -> None:
    x = leaf(3)
    loss = torch.compile(lambda x: (x * x).sum())(x)
    with pytest.raises(RuntimeError, match="does not currently support double backward"):
        torch.autograd.grad(loss, x, create_graph=True)


def test_an_input_or_a_result_that_was_written_to_since_is_found_out() -> None:
    x = leaf(3)
    inner = x * 1
    loss = torch.compile(lambda x: (x * x).sum())(inner)
    inner.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    result = torch.compile(lambda x: x.exp())(x)
    result.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_without_grad_there_is_no_history_and_another_graph() -> None:
    x, f = leaf(3), torch.compile(lambda x: x * 2)
    assert f(x).requires_grad
    with torch.no_grad():
        assert not f(x).requires_grad
    assert len(f.entries) == 2


def test_several_results_in_a_structure_each_have_their_gradients() -> None:
    f = torch.compile(lambda x: {"a": (x * 2, x.sum()), "n": 3, "same": x})
    x = leaf(3)
    found = f(x)
    (found["a"][0].sum() + found["a"][1]).backward()
    assert found["n"] == 3 and found["same"] is x and x.grad.tolist() == [3, 3, 3]


def test_a_result_that_no_gradient_comes_to_counts_as_if_zeros_came() -> None:
    x, y = leaf(2), leaf(2, seed=1)
    first, _ = torch.compile(lambda x, y: (x * 2, y * 3))(x, y)
    first.sum().backward()
    assert x.grad.tolist() == [2, 2] and y.grad.tolist() == [0, 0]  # as in PyTorch's own compiled functions


def test_constants_made_inside_may_be_written_to() -> None:
    def f(x: Any) -> Any:
        out = torch.zeros(3)
        for at in range(3):
            out[at] = x[at] * at
        out += 1
        return out

    assert torch.compile(f, fullgraph=True)(torch.ones(3)).tolist() == [1, 2, 3]


def test_random_numbers_are_drawn_anew_and_in_the_same_order_as_ever() -> None:
    def f(x: Any) -> Any:
        return F.dropout(x, 0.5) + F.dropout(x, 0.1)

    compiled, x = torch.compile(f, fullgraph=True), torch.ones(100)
    torch.manual_seed(0)
    written = [f(x) for _ in range(3)]
    torch.manual_seed(0)
    assert bits(*written) == bits(*[compiled(x) for _ in range(3)])


def test_a_formula_that_cannot_be_looked_into_is_called_as_it_is() -> None:
    x, f = leaf(1, 1, 4, 4), torch.compile(lambda x: F.max_pool2d(x, 2).sum(), fullgraph=True)
    f(x).backward()
    assert "MaxPool2DWithIndicesBackward0_forward" in f.listing and x.grad.sum() == 4


def test_halves_of_a_tensor_are_views_of_it_while_its_memory_is_in_use() -> None:
    def f(c: Any) -> Any:
        return F.glu(c.neg(), dim=0).exp() + 1

    c = leaf(6)
    assert bits(torch.compile(f, fullgraph=True)(c)) == bits(f(c))


def test_a_gradient_that_a_formula_gives_as_a_view_has_memory_of_its_own() -> None:
    def f(b: Any, c: Any) -> Any:
        d = torch.block_diag(b, c)
        d.backward(torch.ones_like(d))
        return d * 0.5

    b, c, compiled = leaf(3), torch.ones(2, 3), torch.compile(f, fullgraph=True)
    compiled(b, c).sum().backward()
    b.grad = None
    compiled(b, c)
    assert b.grad.tolist() == [1, 1, 1]


def test_a_formula_that_is_called_as_it_is_may_be_given_one_number() -> None:
    def f(x: Any) -> Any:
        length = x.norm(3, 0)
        return length, length.scatter_add(0, torch.zeros((), dtype=torch.int64), length)

    x = leaf(3)
    assert bits(*torch.compile(f, fullgraph=True)(x)) == bits(*f(x))


def test_what_is_computed_again_in_backward_is_not_kept_as_well() -> None:
    def f(b: Any) -> Any:
        d = b.prod()
        return F.leaky_relu(d, 0.5), d.floor()

    b, compiled = leaf(3), torch.compile(f, fullgraph=True)
    seeds = [torch.tensor(1.0), torch.tensor(1.0)]
    assert bits(*torch.autograd.grad(compiled(b), b, seeds)) == bits(*torch.autograd.grad(f(b), b, seeds))
    backward = compiled.entries[0].backward.graph
    assert not set(backward.inputs) & backward.makers.keys()


def test_a_compiled_function_can_be_called_by_another_and_by_itself() -> None:
    inner = torch.compile(lambda x: x * 2)
    outer = torch.compile(lambda x: inner(x) + 1, fullgraph=True)
    assert outer(torch.ones(2)).tolist() == [3, 3] and not inner.entries


def test_threads_do_not_share_buffers() -> None:
    f = torch.compile(lambda x: ((x + 1) * 2 - x).relu().sum())
    want = {at: float(f(torch.full((1000,), float(at)))) for at in range(4)}
    wrong = []

    def work(at: int) -> None:
        x = torch.full((1000,), float(at))
        wrong.extend(at for _ in range(200) if float(f(x)) != want[at])

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- whole training steps --------------------------------------------------------------------------------------------


def trained(compiled: bool, kind: Any = torch.optim.SGD, steps: int = 4, **options: Any) -> Any:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = kind(model.parameters(), lr=0.1, **options)
    x, y = torch.randn(8, 3), torch.randn(8, 1)

    def step() -> Any:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    run = torch.compile(step) if compiled else step
    losses = [run().item() for _ in range(steps)]
    return (
        losses,
        bits(*model.parameters(), *[p.grad for p in model.parameters()]),
        [p._version for p in model.parameters()],
        run,
    )


def test_a_step_with_backward_and_optimizer_inside_is_one_graph() -> None:
    *written, _ = trained(False)
    *replayed, run = trained(True)
    assert replayed == written
    assert run.entries and "dot" in run.listing


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_a_step_that_makes_an_optimizers_state_is_captured_at_the_next_call_without_a_warning(kind: str) -> None:
    options = {"momentum": 0.9} if kind == "SGD" else {}
    *written, _ = trained(False, getattr(torch.optim, kind), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        *replayed, run = trained(True, getattr(torch.optim, kind), **options)
    assert replayed == written and len(run.entries) == 1
    [reason] = run.reasons
    assert f"something new in `state` of `optimizer`, an object of class {kind}, and can be captured once" in reason


def test_what_makes_something_new_in_each_call_is_warned_of_once() -> None:
    memo: dict[int, Any] = {}

    def f(x: Any, key: int) -> Any:
        memo[key] = key
        return x

    compiled = torch.compile(f)
    with pytest.warns(UserWarning, match="it makes something new in `memo`, and can be captured once") as said:
        for key in range(5):
            compiled(torch.ones(1), key)
    assert len(said) == 1 and len(memo) == 5


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW, torch.optim.Adagrad, torch.optim.RMSprop])
def test_a_step_that_counts_itself_in_a_tensor_is_one_graph(kind: Any) -> None:
    *written, _ = trained(False, kind, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the first step makes the optimizer's state
        *replayed, run = trained(True, kind, 6)
    assert replayed == written and 1 <= len(run.entries) <= 2  # Adagrad's first step finds no gradient to begin with


def test_what_was_gone_back_through_inside_cannot_be_again_outside() -> None:
    x = leaf(3)

    def f() -> Any:
        loss = (x * x).sum()
        loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="second time"):
        torch.compile(f, fullgraph=True)().backward()


def test_a_module_is_compiled_as_a_module() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    compiled = torch.compile(model, fullgraph=True)
    x = torch.ones(1, 2)
    assert bits(compiled(x)) == bits(model(x))
    assert isinstance(compiled, nn.Module) and list(compiled.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    compiled.eval()
    assert not model.training and compiled._orig_mod is model


def test_a_compiled_module_says_what_a_compiled_function_says() -> None:
    compiled = torch.compile(nn.Linear(2, 2))
    assert compiled.listing == "" and "0 captured" in compiled.explain()
    compiled(torch.ones(1, 2))
    assert "def forward(input, weight, bias):" in compiled.listing and "def backward(" in compiled.listing
    assert compiled.explain().startswith("Linear: 1 captured, 1 attempts") and compiled.breaks == []


# --- guards ----------------------------------------------------------------------------------------------------------


def test_another_shape_dtype_or_need_of_a_gradient_is_another_graph() -> None:
    f = torch.compile(lambda x: x * 2 + 1)
    for x in (torch.ones(3), torch.ones(4), torch.ones(3).double(), leaf(3), torch.ones(3, 1).expand(3, 3)):
        assert bits(f(x)) == bits(x * 2 + 1)
    assert len(f.entries) == 5
    f(torch.ones(3))
    assert len(f.entries) == 5


FACTOR = 2.0
SETTINGS = {"shift": [1.0, 5.0]}
WEIGHT = torch.ones(3)


def test_a_number_that_was_read_from_outside_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    f = torch.compile(lambda x: x * FACTOR + SETTINGS["shift"][0])
    assert f(torch.ones(2)).tolist() == [3, 3]
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert f(torch.ones(2)).tolist() == [4, 4]
    monkeypatch.setitem(SETTINGS, "shift", [2.0, 5.0])
    assert f(torch.ones(2)).tolist() == [5, 5]
    assert len(f.entries) == 3


def test_a_tensor_from_outside_is_looked_up_in_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    f = torch.compile(lambda x: x + WEIGHT)
    assert f(torch.ones(3)).tolist() == [2, 2, 2]
    WEIGHT.fill_(2)
    assert f(torch.ones(3)).tolist() == [3, 3, 3]
    monkeypatch.setitem(globals(), "WEIGHT", torch.full((3,), 5.0))
    assert f(torch.ones(3)).tolist() == [6, 6, 6]
    assert len(f.entries) == 1


def test_variables_of_functions_around_it_and_attributes_are_asked_for_again() -> None:
    class Scale:
        by = 2.0

        def __call__(self, x: Any) -> Any:
            return x * self.by

    scale, shift = Scale(), 1.0

    def f(x: Any) -> Any:
        return scale(x) + shift

    compiled = torch.compile(f)
    assert compiled(torch.ones(1)).tolist() == [3]
    scale.by, shift = 3.0, 2.0
    assert compiled(torch.ones(1)).tolist() == [5] and len(compiled.entries) == 2


def test_the_mode_of_a_module_is_asked_for_again() -> None:
    torch.manual_seed(0)
    model = nn.Dropout(0.5)
    f = torch.compile(lambda x: model(x))
    assert (f(torch.ones(50)) == 0).any()
    model.eval()
    assert f(torch.ones(50)).tolist() == [1] * 50


def test_a_tensor_passed_twice_is_another_case_than_two() -> None:
    def f(a: Any, b: Any) -> Any:
        return (a * b).sum()

    compiled, a, b = torch.compile(f), leaf(2), leaf(2, seed=1)
    compiled(a, b).backward()
    a.grad = None
    compiled(a, a).backward()
    assert bits(a.grad) == bits(a * 2) and len(compiled.entries) == 2


def test_after_eight_captures_other_calls_run_as_written() -> None:
    f = torch.compile(lambda x, n: x * n)
    for n in range(8):
        f(torch.ones(1), n)
    with pytest.warns(UserWarning, match="captures of it were not enough"):
        assert f(torch.ones(1), 8).tolist() == [8]
    assert len(f.entries) == 8


# --- values that Python looks at -------------------------------------------------------------------------------------


def test_a_branch_on_a_value_is_a_break_and_the_other_branch_another_graph() -> None:
    def f(x: Any) -> Any:
        if x.sum() > 0:
            return x * 2
        return -x

    compiled = torch.compile(f)
    assert compiled(torch.ones(2)).tolist() == [2, 2]
    assert [(one.text, one.found) for one in compiled.breaks] == [("if x.sum() > 0:", True)]
    assert compiled(-torch.ones(2)).tolist() == [1, 1] and len(compiled.entries) == 2
    assert compiled(torch.ones(2)).tolist() == [2, 2] and len(compiled.entries) == 2
    assert "another value is another graph" in compiled.explain()


def test_the_number_of_turns_of_a_loop_may_depend_on_values() -> None:
    def f(x: Any) -> Any:
        while x.norm() < 10:
            x = x * 2
        return x

    compiled = torch.compile(f)
    for start in (1.0, 3.0, 1.0, 20.0):
        x = torch.full((2,), start)
        assert bits(compiled(x)) == bits(f(x))
    assert len(compiled.entries) == 3


def test_how_many_elements_a_mask_takes_may_be_another_number_next_time() -> None:
    compiled = torch.compile(lambda x: x[x > 0].sum())
    assert [float(compiled(torch.tensor([1.0, s * 2, s * 3]))) for s in (1, -1, 1)] == [6, 1, 6]


def test_a_run_that_departs_has_drawn_no_random_numbers() -> None:
    def f(x: Any) -> Any:
        noise = F.dropout(torch.ones(20), 0.5)
        return noise * (2 if x.sum() > 0 else 3)

    compiled = torch.compile(f)
    torch.manual_seed(0)
    written = [f(torch.full((1,), s)) for s in (1.0, -1.0, 1.0)]
    torch.manual_seed(0)
    assert bits(*[compiled(torch.full((1,), s)) for s in (1.0, -1.0, 1.0)]) == bits(*written)
    assert len(compiled.entries) == 2


# --- as written ------------------------------------------------------------------------------------------------------


def test_what_prints_runs_as_written_and_prints_once(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        print("called")
        return x

    compiled = as_written(f, torch.ones(1), match=r"line \d+ calls `print`")
    assert capsys.readouterr().out == "called\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the same is not said twice
        compiled(torch.ones(1))


LOSSES: list[Any] = []


def test_what_appends_to_a_list_from_outside_does_so_once() -> None:
    def f(x: Any) -> Any:
        LOSSES.append(x)
        return x * 2

    LOSSES.clear()
    as_written(f, torch.ones(1), match="it changes `LOSSES`, which is no tensor")
    assert len(LOSSES) == 1 and LOSSES[0].tolist() == [1]


def test_lists_of_its_own_are_its_own_affair() -> None:
    def f(x: Any) -> Any:
        found = []
        for row in x:
            found.append(row * 2)
        return torch.stack(found)

    assert bits(torch.compile(f, fullgraph=True)(torch.ones(2, 2))) == bits(torch.ones(2, 2) * 2)


def test_what_counts_its_calls_runs_as_written() -> None:
    class Counter:
        calls = 0

        def __call__(self, x: Any) -> Any:
            self.calls += 1
            return x * self.calls

    counter = Counter()
    as_written(
        lambda x: counter(x),
        torch.ones(1),
        match="it changes an attribute of `counter`, an object of class Counter, which is no",
    )
    assert counter.calls == 1


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda x: np.sqrt(2.0) * x * np.random.default_rng(0).random(), "numpy's random numbers"),
        (lambda x: (x, x.view(-1)), "a view of an input"),
        (lambda x: (lambda y: (y, y.detach()))(x * 2), "two tensors in the same memory"),
        (lambda x: x * len(x.repeat(100).tolist()), "looks at 200 elements of a tensor"),
        (lambda x: torch.ones(2, requires_grad=True), "a new leaf"),
        (lambda x: torch.set_grad_enabled(False) and None, "leaves it switched"),
        (lambda x: (x, object()), "returns a object"),
    ],
)
def test_what_cannot_be_captured_says_why(function: Any, why: str) -> None:
    with torch.enable_grad():
        as_written(function, torch.ones(2), match=why)


def test_random_numbers_of_a_numpy_that_only_a_closure_knows_are_not_the_same_in_each_run() -> None:
    import numpy

    f = torch.compile(lambda x: x * float(numpy.random.rand()))
    with pytest.warns(UserWarning, match="it draws numpy's random numbers"):
        drawn = [f(torch.ones(1)).item() for _ in range(3)]
    assert len(set(drawn)) == 3


def test_fullgraph_makes_an_error_of_it() -> None:
    with pytest.raises(RuntimeError, match="fullgraph=True, but <lambda> runs as it is written: line"):
        torch.compile(lambda x: print(x), fullgraph=True)(torch.ones(1))


def test_a_mistake_of_the_functions_own_is_raised_as_ever() -> None:
    f = torch.compile(lambda x: x @ x)
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        f(torch.ones(2, 3))
    assert len(f.reasons) == 1 and f.reasons[0].startswith("capturing it raised RuntimeError: mat1 and mat2")


@pytest.mark.parametrize("prints", [False, True])
def test_it_is_raised_with_no_other_error_before_it(prints: bool) -> None:
    def f(x: Any) -> Any:
        if prints:
            print("now")
        raise KeyError("own")

    with warnings.catch_warnings(), pytest.raises(KeyError, match="own") as found:
        warnings.simplefilter("ignore")
        torch.compile(f)(torch.ones(1))
    assert found.value.__context__ is None and found.value.__cause__ is None


def test_what_is_refused_does_not_count_as_a_capture() -> None:
    def f(x: Any, aloud: bool) -> Any:
        if aloud:
            print("now")
        return x * 2

    compiled = torch.compile(f)
    with pytest.warns(UserWarning) as said:
        for call in range(30):
            compiled(torch.ones(1), call != 3)
    assert len(compiled.entries) == 1
    assert compiled.reasons == [compiled.reasons[0]] and "calls `print`" in compiled.reasons[0] and len(said) == 1


def test_a_function_that_is_always_refused_is_captured_less_and_less_often() -> None:
    def f(x: Any) -> Any:
        print("now")
        return x

    compiled = torch.compile(f)
    with pytest.warns(UserWarning, match="calls `print`"):
        for _ in range(1000):
            compiled(torch.ones(1))
    assert compiled.attempts < 20


def test_a_warning_points_to_the_line_that_calls_it_also_from_inside_a_module_or_a_subclass() -> None:
    class Timed(Compiled):
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return super().__call__(*args, **kwargs)

    class Loud(nn.Module):
        def forward(self, x: Any) -> Any:
            print("now")
            return x

    def loud(x: Any) -> Any:
        print("now")
        return x

    for function in (torch.compile(loud), torch.compile(Loud()), Timed(loud, "loud", False, ())):
        with pytest.warns(UserWarning, match="print") as said:
            function(torch.ones(1))
        assert said[0].filename == __file__


def test_a_capture_that_fails_leaves_everything_as_it_was() -> None:
    x, kept = leaf(3), {"a": 1}

    def f() -> Any:
        kept["a"] += 1
        with torch.no_grad():
            x.mul_(2)
        (x * 2).sum().backward()
        print("now")

    before = bits(x), x._version
    with pytest.raises(RuntimeError, match="print"):
        torch.compile(f, fullgraph=True)()
    assert (bits(x), x._version) == before and x.grad is None and kept == {"a": 1}


def test_while_it_is_recorded_a_function_runs_op_by_op() -> None:
    f, x = torch.compile(lambda x: (x * 2).sum()), leaf(2)
    f(x)
    with record() as trace:
        f(x).backward()
    assert [e.name for e in trace.events if e.kind == "op_applied"] == ["MulBackward0", "SumBackward0"]


def test_writing_to_an_argument_is_seen_by_the_caller() -> None:
    def f(x: Any) -> Any:
        y = x * 2
        x.add_(1)
        return y + x

    compiled, x = torch.compile(f, fullgraph=True), torch.ones(2)
    assert compiled(x).tolist() == [4, 4] and x.tolist() == [2, 2] and x._version == 1
    assert compiled(x).tolist() == [7, 7] and x.tolist() == [3, 3]


def test_a_listing_is_python_with_the_lines_of_the_program() -> None:
    compiled = torch.compile(lambda x: (x * 2 + 1).relu())
    compiled(torch.ones(3))
    assert "def forward(x):" in compiled.listing and "multiply(x, c0, out=t0)" in compiled.listing
    assert "compiled = torch.compile(lambda x: (x * 2 + 1).relu())" in compiled.listing


def test_tensors_may_be_called_as_what_a_listing_needs_is_called() -> None:
    def f(add: Any, t0: Any, part: Any, x: Any, x_part: Any, **more: Any) -> Any:
        return ((add + t0) * part - x * x_part).exp() * more["a) or (b"] + more["1"]

    args, more = [leaf(3, seed=at) for at in range(5)], {"a) or (b": leaf(3, seed=5), "1": leaf(3, seed=6)}
    compiled = torch.compile(f, fullgraph=True)
    assert bits(compiled(*args, **more)) == bits(f(*args, **more))


def test_constants_in_tiles_and_numbers_that_are_spread_over_one_give_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("autograd_lab.compiler.program.tiles.CACHE_BYTES", 500)
    monkeypatch.setattr(sys.modules[fusion.__module__], "LEAST_BYTES", 1)
    x = torch.tensor([0.0, -0.0, 1.5, -2.0, float("nan"), float("inf"), -float("inf")] * 13)

    def f(x: Any) -> Any:
        several = torch.arange(91.0)
        return -(several * -x).relu().clamp(min=-0.0, max=1.0).maximum(several - 3)

    compiled = torch.compile(f, fullgraph=True)
    assert bits(compiled(x)) == bits(f(x)) and "_spread" in str(compiled.listing)


def test_the_passes_can_be_chosen() -> None:
    from autograd_lab.compiler.passes.dead import dead

    x = torch.ones(3)
    f = torch.compile(lambda x: x * 1 * 1, options={"passes": [dead]})
    assert f(x).tolist() == [1, 1, 1] and f.listing.count("multiply") == 2
    g = torch.compile(lambda x: x * 1 * 1)
    assert g(x).tolist() == [1, 1, 1] and g.listing.count("multiply") == 0


NORMS: dict[str, Callable[[Any], Any]] = {
    "of a number": lambda x: x[0].norm(3), "along no dimension": lambda x: x.sum().norm(1.5, 0),
    "of a sum": lambda x: torch.linalg.vector_norm(x.sum(), 3), "of a vector": lambda x: x.norm(2.5),
    "of rows": lambda x: x.reshape(2, 2).norm(3, 1).sum(), "of a difference": lambda x: torch.dist(x[0], x[1], 3),
    "no norm but a power": lambda x: torch.logaddexp2(x[0], x[1]),
}  # fmt: skip


def test_a_formula_that_a_node_has_from_another_knows_whose_it_is() -> None:
    x = leaf(7)
    deviation = lambda x: torch.std_mean(x, -1)[0] + 0 * torch.var_mean(x, -1)[0]  # noqa: E731
    both = lambda x: torch.var_mean(x, -1)[0] * 0 + torch.std_mean(x, -1)[0]  # noqa: E731
    assert bits(torch.compile(deviation)(x), torch.compile(both)(x)) == bits(x.std(), x.std())


@pytest.mark.parametrize("function", NORMS.values(), ids=list(NORMS))
def test_powers_of_numbers_are_the_same_bits(function: Callable[[Any], Any]) -> None:
    compiled = torch.compile(function, fullgraph=True)
    for seed in range(60):
        x, y = leaf(4, seed=seed), leaf(4, seed=seed)
        written, replayed = function(x), compiled(y)
        written.backward()
        replayed.backward()
        assert bits(replayed, y.grad) == bits(written, x.grad)


def test_how_many_tiles_a_loop_has_stands_above_it() -> None:
    compiled = torch.compile(lambda x: (x * 2 + 1).relu().exp().sin() * x)
    compiled(torch.ones(1_000_000))
    lines = [line.strip() for line in compiled.listing.splitlines()]
    [at] = [number for number, line in enumerate(lines) if line.startswith("for part")]
    assert lines[at].endswith(" in tiles0:") and "tiles of" in lines[at - 1] and lines[at - 1].startswith("# ")
