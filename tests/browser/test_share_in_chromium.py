"""What one takes away from a page, in a real Chromium: a link, a picture to paste, a picture as a file."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops

from tests.browser.axe import complaints, needs_axe
from tests.browser.conftest import Opener
from tests.browser.test_page_in_chromium import PANE, example

SVG = "{http://www.w3.org/2000/svg}"
COPIED = """async () => {
  const [item] = await navigator.clipboard.read();
  const bytes = new Uint8Array(await (await item.getType("image/png")).arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
}"""
"""The picture in the clipboard, as base64."""
NO_CLIPBOARD = "Object.defineProperty(Navigator.prototype, 'clipboard', {get: () => undefined})"


def share(page: Any, item: str) -> None:
    page.get_by_role("button", name="Share").click()
    page.get_by_role("menuitem", name=item).click()


def picture_in(page: Any, bytes_: bytes) -> tuple[Image.Image, Image.Image]:
    """A PNG, and what the screen shows of the graph, at the same size."""
    shot = page.locator("svg.graph").screenshot(scale="css")
    own = Image.open(BytesIO(bytes_)).convert("RGB")
    return own, Image.open(BytesIO(shot)).convert("RGB").resize(own.size)


def unlike(one: Image.Image, other: Image.Image) -> float:
    """How many of 100 pixels are of another colour: edges alone, if the pictures are the same."""
    difference = ImageChops.difference(*(each.resize((200, 150)) for each in (one, other)))
    red, green, blue = (band.point(lambda by: 255 * (by > 60)) for band in difference.split())
    far = ImageChops.lighter(ImageChops.lighter(red, green), blue).histogram()[255]
    return 100 * far / (200 * 150)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_that_is_copied_is_what_is_seen_at_twice_the_size(open_page: Opener, scheme: str) -> None:
    options = {"color_scheme": scheme, "reduced_motion": "reduce"}
    page = open_page(example("expression"), "step=17", permissions=["clipboard-read", "clipboard-write"], **options)
    share(page, "Copy picture")
    page.get_by_text("Picture copied").wait_for()
    copied, seen = picture_in(page, base64.b64decode(page.evaluate(COPIED)))
    width, height = page.evaluate(PANE)
    assert copied.size == (pytest.approx(2 * width, abs=1), pytest.approx(2 * height, abs=1))
    assert unlike(copied, seen) < 2
    page.keyboard.press("Home")
    assert unlike(copied, picture_in(page, base64.b64decode(page.evaluate(COPIED)))[1]) > 4, "it can be told apart"


def test_where_the_clipboard_refuses_the_picture_is_downloaded(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=17", accept_downloads=True)
    page.evaluate(NO_CLIPBOARD)
    with page.expect_download() as download:
        share(page, "Copy picture")
    assert download.value.suggested_filename == "expression.py step 17.png"
    assert Image.open(download.value.path()).format == "PNG"
    page.get_by_text("the picture is in your downloads").wait_for()


def test_the_file_is_an_svg_that_needs_nothing_else(open_page: Opener, chromium: Any, tmp_path: Path) -> None:
    page = open_page(example("expression"), "step=17", accept_downloads=True, reduced_motion="reduce")
    with page.expect_download() as download:
        share(page, "Download picture")
    file = tmp_path / "picture.svg"
    download.value.save_as(file)
    root = ElementTree.parse(file).getroot()
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"a", "b", "20.0"} <= set(texts)
    style = "".join(each.text or "" for each in root.iter(f"{SVG}style"))
    assert "Autograd Sans" in style and "http" not in style.replace("http://www.w3.org", "")
    context = chromium.new_context(viewport={"width": int(root.attrib["width"]), "height": int(root.attrib["height"])})
    alone = context.new_page()
    alone.goto(file.as_uri())
    drawn, seen = picture_in(page, alone.screenshot())
    assert unlike(drawn, seen) < 2
    context.close()


def test_a_link_leads_to_the_step_the_selection_and_the_view_that_are_seen(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=14&select=o2", permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("m")
    share(page, "Copy link")
    page.get_by_text("Link copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url.split("#")[0] + "#step=14&select=o2&view=maths"


def test_where_the_clipboard_refuses_the_link_is_shown(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=14")
    page.evaluate(NO_CLIPBOARD)
    share(page, "Copy link")
    page.get_by_text("#step=14&view=engine").wait_for()


def test_the_menu_obeys_the_keyboard_and_gives_the_focus_back(open_page: Opener) -> None:
    page = open_page(example("expression"), "step=14&select=o2")
    opener, menu = page.get_by_role("button", name="Share"), page.get_by_role("menu", name="Share")
    opener.focus()
    page.keyboard.press("Enter")
    names = ["Copy link", "Copy picture", "Download picture (SVG)"]
    assert menu.get_by_role("menuitem").all_inner_texts() == names
    focused = "() => document.querySelector('.autograd-lab').shadowRoot.activeElement.textContent"
    for key, name in [("", 0), ("ArrowDown", 1), ("End", 2), ("ArrowDown", 0), ("ArrowUp", 2), ("Home", 0)]:
        if key:
            page.keyboard.press(key)
        assert page.evaluate(focused) == names[name], key
    assert opener.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    assert not menu.is_visible() and opener.get_attribute("aria-expanded") == "false"
    assert page.get_by_role("region", name="Inspector").is_visible(), "Esc is the menu's"
    assert page.evaluate("document.querySelector('.autograd-lab').shadowRoot.activeElement.ariaLabel") == "Share"
    opener.click()
    page.locator(".caption").click()
    assert not menu.is_visible()


@pytest.mark.parametrize("width", [1366, 1024, 904, 390, 360])
def test_a_link_is_two_actions_away_on_any_screen(open_page: Opener, width: int) -> None:
    options = {"viewport": {"width": width, "height": 844}, "permissions": ["clipboard-read", "clipboard-write"]}
    page = open_page(example("expression"), **options)
    page.get_by_role("button", name="Share" if width > 1000 else "More").click()
    box = page.get_by_role("menu", name="Share").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and 0 <= box["y"] <= 844 - box["height"]
    page.get_by_role("menuitem", name="Copy link").click()
    page.get_by_text("Link copied").wait_for()


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of_in_the_menu(open_page: Opener, scheme: str) -> None:
    page = open_page(example("expression"), color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    page.get_by_role("button", name="Share").click()
    assert complaints(page) == []
