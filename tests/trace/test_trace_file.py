"""What cannot be a trace is refused at the door, in one short line that names the place."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from autograd_lab.trace import Trace, TraceError
from autograd_lab.trace.trace_file import LONGEST_LINE
from autograd_lab.view.scene import make_scene
from tests.fuzz.damage import damaged
from tests.fuzz.seeds import seeds
from tests.fuzz.uses import use
from tests.trace.test_trace import a_trace

HEADER = '{"format": "autograd-lab-trace", "schema": 1}'
TENSOR = {
    "id": "t0", "name": None, "shape": [], "dtype": "float32", "nbytes": 4, "requires_grad": True, "is_leaf": True,
    "version": 0, "storage": "s0", "counter": "c0", "value": {"numbers": 1.5},
}  # fmt: skip
MADE = {"kind": "tensor_created", "tensor": TENSOR}


def applied(**fields: Any) -> dict[str, Any]:
    return {
        "kind": "op_applied", "node": "n0", "name": "MulBackward0", "operands": [{"tensor": "t0", "edge": 0}],
        "outputs": [{**TENSOR, "id": "t1"}], "edges": [{"node": "n1", "index": 0, "leaf": "t0"}, None], **fields,
    }  # fmt: skip


def refusal(path: Path, *lines: Any) -> str:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    with pytest.raises(TraceError) as caught:
        Trace.load(path)
    said = str(caught.value)
    assert len(said) <= 300 and said.isprintable()
    return said


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("bad.jsonl")


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (applied(node="x0"), "an id should be 'n' and a number such as n12, not 'x0'"),
        (applied(node="n007"), "an id should be 'n' and a number such as n12, not 'n007'"),
        (applied(node="n99999999"), "an id should be 'n' and a number"),
        (applied(node="t0"), "an id should be 'n' and a number such as n12, not 't0'"),
        (applied(node='n0"><script>'), "an id should be 'n' and a number"),
        (applied(edges=[]), "an operand has edge 0, and the op has 0 edges"),
        (applied(edges=[{"node": "n1", "index": 150_000_000, "leaf": "t0"}]), "an op has no output 150000000"),
        ({"kind": "saved_freed", "node": "n7"}, "mentions 'n7', which no line before it introduces"),
        ({"kind": "pass_started", "name": "fusion"}, "stands in the same trace as tensor_created"),
        (applied(name="a" * 200_000), "OpApplied.name has 200,000 characters; at most 100,000 can be"),
        ("[" * 100_000, "brackets are nested too deep"),
        ('{"kind": ' + "1" * 5000 + "}", "a number has too many digits"),
        ('{"kind": "\\ud800"}', "half of a character"),
        ("{", "not complete JSON"),
    ],
)
def test_an_event_that_cannot_be_is_refused_by_its_line(path: Path, event: Any, reason: str) -> None:
    said = refusal(path, HEADER, MADE, event)
    assert said.startswith("bad.jsonl, line 3: ")
    assert reason in said


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"kind": "node_evaluated", "node": "n0", "gradients": []}, "n0 has 2 edges, and node_evaluated tells 0"),
        ({"kind": "node_evaluated", "node": "n1", "gradients": []}, "about n1, which is no node of an op"),
        (
            {"kind": "gradient_sent", "node": "n0", "edge": 1, "value": None, "arrived": 1, "expected": 1},
            "along edge 1 of n0, which has no such edge",
        ),
        (
            {"kind": "backward_started", "tensors": ["t1"], "roots": [], "gradients": [], "retain_graph": False,
             "create_graph": False},
            "as many tensors as roots and gradients",
        ),
    ],
)  # fmt: skip
def test_an_event_that_does_not_fit_those_before_it_is_refused(path: Path, event: Any, reason: str) -> None:
    assert reason in refusal(path, HEADER, MADE, applied(), event)


def test_what_is_saved_was_described_before(path: Path) -> None:
    one = {"numbers": 1.0}
    stored = {"kind": "grad_accumulated", "tensor": "t0", "grad": "t5", "added": one, "total": one, "is_first": True}
    saved = {"kind": "tensor_saved", "node": "n0", "slot": "self", "tensor": "t5", "version": 0, "nbytes": 4}
    assert "n0 saves t5, and no line before it describes" in refusal(path, HEADER, MADE, applied(), stored, saved)


def test_a_trace_of_a_program_without_lines_can_be_drawn(path: Path) -> None:
    error = {"kind": "error_raised", "where": {"file": "m", "line": 0, "text": "x"}, "error": "E", "message": ""}
    header = {**json.loads(HEADER), "files": {"m": ""}}
    path.write_text("\n".join(json.dumps(line) for line in (header, MADE, applied(), error)))
    trace = Trace.load(path)
    assert "<svg" in make_scene(trace).svg(len(trace))


def test_nothing_follows_the_end_of_a_recording(path: Path) -> None:
    stopped = {"kind": "recording_stopped", "reason": "full", "lost": "the rest"}
    assert "follows recording_stopped" in refusal(path, HEADER, MADE, stopped, applied())


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"files": {"a.py": 3}}, "files should map names to texts"),
        ({"notes": 3}, "notes should be a list of texts"),
        ({"schema": "1"}, "schema should be a whole number"),
        ({"course": {}}, "the course of iterations cannot be read"),
        ({"course": {"shown": [1], "seen": 1, "events": [7]}}, "the header counts 7 events, and there are 1"),
    ],
)
def test_a_header_that_cannot_be_is_refused(path: Path, more: dict[str, Any], reason: str) -> None:
    assert reason in refusal(path, json.loads(HEADER) | more, MADE)


def test_a_line_without_end_is_not_read_to_its_end(path: Path) -> None:
    with path.open("wb") as file:
        file.write(HEADER.encode() + b"\n")
        file.truncate(4 * LONGEST_LINE)
    with pytest.raises(TraceError, match="line 2: the line is longer than 32 MiB"):
        Trace.load(path)


def test_a_compressed_trace_is_the_same_trace(tmp_path: Path) -> None:
    a_trace().save(tmp_path / "t.jsonl")
    a_trace().save(tmp_path / "t.jsonl.gz")
    assert gzip.decompress((tmp_path / "t.jsonl.gz").read_bytes()) == (tmp_path / "t.jsonl").read_bytes()
    assert Trace.load(tmp_path / "t.jsonl.gz").events == a_trace().events


def test_a_damaged_compressed_trace_is_refused(path: Path) -> None:
    whole = gzip.compress(HEADER.encode() + b"\n" + b"{}\n" * 1000)
    for content in (whole[:-20], whole[:30] + b"\0\0\0\0" + whole[34:]):
        path.write_bytes(content)
        with pytest.raises(TraceError):
            Trace.load(path)


def test_what_unpacks_to_far_too_much_is_not_unpacked_whole(path: Path) -> None:
    path.write_bytes(gzip.compress(HEADER.encode() + b"\n" + b"[" * (3 * LONGEST_LINE)))
    assert path.stat().st_size < 200_000
    with pytest.raises(TraceError, match="longer than 32 MiB"):
        Trace.load(path)


def test_a_compressed_file_that_holds_far_more_than_a_recording_would_is_not_unpacked_whole(path: Path) -> None:
    event = b'{"kind": "backward_finished"}'.ljust(100_000) + b"\n"
    path.write_bytes(gzip.compress(HEADER.encode() + b"\n" + event * 300))
    assert path.stat().st_size < 100_000
    with pytest.raises(TraceError, match="the file is too large"):
        Trace.load(path)


def test_text_with_half_a_character_is_saved_so_that_it_can_be_read(tmp_path: Path) -> None:
    trace = a_trace()
    trace.note("half: \ud800")
    trace.save(tmp_path / "t.jsonl")
    assert Trace.load(tmp_path / "t.jsonl").notes == ["half: ?"]


def test_whatever_happens_to_a_trace_it_is_refused_or_can_be_used(tmp_path: Path) -> None:
    for case in range(250):
        rng = random.Random(case)
        (tmp_path / "case.jsonl").write_bytes(damaged(rng.choice(seeds(every=4)), rng))
        assert use(tmp_path / "case.jsonl", rng) in ("refused", "nothing to draw", "used"), case


def test_a_trace_is_of_one_compilation(path: Path) -> None:
    captured = {"kind": "function_captured", "function": "f"}
    assert "line 3: a trace is of one compilation" in refusal(path, HEADER, captured, captured)


def test_a_compilation_has_two_halves_and_no_other(path: Path) -> None:
    captured = {"kind": "function_captured", "function": "f"}
    assert "is forward or backward, not" in refusal(
        path, HEADER, captured, {"kind": "program_written", "half": '"><script>', "text": "x"}
    )


def test_an_operation_of_a_compilation_is_captured_once(path: Path) -> None:
    captured = {"kind": "function_captured", "function": "f"}
    operation = {"id": "k0", "title": "exp", "operands": [], "results": []}
    again = {"kind": "operation_captured", "operation": operation}
    assert "line 4: k0 is captured, and was there before" in refusal(path, HEADER, captured, again, again)


def test_a_compilation_begins_with_the_function_that_was_captured(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f'{HEADER}\n{{"kind": "pass_finished", "name": "fusion", "operations": 1, "nbytes": 4}}\n')
    with pytest.raises(TraceError, match="line 2: a compilation begins with function_captured, not with pass_finished"):
        Trace.load(path)
