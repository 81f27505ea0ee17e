"""What the collector of cycles has to do with pictures."""

import gc
import weakref

import autograd_lab as torch
from autograd_lab.trace import Trace
from autograd_lab.view.kit.no_gc import undisturbed


def recorded() -> Trace:
    with torch.record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        h = a
        for _ in range(6):
            h = (h * a).tanh()
        h.backward()
    return trace


def test_a_picture_that_nobody_holds_is_gone_at_once_with_all_that_it_was_made_of() -> None:
    picture = torch.draw(recorded())
    assert "<svg" in picture.svg
    gone = weakref.ref(picture.scene.stills.picture)  # type: ignore[attr-defined]
    gc.disable()
    try:
        del picture
        assert gone() is None
    finally:
        gc.enable()


def test_nothing_is_collected_while_a_picture_is_made_and_what_was_frozen_stays_so() -> None:
    making = undisturbed(gc.isenabled)
    assert not making()
    assert gc.isenabled()
    gc.freeze()
    try:
        making()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_cycles_of_others_are_still_collected_after_a_picture_was_made() -> None:
    class Held:
        own: object

    held = Held()
    held.own, gone = held, weakref.ref(held)
    del held
    torch.draw(recorded())
    gc.collect()
    assert gone() is None
