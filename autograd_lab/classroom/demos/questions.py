"""Questions in the comments of a program, to be asked before the line below them runs.

    # ? What is b.grad after y.backward()?
    #   a) 4   -- follows the path through c alone
    #   b) 9 * -- adds what arrives along both paths
    y.backward()

`# ?` asks. Lines that begin with a letter and `)` are choices, in the order of the alphabet; a star after one says that
it is right, and what follows ` -- ` is what choosing it reveals, for the teacher. Other comment lines go on with the
text above them. The first line that is no comment ends the question. Without choices a question is only asked; without
a star the vote has no right answer. A comment behind code asks nothing.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from autograd_lab.view.languages.texts import worded

LETTERS = "abcdefgh"
"""As many choices as there can be."""


class QuestionError(ValueError):
    """A question that cannot be asked as it is written; the message names the line."""


@dataclass(frozen=True)
class Choice:
    """One answer that can be given. `says` is what whoever gave it is told, by default made of what it reveals."""

    text: str
    right: bool = False
    reveals: str = ""
    says: str = ""

    @property
    def told(self) -> str:
        """What whoever gave it is told, in sentences; nothing if there is nothing to say."""
        return self.says or (worded("Who says so {}.", self.reveals) if self.reveals else "")


@dataclass(frozen=True)
class Question:
    """A question, the lines of the program that it stands in, first and last, and its choices, if it has any.

    `program` is what a class may see of the program: all down to the statement that it asks about.
    """

    lines: tuple[int, int]
    text: str
    choices: tuple[Choice, ...] = ()
    program: str = ""

    @property
    def answer(self) -> int | None:
        """The number of the right choice, counted from 0; None where none is said to be right."""
        return next((number for number, choice in enumerate(self.choices) if choice.right), None)


def questions_in(source: str) -> list[Question]:
    """All questions of a program, in order. Raises QuestionError; a program that is no Python has none."""
    return [question for block in _blocks(source) for question in _questions(block)]


def asked_of_class(source: str) -> list[Question]:
    """All questions of a program, each with as much of the program as phones may show."""
    seen, below = without_answers(source)
    ends = _ends_of_statements(seen)
    lines = seen.splitlines()
    return [
        replace(question, program="\n".join(lines[: next((end for end in ends if end >= line), len(lines))]))
        for question, line in zip(questions_in(source), below, strict=True)
    ]


def _ends_of_statements(source: str) -> list[int]:
    """The last lines of the statements that stand in no other."""
    try:
        return [statement.end_lineno or 0 for statement in ast.parse(source).body]
    except SyntaxError:
        return []


def without_answers(source: str) -> tuple[str, list[int]]:
    """The program as a class may see it, without its docstring and its questions; also the line, in what is left, that
    comes right below each question."""
    questions = questions_in(source)
    gone = {line for question in questions for line in range(question.lines[0], question.lines[1] + 1)}
    gone.update(_docstring(source))
    lines = source.splitlines()
    gone.update(number for number, line in enumerate(lines, 1) if not line.strip() and number - 1 in {0, *gone})
    left = [line for number, line in enumerate(lines, 1) if number not in gone]
    below = [1 + question.lines[1] - sum(line <= question.lines[1] for line in gone) for question in questions]
    return "\n".join([*left, ""]), below


def _docstring(source: str) -> Iterable[int]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ()
    if ast.get_docstring(tree) is None:
        return ()
    return range(1, (tree.body[0].end_lineno or 0) + 1)


def _blocks(source: str) -> Iterator[list[tuple[int, str]]]:
    """Runs of whole-line comments, as (line, text) without the `#`."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    comments = [
        (token.start[0], token.string.lstrip("#").strip())
        for token in tokens
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    ]
    for _, run in groupby(enumerate(comments), lambda pair: pair[1][0] - pair[0]):
        yield [comment for _, comment in run]


def _questions(block: list[tuple[int, str]]) -> Iterator[Question]:
    starts = [at for at, (_, text) in enumerate(block) if text.startswith("?")]
    for start, end in pairwise([*starts, len(block)]):
        yield _question(block[start:end])


def _question(lines: list[tuple[int, str]]) -> Question:
    texts = [lines[0][1].removeprefix("?").strip()]
    for number, text in lines[1:]:
        if mark := re.match(r"([a-z])\)\s*", text):
            if len(texts) > len(LETTERS) or mark[1] != LETTERS[len(texts) - 1]:
                wanted = LETTERS[len(texts) - 1 : len(texts)] or "no more choices"
                raise QuestionError(f"line {number}: choice {mark[1]}) where {wanted}) should come")
            texts.append(text[mark.end() :])
        else:
            texts[-1] = f"{texts[-1]} {text}".strip()
    return _checked(Question((lines[0][0], lines[-1][0]), texts[0], tuple(map(_choice, texts[1:]))))


def _choice(text: str) -> Choice:
    said, _, reveals = re.sub(r"\s+", " ", text).partition(" -- ")
    return Choice(said.removesuffix("*").strip(), said.rstrip().endswith(" *"), reveals.strip())


def _checked(question: Question) -> Question:
    line = question.lines[0]
    if not question.text:
        raise QuestionError(f"line {line}: a question without a text; write it after the question mark: # ? …")
    if len(question.choices) == 1:
        raise QuestionError(f"line {line}: one choice is no choice; write two or more, or none")
    if sum(choice.right for choice in question.choices) > 1:
        raise QuestionError(f"line {line}: more than one choice has a star; one is right, or none is said to be")
    if not all(choice.text for choice in question.choices):
        raise QuestionError(f"line {line}: a choice without a text")
    return question
