"""What a trace, a script or a file is called moves no cursor: control characters are printed as Python spells them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograd_lab.commands.cli import app
from tests.fuzz.seeds import seeds

HARMFUL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
HOSTILE = "x\x1b[2J\x07\x00\x9b\u202e"
FIELDS = ("name", "text", "file", "dtype", "slot", "op", "message", "error", "module", "type", "hook", "expression")
COMMANDS = (
    "draw TRACE -o out.png", "draw TRACE -o out.gv", "draw TRACE --each-step --scale 0.5 -o steps",
    "play TRACE -o out.html", "diagnose TRACE", "diagnose TRACE --json", "flow TRACE -o flow.png",
    "compare TRACE OTHER -o both.html",
)  # fmt: skip


def with_harm(line: str) -> str:
    """A line in which every text of these fields is hostile."""

    def put(data: object) -> object:
        if isinstance(data, dict):
            return {
                key: HOSTILE if key in FIELDS and isinstance(value, str) else put(value) for key, value in data.items()
            }
        return [put(each) for each in data] if isinstance(data, list) else data

    return json.dumps(put(json.loads(line)))


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failing = next(lines for lines in seeds(every=4) if "error_raised" in lines[-1] and "saved" in lines[-1])
    Path("trace.jsonl").write_text("\n".join([failing[0], *map(with_harm, failing[1:])]))
    Path("other.jsonl").write_text("\n".join(failing))


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_control_character_of_a_trace_reaches_the_terminal(command: str) -> None:
    words = command.replace("TRACE", "trace.jsonl").replace("OTHER", "other.jsonl").split()
    done = CliRunner().invoke(app, words)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert not HARMFUL.search(done.output), done.output


@pytest.mark.usefixtures("hostile")
def test_no_control_character_of_a_damaged_trace_reaches_the_terminal() -> None:
    text = Path("trace.jsonl").read_text()
    Path("trace.jsonl").write_text(f'{text}\n{{"kind": "{HOSTILE[0]}\\u001b[31m"}}')
    done = CliRunner().invoke(app, ["draw", "trace.jsonl"])
    assert done.exit_code == 1
    assert "unknown event kind" in done.output
    assert not HARMFUL.search(done.output), done.output


def test_no_control_character_of_a_file_name_reaches_the_terminal() -> None:
    done = CliRunner().invoke(app, ["draw", "no\x1b[2Jfile.py"])
    assert done.exit_code == 2
    assert not HARMFUL.search(done.output), done.output


MISUSED = (
    "NAME", "draw x.py --NAME", "draw x.py --layout NAME", "schema NAME", "class NAME",
    "class report NAME",
)  # fmt: skip


@pytest.mark.parametrize("command", MISUSED)
def test_no_control_character_of_an_argument_that_is_not_understood_reaches_the_terminal(command: str) -> None:
    done = CliRunner().invoke(app, [word.replace("NAME", HOSTILE.replace("\0", "")) for word in command.split()])
    assert done.exit_code == 2
    assert r"\u202e" in done.output
    assert not HARMFUL.search(done.output), done.output
