"""The trace is the file: it comes back as it was, and a damaged one names its line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from autograd_lab.events import Edge, GraphReleased, NodeVisited, OpApplied, Operand, TensorCreated, TensorFacts, Value
from autograd_lab.trace import Trace, TraceError


def facts(name: str) -> TensorFacts:
    return TensorFacts(
        id=name, name=None, shape=(), dtype="float32", nbytes=4, requires_grad=True, is_leaf=True, version=0,
        storage="s0", counter="c0", value=Value(numbers=1.5),
    )  # fmt: skip


def a_trace() -> Trace:
    made = OpApplied(
        node="n0",
        name="MulBackward0",
        operands=(Operand(tensor="t0", edge=0), Operand(number=2)),
        outputs=(facts("t1"),),
        edges=(Edge(node="n1", index=0, leaf="t0"), None),
    )
    return Trace([TensorCreated(tensor=facts("t0")), made], files={"a.py": "x = 1  # \u2028 é\n"})


def test_a_saved_trace_loads_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    a_trace().save(path)
    loaded = Trace.load(path)
    assert loaded.events == a_trace().events
    assert loaded.files == {"a.py": "x = 1  # \u2028 é\n"}


def test_only_what_a_trace_can_be_saved_as_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"t\.png: a trace is saved as \.jsonl or "):
        a_trace().save(tmp_path / "t.png")
    with pytest.raises(TypeError, match=r"a \.jsonl takes no options, such as speed"):
        a_trace().save(tmp_path / "t.jsonl", speed=2)
    assert list(tmp_path.iterdir()) == []


def test_saving_leaves_nothing_but_the_file(tmp_path: Path) -> None:
    a_trace().save(tmp_path / "t.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["t.jsonl"]


def test_a_failed_save_leaves_the_old_file_and_no_half_written_one(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("old")
    broken = a_trace()
    broken.files["a.py"] = object()  # type: ignore[assignment]  # no JSON says what it is
    with pytest.raises(TypeError):
        broken.save(path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_saved_trace_has_the_permissions_that_other_files_get(tmp_path: Path) -> None:
    a_trace().save(tmp_path / "t.jsonl")
    (tmp_path / "other").touch()
    assert os.stat(tmp_path / "t.jsonl").st_mode == os.stat(tmp_path / "other").st_mode


def lines(tmp_path: Path) -> list[str]:
    a_trace().save(tmp_path / "t.jsonl")
    return (tmp_path / "t.jsonl").read_text(encoding="utf-8").split("\n")[:-1]


def message_for(tmp_path: Path, content: list[str] | bytes) -> str:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else "\n".join(content).encode())
    with pytest.raises(TraceError) as caught:
        Trace.load(path)
    return str(caught.value).replace(str(path), "bad.jsonl")


def test_a_truncated_line_is_named(tmp_path: Path) -> None:
    good = lines(tmp_path)
    assert message_for(tmp_path, [*good[:2], good[2][:40]]).startswith("bad.jsonl, line 3: not complete JSON")


def test_a_newer_schema_is_refused_with_what_to_do(tmp_path: Path) -> None:
    good = lines(tmp_path)
    header = json.loads(good[0]) | {"schema": 99}
    assert "written in schema 99" in message_for(tmp_path, [json.dumps(header), *good[1:]])
    assert "pip install --upgrade" in message_for(tmp_path, [json.dumps(header)])


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"format": "other"}', b"hello"])
def test_a_file_that_is_no_trace_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "bad.jsonl" in message_for(tmp_path, content)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    assert "not a text file" in message_for(tmp_path, b"\xff\xfe\x00")


def test_a_mention_of_an_unknown_id_is_named(tmp_path: Path) -> None:
    good = lines(tmp_path)
    visit = json.dumps({"kind": "node_visited", "node": "n7", "gradients": []})
    said = message_for(tmp_path, [*good, visit])
    assert said == "bad.jsonl, line 4: a node_visited event mentions 'n7', which no line before it introduces"


def test_an_unknown_kind_is_named(tmp_path: Path) -> None:
    said = message_for(tmp_path, [*lines(tmp_path), '{"kind": "x"}'])
    assert said.startswith("bad.jsonl, line 4: unknown event kind")


def test_accumulate_grad_nodes_are_introduced_by_the_edge_that_leads_to_them(tmp_path: Path) -> None:
    trace = Trace([*a_trace(), NodeVisited(node="n1", gradients=()), GraphReleased(nodes=("n0", "n1"))])
    trace.save(tmp_path / "t.jsonl")
    assert len(Trace.load(tmp_path / "t.jsonl")) == 4
