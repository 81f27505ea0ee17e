"""What goes along with a release agrees with the package, and with itself."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import autograd_lab

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FORMS = sorted([*(ROOT / ".github").rglob("*.yml"), ROOT / "CITATION.cff", ROOT / "deploy" / "conda" / "recipe.yaml"])


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_each_form_can_be_read_and_names_things_that_are_there(form: Path) -> None:
    text = form.read_text("utf-8")
    assert isinstance(yaml.safe_load(text), dict)
    for module in re.findall(r"python -m (tests\.\w+)", text):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file()
    for folder in re.findall(r"(?<= )tests/\w+", text):
        assert (ROOT / folder).is_dir()
    for group in re.findall(r"--group (\w+)", text):
        assert group in PROJECT["dependency-groups"]


def test_citation_recipe_and_package_are_of_one_version_and_one_place() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    recipe = yaml.safe_load((ROOT / "deploy" / "conda" / "recipe.yaml").read_text("utf-8"))
    assert citation["version"] == recipe["context"]["version"] == autograd_lab.version.autograd_lab
    home = PROJECT["project"]["urls"]["Homepage"]
    assert citation["repository-code"] == recipe["about"]["homepage"] == home
    names = [re.split(r"[ >]", each)[0] for each in recipe["requirements"]["run"]]
    wanted = [re.split(r"[>;]", each)[0] for each in PROJECT["project"]["dependencies"]]
    assert names == ["python", *(f"python-{each}" if each == "graphviz" else each for each in wanted)]
