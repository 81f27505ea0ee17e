"""What a poll keeps on the disk, in a file of SQLite: each vote is there before the voter hears that it was counted."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS roll (voter TEXT PRIMARY KEY, address TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS votes (
    question INTEGER, round INTEGER, voter TEXT, choice INTEGER, PRIMARY KEY (question, round, voter)
) WITHOUT ROWID;
"""
BESIDES = ("-wal", "-shm", "-journal")
"""Files that SQLite makes beside its own."""


class Unkept(ValueError):
    """Votes cannot be kept in a file; the message says why."""


class Kept:
    """Facts, voters and votes of one poll. Without a path they are in memory only.

    The file is its owner's alone, and that of one server at a time. Raises Unkept.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        try:
            if path is not None:
                _made_ready(path)
            self._db = sqlite3.connect(path or ":memory:", timeout=0, isolation_level=None, check_same_thread=False)
            self._db.executescript("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;")
            self._db.executescript(f"BEGIN IMMEDIATE; {TABLES} COMMIT;")
        except sqlite3.OperationalError as error:
            why = "another vote uses it" if "locked" in str(error) else str(error)
            raise Unkept(f"cannot keep votes in {path}: {why}") from None
        except (sqlite3.DatabaseError, UnicodeDecodeError):  # the second of what SQLite says of it
            raise Unkept(f"{path} is no file of votes") from None
        except OSError as error:
            raise Unkept(f"cannot keep votes in {path}: {error.strerror}") from None

    def get(self, name: str, kind: Any) -> Any:
        """A fact of that kind; one that is not there is None, if it may be. Raises Unkept."""
        with self._undamaged():
            found = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
            return msgspec.json.decode("null" if found is None else found[0], type=kind)

    def set(self, **facts: Any) -> None:
        """Keep facts, all of them or none."""
        pairs = [(name, json.dumps(value)) for name, value in facts.items()]
        self._all_or_none("INSERT OR REPLACE INTO facts VALUES (?, ?)", pairs)

    def roll(self) -> list[tuple[str, str]]:
        """Voters and their addresses. Raises Unkept."""
        return self._rows("SELECT voter, address FROM roll", tuple[str, str])

    def votes(self) -> list[tuple[int, int, str, int]]:
        """Question, round, voter and choice of each vote. Raises Unkept."""
        return self._rows("SELECT question, round, voter, choice FROM votes", tuple[int, int, str, int])

    def met(self, voter: str, address: str) -> None:
        """Somebody takes part."""
        self._db.execute("INSERT OR REPLACE INTO roll VALUES (?, ?)", (voter, address))

    def voted(self, question: int, round_: int, voter: str, choice: int) -> None:
        """A vote, in the place of that voter's earlier one of the round."""
        self._db.execute("INSERT OR REPLACE INTO votes VALUES (?, ?, ?, ?)", (question, round_, voter, choice))

    def left(self, voters: Sequence[str], questions: Sequence[int]) -> None:
        """Some take part no more, and their votes on these questions do not count."""
        votes = [(voter, question) for voter in voters for question in questions]
        self._all_or_none("DELETE FROM votes WHERE voter = ? AND question = ?", votes)
        self._all_or_none("DELETE FROM roll WHERE voter = ?", [(voter,) for voter in voters])

    def close(self) -> None:
        """Let go of the file; another server may have it then."""
        self._db.close()

    def remove(self) -> None:
        """End all of it: no vote is on the disk any more."""
        self.close()
        if self.path is not None:
            for besides in ("", *BESIDES):
                Path(f"{self.path}{besides}").unlink(missing_ok=True)

    def _rows(self, query: str, kind: Any) -> Any:
        with self._undamaged():
            return msgspec.convert(self._db.execute(query).fetchall(), list[kind])

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError):
            raise self.damaged() from None

    def damaged(self) -> Unkept:
        """What is raised when something in the file cannot be."""
        return Unkept(f"{self.path} is damaged; name another file, or delete it")

    def _all_or_none(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        self._db.execute("BEGIN")
        try:
            self._db.executemany(statement, rows)
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def _made_ready(path: Path) -> None:
    """A file that nobody else may read: who voted what is in it, and the teacher's key."""
    if path.exists() and not path.is_file():
        raise Unkept(f"cannot keep votes in {path}: it is no file")
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with suppress(OSError):
        path.chmod(0o600)
