"""The schema of a trace's lines says what the reader says, as far as a line can be judged by itself."""

from __future__ import annotations

import json

import pytest

from autograd_lab.events import KINDS
from autograd_lab.trace.json_schema import line_schema
from tests.fuzz.seeds import seeds

jsonschema = pytest.importorskip("jsonschema")


def test_every_line_of_a_trace_is_valid() -> None:
    validator = jsonschema.Draft202012Validator(line_schema())
    validator.check_schema(line_schema())
    of_each_kind = {json.loads(line).get("kind"): json.loads(line) for lines in seeds(every=4) for line in lines}
    assert of_each_kind.keys() == {None, *KINDS}
    assert {kind for kind, line in of_each_kind.items() if not validator.is_valid(line)} == set()


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"kind": "unheard_of"},
        {"kind": "saved_freed"},
        {"kind": "saved_freed", "node": "t0"},
        {"kind": "saved_freed", "node": 1},
        {"kind": "saved_freed", "node": "n0", "more": 1},
        {"format": "autograd-lab-trace", "schema": 99},
    ],
)
def test_a_line_that_the_reader_refuses_is_not_valid(line: object) -> None:
    assert not jsonschema.Draft202012Validator(line_schema()).is_valid(line)
