"""Small pockets: the name of what was saved stands at one, without its version."""

from __future__ import annotations

import pytest

from autograd_lab.view.pages.at_origin import VERSION


@pytest.mark.parametrize(
    ("title", "name"),
    [("h v0", "h"), ("h v0, is v1", "h"), ("v0", ""), ("v0, is v1", ""), ("v1 v0", "v1"), ("self = x v12", "self = x")],
)
def test_what_has_no_name_has_no_version_in_its_place(title: str, name: str) -> None:
    assert VERSION.split(title)[0] == name
