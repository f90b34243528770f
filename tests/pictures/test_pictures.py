"""The lessons' pictures: each is what its script draws, is shown in a lesson, and can be read by everyone and embedded safely."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

Done = subprocess.CompletedProcess[str]

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = ROOT / "exercises"
LESSONS = sorted(EXERCISES.glob("*/README.md"))
PICTURES = sorted(EXERCISES.glob("*/*.svg"))
SCRIPTS = sorted(path for path in (ROOT / "scripts" / "pictures").glob("*.py") if path.name != "drawing.py")

pytestmark = pytest.mark.timeout(300)  # the first test runs all scripts, and each of them loads torch

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"svg", "title", "desc", "rect", "text", "line", "polygon", "path", "circle"}
WIDEST, LARGEST = 760, 20_000
WORDS_AT_LEAST = 5

IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]*)\)")


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@pytest.mark.thorough
def test_the_scripts_draw_the_pictures_beside_the_lessons_again_and_no_others(
    tmp_path: Path, run_command: Callable[..., Done]
) -> None:
    for script in SCRIPTS:
        done = run_command(sys.executable, script, "--into", tmp_path, cwd=ROOT, env={"PYTHONDONTWRITEBYTECODE": "1"})
        assert done.returncode == 0, done.stderr
    drawn = {name_of(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert PICTURES and set(drawn) == set(map(name_of, PICTURES))
    assert [name_of(path) for path in PICTURES if drawn[name_of(path)] != path.read_bytes()] == [], "run them again"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.parent.name)
def test_a_lesson_shows_each_picture_beside_it_once_and_says_what_is_seen(lesson: Path) -> None:
    shown = IMAGE.findall(lesson.read_text(encoding="utf-8"))
    assert sorted(address for _, address in shown) == sorted(path.name for path in lesson.parent.glob("*.svg"))
    for text, address in shown:
        assert len(text.split()) >= WORDS_AT_LEAST, address


@pytest.mark.parametrize("picture", PICTURES, ids=name_of)
def test_a_picture_has_words_for_those_who_cannot_see_it_is_plain_and_small(picture: Path) -> None:
    root = ElementTree.parse(picture).getroot()
    title, description, panel, *_ = root
    assert [each.tag.removeprefix(SVG) for each in (root, title, description, panel)] == [
        "svg",
        "title",
        "desc",
        "rect",
    ]
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert WORDS_AT_LEAST <= len((title.text or "").split()) < len((description.text or "").split())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= SHAPES
    for element in root.iter():
        for attribute, value in element.attrib.items():
            assert not re.match(r"on|style$|(\{.*\})?href$", attribute), attribute
            assert "url(" not in value and "//" not in value, value
    width, height = float(root.get("width", "nan")), float(root.get("height", "nan"))
    assert width <= WIDEST
    assert picture.stat().st_size <= LARGEST
    assert panel.get("fill") == "#ffffff", "a light panel"
    assert (float(panel.get("width", 0)), float(panel.get("height", 0))) == (width - 1, height - 1)
    assert root.get("font-family") == "sans-serif"
    assert any(element.text for element in root.iter(f"{SVG}text")), "real text"
    assert {element.get("font-family") for element in root.iter(f"{SVG}text")} <= {None, "monospace"}
