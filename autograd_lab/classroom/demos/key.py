"""What a teacher has beside a demo, as Markdown: the note, the questions, their answers, what each choice reveals."""

from __future__ import annotations

from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.classroom.demos.questions import LETTERS, Question
from autograd_lab.view.languages.texts import worded


def key(demo: Demo) -> str:
    """The answer key, with the step before which each question is asked."""
    asked = [_asked(question, step) for question, step in zip(demo.questions, demo.steps, strict=True)]
    note = [demo.note, ""] if demo.note else []
    return "\n".join([f"# {demo.title}", "", *note, *asked])


def answer_line(question: Question) -> str:
    """The right answer in one line."""
    if question.answer is None:
        return worded("no answer is marked as right")
    return f"{LETTERS[question.answer]}) {question.choices[question.answer].text}"


def _asked(question: Question, step: int) -> str:
    lines = [f"## {question.text}", "", worded("Asked after step {}. Answer: {}.", step, answer_line(question)), ""]
    for letter, choice in zip(LETTERS, question.choices, strict=False):
        mark = f"**{worded('right')}** " if choice.right else ""
        lines.append(f"- {letter}) {choice.text}: {mark}{choice.reveals}".rstrip(" :"))
    return "\n".join([*lines, ""])
