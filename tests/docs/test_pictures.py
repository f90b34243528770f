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
SCRIPTS = ROOT / "scripts"
STALE = "run `python scripts/make_screenshots.py` again, and look at what has changed"
LARGEST = 150_000
SVG = "{http://www.w3.org/2000/svg}"

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]


def make(script: str, *arguments: object) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPTS / script, *map(str, arguments)],
        **{"cwd": ROOT, "capture_output": True, "encoding": "utf-8", "check": False, "timeout": 500},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("screen", ["watch", "play"])
def test_a_terminal_shows_this_screen(screen: str, tmp_path: Path) -> None:
    make("make_screenshots.py", "--only", screen, "--into", tmp_path)
    assert (tmp_path / f"{screen}.svg").read_text("utf-8") == (PICTURES / f"{screen}.svg").read_text("utf-8"), STALE


@pytest.mark.usefixtures("browser")  # skipped, or failed, where there is none
@pytest.mark.parametrize("page", ["report", "class", "places"])
def test_a_page_says_this_and_looks_like_it(page: str, tmp_path: Path) -> None:
    make("make_screenshots.py", "--only", page, "--into", tmp_path)
    shown, kept = (json.loads((folder / f"{page}.json").read_text("utf-8")) for folder in (tmp_path, PICTURES))
    assert shown["words"] == kept["words"], STALE
    assert shown["style"] == kept["style"], STALE
    for scheme in ("light", "dark"):
        assert (tmp_path / f"{page}-{scheme}.png").stat().st_size > 0


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
