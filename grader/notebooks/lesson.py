"""A unit's lesson, cut into its sections, with its pictures inside the text."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, CourseError, Unit

_SECTION = re.compile(r"## +([0-9]{1,2})\b")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_LINK_INTO_THE_COURSE = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)[^)\s]+\)")
_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True)
class Lesson:
    """What stands before the first section, and each section by its exercise's number."""

    opening: str
    sections: dict[int, str]


def read_lesson(course: Course, unit: Unit) -> Lesson:
    """The lesson of a unit. Raises CourseError when it or a picture of it cannot be read."""
    path = course.lesson_path(unit)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(f"the lesson {path} cannot be read ({error.strerror})") from None
    opening, *sections = _parts(text)
    numbered: dict[int, str] = {}
    for section in sections:
        found = _SECTION.match(section)
        assert found is not None
        numbered[int(found[1])] = _with_pictures(section, path.parent)
    return Lesson(_with_pictures(opening, path.parent), numbered)


def _parts(text: str) -> Iterator[str]:
    """The text before the first numbered heading, then each section with its heading."""
    part: list[str] = []
    fence = ""
    for line in text.splitlines():
        if found := _FENCE.match(line):
            mark = found[1]
            if not fence:
                fence = mark
            elif mark.startswith(fence):
                fence = ""
        elif not fence and _SECTION.match(line):
            yield "\n".join(part).strip("\n")
            part = []
        part.append(line)
    yield "\n".join(part).strip("\n")


def _with_pictures(text: str, folder: Path) -> str:
    """The text with its pictures as data at its end: JupyterLab shows no attached SVG, and a link would break."""
    names: dict[str, str] = {}

    def take(found: re.Match[str]) -> str:
        if (kind := _TYPES.get(Path(found[2]).suffix)) is None or "://" in found[2]:
            return found[0]
        try:
            content = (folder / found[2]).read_bytes()
        except OSError as error:
            raise CourseError(f"the picture {folder / found[2]} cannot be read ({error.strerror})") from None
        name = Path(found[2]).stem
        names[name] = f"[{name}]: data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
        return f"![{found[1]}][{name}]"

    text = _LINK_INTO_THE_COURSE.sub(r"\1", _PICTURE.sub(take, text))  # a notebook lies elsewhere
    return "\n\n".join([text, *names.values()]) if names else text
