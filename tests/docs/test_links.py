"""Links in every document lead somewhere: files that are there, headings that are there, pictures with words."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "exercises/*/README.md", ".github/**/*.md", "benchmarks/**/*.md")
    for path in ROOT.glob(pattern)
)
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
IMAGE = re.compile(r"!\[([^\]]*)\]|<img\b[^>]*?\balt=\"([^\"]*)\"[^>]*>|<img\b[^>]*>", re.DOTALL)
HEADING = re.compile(r"^#+ +(.*?)\s*$", re.MULTILINE)
ELSEWHERE = re.compile(r"^(?:https?|mailto):")
WORDS_AT_LEAST = 5


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def links_in(path: Path) -> list[str]:
    text = CODE.sub("", path.read_text(encoding="utf-8"))
    return [unquote(one or other) for one, other in LINK.findall(text)]


def anchors_of(path: Path) -> set[str]:
    """The names under which GitHub knows the headings."""
    text = re.sub(r"^ *```.*?^ *```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)]
    return {f"{name}-{number}" if number else name for name in plain for number in range(plain.count(name))}


def test_there_are_documents() -> None:
    assert {"README.md", "docs/teach.md", "docs/author.md"} <= set(map(name_of, DOCUMENTS))


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    broken = []
    for link in links_in(path):
        address, _, anchor = link.partition("#")
        target = path.parent / address if address else path
        if ELSEWHERE.match(link):
            continue
        is_there = target.exists() and target.resolve().is_relative_to(ROOT)
        if not is_there or (anchor and target.suffix == ".md" and anchor not in anchors_of(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_picture_says_what_is_seen(path: Path) -> None:
    for found in IMAGE.finditer(CODE.sub("", path.read_text(encoding="utf-8"))):
        words = (found[1] or found[2] or "").split()
        assert len(words) >= WORDS_AT_LEAST, found[0]


def test_every_guide_stands_in_the_index() -> None:
    listed = {link.partition("#")[0] for link in links_in(ROOT / "README.md")}
    assert sorted(name for path in (ROOT / "docs").glob("*.md") if (name := name_of(path)) not in listed) == []
