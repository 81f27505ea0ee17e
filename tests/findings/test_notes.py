"""Notes on errors: `str(error)` is PyTorch's text to the character, and what helps stands under it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import autograd_lab as lab
from autograd_lab.display.script import run_script

Mistake = Callable[[Any], None]


def second(m: Any) -> None:
    w = m.tensor(2.0, requires_grad=True)
    y = w * w
    y.backward()
    y.backward()


def overwritten(m: Any) -> None:
    w = m.tensor([1.0, 2.0], requires_grad=True)
    y = w.exp()
    y += 1
    y.sum().backward()


def detached(m: Any) -> None:
    w = m.tensor(2.0, requires_grad=True)
    y = w.detach() * 3
    y.backward()


def of_a_vector(m: Any) -> None:
    y = m.tensor([1.0, 2.0], requires_grad=True) * 2
    y.backward()


def leaf(m: Any) -> None:
    w = m.tensor([1.0, 2.0], requires_grad=True)
    w += 1


def shapes(m: Any) -> None:
    m.ones(2, 3) @ m.ones(2, 3)


def raised(mistake: Mistake, m: Any, recorded: bool = False) -> Exception:
    with pytest.raises((RuntimeError, ValueError)) as caught:
        if recorded:
            with lab.record():
                mistake(m)
        else:
            mistake(m)
    return caught.value


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("mistake", [second, overwritten, detached, of_a_vector, leaf, shapes])
def test_the_text_of_an_error_is_pytorchs_and_help_is_a_note(mistake: Mistake, recorded: bool) -> None:
    torch = pytest.importorskip("torch")
    own, theirs = raised(mistake, lab, recorded), raised(mistake, torch)
    assert str(own) == str(theirs)
    assert type(own) is type(theirs)
    assert len(own.__notes__) == 1


@pytest.mark.parametrize("mistake", [second, overwritten, detached, of_a_vector, leaf])
def test_an_error_that_leaves_a_recording_of_pytorch_has_a_note_with_lines_and_remedy(mistake: Mistake) -> None:
    torch = pytest.importorskip("torch")
    plain, recorded = raised(mistake, torch), raised(mistake, torch, recorded=True)
    assert str(recorded) == str(plain)
    (note,) = recorded.__notes__
    *lines, remedy = note.splitlines()
    assert any("test_notes.py:" in line for line in lines)
    assert (remedy.startswith("  ") and "`" in remedy) or "forward" in remedy or "Leave" in remedy


@pytest.mark.parametrize("mistake", [second, overwritten, detached, of_a_vector, leaf])
def test_of_what_is_recorded_both_worlds_say_the_same_under_an_error(mistake: Mistake) -> None:
    torch = pytest.importorskip("torch")
    own, theirs = (raised(mistake, m, recorded=True).__notes__ for m in (lab, torch))
    assert own == theirs


def test_an_error_that_is_caught_inside_or_not_known_gets_no_note() -> None:
    with lab.record():
        try:
            second(lab)
        except RuntimeError as error:
            assert len(error.__notes__) == 1
    with pytest.raises(KeyError) as caught, lab.record():
        raise KeyError("w")
    assert not getattr(caught.value, "__notes__", [])


def test_two_recordings_around_an_error_note_it_once() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError) as caught, lab.record(), lab.record():
        second(torch)
    assert len(caught.value.__notes__) == 1


def test_the_traceback_of_a_script_ends_with_the_note(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "twice.py"
    script.write_text("import torch\ny = torch.ones(2, requires_grad=True).exp().sum()\ny.backward()\ny.backward()\n")
    complaint = run_script(script).complaint
    assert "RuntimeError: Trying to backward through the graph a second time" in complaint
    assert "twice.py:3" in complaint.partition("RuntimeError")[2]
    assert "During handling" not in complaint
