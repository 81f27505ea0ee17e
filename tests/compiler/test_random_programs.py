"""A compiled function gives what it gives as written, bit for bit: for random functions, on data not seen before."""

from __future__ import annotations

import sys
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")  # it tells the author of random programs which lines run

from autograd_lab.compiler.passes.fusion import fusion
from tests.compiler.programs import both, source_of

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
FUSION = sys.modules[fusion.__module__]


@QUICK
@given(st.randoms(use_true_random=False))
def test_random_functions_give_the_same_results_gradients_and_changes(random: Random) -> None:
    source = source_of(random)
    written, replayed, compiled = both(source)
    assert replayed == written, f"{source}\n{compiled.explain()}\n{compiled.listing}"


@QUICK
@given(st.randoms(use_true_random=False))
def test_so_do_those_over_the_whole_surface(random: Random) -> None:
    source = source_of(random, core=False)
    written, replayed, compiled = both(source)
    assert replayed == written, f"{source}\n{compiled.explain()}\n{compiled.listing}"


@QUICK
@given(st.randoms(use_true_random=False))
def test_and_where_everything_is_fused_and_a_tile_has_three_elements(random: Random) -> None:
    source = source_of(random)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograd_lab.compiler.program.tiles.CACHE_BYTES", 40)
        patch.setattr(FUSION, "LEAST_BYTES", 1)
        written, replayed, compiled = both(source)
    assert replayed == written, f"{source}\n{compiled.explain()}\n{compiled.listing}"


def test_most_random_functions_can_be_captured() -> None:
    found = [both(source_of(Random(seed)), (1,))[2] for seed in range(40)]
    assert sum(bool(one.entries) for one in found) > 20
