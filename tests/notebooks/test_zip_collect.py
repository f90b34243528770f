"""The real `nbgrader zip_collect` on downloads as Moodle and Canvas pack them, honest and hostile; see downloads.yml."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.files import zip_of
from grader.notebooks import course_folder
from tests.cases import table

from .conftest import RIGHT, UNIT, Edit, Folder

pytestmark = pytest.mark.timeout(600)

HERE = Path(__file__).parent
TABLE = table(__file__, "downloads.yml")
SETTINGS = table(course_folder.__file__, "course_folder.yml")["theirs"]
NAMED = re.compile(re.findall(r'named_regexp = r"""(.*)"""', SETTINGS, re.DOTALL)[0])
BAD, LATER = "02_bad", "10_later"
AS_RIGHT = "\u00c5se Ñandú"


@pytest.mark.parametrize("path", TABLE["names"])
def test_only_what_the_platform_wrote_says_whose_it_is(path: str) -> None:
    found = NAMED.match(f"/home/extracted/course/downloaded/{UNIT}/extracted/{path}")
    assert (found and [found["student_id"], found["file_id"]]) == TABLE["names"][path]


# --- zips ----------------------------------------------------------------------------------------------------------


def book(note: str) -> str:
    """A notebook that can be told from the others."""
    cell = {"cell_type": "markdown", "id": "note", "metadata": {}, "source": note}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def made(name: str, content: Any, odd: Mapping[str, str | bytes]) -> str | bytes:
    """What is in a file of this name, as downloads.yml says it."""
    if isinstance(content, str):
        return book(content) if name.endswith(".ipynb") else content
    if "odd" in content:
        return odd[content["odd"]]
    return packed({inner: made(inner, each, odd) for inner, each in content.items()})


def packed(members: Mapping[str, str | bytes]) -> bytes:
    return zip_of((name, text if isinstance(text, bytes) else text.encode()) for name, text in members.items())


def with_link(name: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        link = zipfile.ZipInfo(name)
        link.external_attr = 0o120777 << 16
        file.writestr(link, "/etc/passwd")
    return content.getvalue()


def overlapping(name: str) -> bytes:
    """Two members that share their packed bytes, of a third."""
    content = packed({"third": "0" * 1000, name: "0" * 1000, name.replace(".", " (1)."): "0" * 1000})
    third, *others = (found.start() for found in re.finditer(b"PK\x01\x02", content))
    shared = bytearray(content)
    for each in others:
        shared[each + 42 : each + 46] = shared[third + 42 : third + 46]
    return bytes(shared)


def damaged(name: str) -> bytes:
    """A zip whose only member's content is not what its checksum says."""
    content = bytearray(packed({name: book("damaged")}))
    content[40 + len(name)] ^= 0xFF
    return bytes(content)


ODD = {
    "bomb": b"0" * 40_000_000,
    "crowd": packed({f"{count}.py": "1" for count in range(900)}),
    "damaged": damaged(f"{BAD}.ipynb"),
    "large": "\n".join(map(str, range(1_500_000))),
    "link": with_link(f"{BAD}.ipynb"),
    "link for the class": with_link(f"Good One_1_assignsubmission_file_/{BAD}.ipynb"),
    "overlapping": overlapping(f"{BAD}.ipynb"),
    "overlapping for the class": overlapping(f"Good Two_20_assignsubmission_file_/{BAD}.ipynb"),
}


# --- what is collected ---------------------------------------------------------------------------------------------


def collect(folder: Folder, unit: str, *options: str, status: int = 0) -> str:
    return folder.nbgrader("zip_collect", unit, *options, status=status).stderr


def outcome(folder: Folder, unit: str, log: str) -> str:
    """Each learner's notebook, beside which there is nothing, by what it says; and what the log says of the rest."""
    assert "Traceback" not in log
    places = sorted((folder.root / "submitted").glob(f"*/{unit}"))
    assert {path.name for place in places for path in place.iterdir()} <= {f"{unit}.ipynb"}
    said = {place.parent.name: note_of(place / f"{unit}.ipynb") for place in places}
    left_out = sorted(line for line in log.splitlines() if "INFO" not in line and "Directory not found" not in line)
    lines = [*(f"{name}: {text}" for name, text in said.items()), "", *left_out, ""]
    return "\n".join(lines).replace(f"{folder.root}/", "")


def note_of(path: Path) -> str:
    return "".join(json.loads(path.read_text("utf-8"))["cells"][0]["source"]).partition("\n")[0]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, released_at: Callable[..., Folder]) -> Folder:
    units = (f"{UNIT}/01_share", f"{BAD}/01_last", f"{LATER}/01_late")
    folder: Folder = released_at(tmp_path_factory.mktemp("collect"), exercises=units)
    right = json.dumps(Edit.filled(folder.released(UNIT), {"share": RIGHT.format(id="share")}))
    for unit, kind in ((UNIT, "class"), (BAD, "hostile")):
        archive = folder.root / "downloaded" / unit / "archive"
        archive.mkdir(parents=True)
        for name, content in TABLE[kind].items():
            file = made(name, content, {**ODD, "right": right})
            (archive / name).write_bytes(file if isinstance(file, bytes) else file.encode())
    source = folder.root / "source" / UNIT / f"{UNIT}.ipynb"
    (folder.root / f"downloaded/{UNIT}/archive/Linked_1031_assignsubmission_file_{UNIT}.ipynb").symlink_to(source)
    return folder


@pytest.mark.thorough
def test_notebooks_of_both_platforms_are_collected_and_what_is_not_is_named(
    course: Folder, golden: Callable[[Path, str], None]
) -> None:
    golden(HERE / "golden" / "collected.txt", outcome(course, UNIT, collect(course, UNIT)))
    course.autograde(student=AS_RIGHT)
    assert course.scores(AS_RIGHT, UNIT)["test-share"] == 4


@pytest.mark.thorough
def test_link_in_the_place_of_a_submission_is_not_written_through(course: Folder) -> None:
    collect(course, UNIT, "--force")
    source = course.root / "source" / UNIT / f"{UNIT}.ipynb"
    before = source.read_bytes()
    place = course.handed_in("foxzoe_103", UNIT)
    place.unlink()
    place.symlink_to(source)
    assert "use the --force option" in collect(course, UNIT, status=1)
    collect(course, UNIT, "--force")
    assert source.read_bytes() == before and not place.is_symlink()
    assert place.read_text("utf-8") == book("fox")


@pytest.mark.thorough
def test_nothing_is_written_outside(course: Folder, golden: Callable[[Path, str], None]) -> None:
    golden(HERE / "golden" / "survived.txt", outcome(course, BAD, collect(course, BAD)))
    outside = "Way Out_2_assignsubmission_file_"
    assert not list(course.root.parent.glob("**/*Way Out*")) and not Path(f"/tmp/{outside}").exists()
    files = [path for path in (course.root / "downloaded" / BAD / "extracted").rglob("*") if path.is_file()]
    assert files and not any(path.is_symlink() for path in files)
    assert sum(path.stat().st_size for path in files) < 1_000_000
