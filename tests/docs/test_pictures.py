"""The documents' pictures are what the commands show today: made again by their scripts, they say the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
STALE = "run `python scripts/make_screenshots.py` again, and look at what has changed"
LARGEST = 150_000
SVG = "{http://www.w3.org/2000/svg}"

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]


DRAWN, PAGES = ("watch", "play"), ("report", "class", "places")


def made(folder: Path, pictures: tuple[str, ...]) -> Path:
    command = [sys.executable, ROOT / "scripts" / "make_screenshots.py", "--into", folder, "--only", *pictures]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("drawn"), DRAWN)


@pytest.fixture(scope="module")
def photographed(tmp_path_factory: pytest.TempPathFactory, browser: object) -> Path:
    """Skipped, or failed, where there is no browser."""
    return made(tmp_path_factory.mktemp("photographed"), PAGES)


@pytest.mark.parametrize("screen", DRAWN)
def test_a_terminal_shows_this_screen(screen: str, drawn: Path) -> None:
    assert (drawn / f"{screen}.svg").read_text("utf-8") == (PICTURES / f"{screen}.svg").read_text("utf-8"), STALE


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_this_and_looks_like_it(page: str, photographed: Path) -> None:
    shown, kept = (json.loads((folder / f"{page}.json").read_text("utf-8")) for folder in (photographed, PICTURES))
    assert shown["words"] == kept["words"], STALE
    assert shown["style"] == kept["style"], STALE
    for scheme in ("light", "dark"):
        assert (photographed / f"{page}-{scheme}.png").stat().st_size > 0


@pytest.mark.parametrize("name", ["watch", "play"])
def test_a_drawn_picture_is_plain_and_has_words_for_those_who_cannot_see_it(name: str) -> None:
    root = ElementTree.parse(PICTURES / f"{name}.svg").getroot()
    assert root.get("role") == "img"
    assert [root[0].tag, root[1].tag] == [f"{SVG}title", f"{SVG}desc"]
    assert all((each.text or "").strip() for each in root[:2])
    for element in root.iter():
        for attribute, value in element.attrib.items():
            assert not re.match(r"on|(\{.*\})?href$", attribute) and "url(" not in value, (attribute, value)


def test_every_picture_is_small_and_shown() -> None:
    shown = "".join(path.read_text("utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
    for path in sorted(PICTURES.iterdir()):
        assert path.stat().st_size <= LARGEST, path.name
        assert path.suffix == ".json" or f"pictures/{path.name}" in shown, path.name
