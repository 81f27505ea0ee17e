"""A teacher releases, collects and grades lessons with nbgrader as it is."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograd_lab.lessons.notebooks import Build, build_one
from tests.lessons.running import ROOT, SOURCES, built, code_cells

pytest.importorskip("nbgrader")
LESSONS = ("03_backward",)


def nbgrader(course: Path, *words: str) -> str:
    own = {name: str(course / ".jupyter" / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")}
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # it calls alembic
    environment = {**os.environ, **own, "PYTHONPATH": str(ROOT), "AUTOGRAD_LAB_PROGRESS": str(course / "p.jsonl")}
    command = [sys.executable, "-m", "nbgrader", *words]
    ran = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def grades(course: Path) -> dict[str, dict[str, float]]:
    """What each student got for each lesson."""
    nbgrader(course, "export", "--to", str(course / "grades.csv"))
    with (course / "grades.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    students = {row["student_id"] for row in rows}
    return {
        student: {row["assignment"]: float(row["raw_score"]) for row in rows if row["student_id"] == student}
        for student in students
    }


def test_right_answers_get_all_points_and_stubs_get_none(tmp_path: Path) -> None:
    course = tmp_path / "course"
    for lesson in LESSONS:
        build_one(SOURCES[lesson], Build.NBGRADER, course)
        nbgrader(course, "generate_assignment", lesson)
        released = nbformat.read(course / "release" / lesson / f"{lesson}.ipynb", as_version=4)
        text = "\n".join(cell.source for cell in released.cells)
        assert not re.search("HIDDEN|SOLUTION|NotImplementedError|assert check", text)
        lazy, able = (course / "submitted" / name / lesson for name in ("lazy", "able"))
        shutil.copytree(course / "release" / lesson, lazy)
        able.mkdir(parents=True)
        build_one(SOURCES[lesson], Build.NBGRADER, tmp_path / "solved")
        answered = nbformat.read(tmp_path / "solved" / "source" / lesson / f"{lesson}.ipynb", as_version=4)
        by_id = {cell.id: cell for cell in answered.cells}
        for cell in code_cells(released):
            if "answers" in cell.metadata:
                cell.source = re.sub(r" *### (BEGIN|END) SOLUTION\n?", "", by_id[cell.id].source)
        nbformat.write(released, able / f"{lesson}.ipynb")
        nbgrader(course, "autograde", lesson)
    checks = {name: sum("checks" in cell.metadata for cell in code_cells(built(name))) for name in LESSONS}
    assert grades(course) == {"able": checks, "lazy": dict.fromkeys(LESSONS, 0.0)}
    assert not (course / "p.jsonl").exists(), "a grader leaves no trace in a progress file"
