"""What a graph holds for backward is counted once for each storage, and at its highest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autograd_lab import events
from autograd_lab.recording.holding import most_held

SAVED, FREED, RELEASED = (each.kind for each in (events.TensorSaved, events.SavedFreed, events.GraphReleased))
STORAGES = {f"t{number}": f"s{number // 2}" for number in range(8)}
steps = st.one_of(
    st.tuples(st.just(SAVED), st.sampled_from("abcd"), st.sampled_from(sorted(STORAGES)), st.integers(1, 99)),
    st.tuples(st.just(FREED), st.sampled_from("abcd")),
    st.tuples(st.just(RELEASED), st.lists(st.sampled_from("abcd"), max_size=3)),
)


@given(st.lists(steps, max_size=30))
def test_it_is_the_highest_sum_of_the_largest_tensors_saved_of_each_storage(program: list[tuple[object, ...]]) -> None:
    held: dict[tuple[str, str], int] = {}
    most, raw = 0, []
    for step in program:
        if step[0] == SAVED:
            _, node, tensor, size = step
            raw.append((SAVED, 0, node, "slot", tensor, 0, size))
            key = str(node), STORAGES[str(tensor)]
            held[key] = max(held.get(key, 0), int(str(size)))
        else:
            raw.append((step[0], 0, step[1]))
            held = {key: size for key, size in held.items() if key[0] not in step[1]}  # type: ignore[operator]
        storages = {storage for _, storage in held}
        most = max(most, sum(max(size for key, size in held.items() if key[1] == each) for each in storages))
    assert most_held(raw, STORAGES) == most
