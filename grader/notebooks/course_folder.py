"""The course folder for nbgrader: its settings, and a source notebook for each assignment.

There are two settings files, and nbgrader reads both. The JSON file is ours, is read second, and is rewritten each
time. The other one is the instructor's once it exists. So even an error in it, for which nbgrader ignores the whole
file, cannot make learners' code run without the wall. A notebook that somebody has edited is the instructor's too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from grader.course import FILE_NAME, Course, Unit
from grader.course.installed import refuse_exposed
from grader.errors import KataError
from grader.files import write_file
from grader.render.wording import counted

from .source_notebook import Assignment, edited_cells, source_notebook

SETTINGS = "nbgrader_config.py"
OUR_SETTINGS = "nbgrader_config.json"

NAMES_IN_DOWNLOADS = r"""(?x)
    (?: (?!/extracted/) . )* /extracted/
    (?: (?! [^/]* _[0-9]+_ (?: assignsubmission | [0-9]+ ) _ ) [^/]* / )*   # folders around those of the platform
    (?P<student_id>
        (?![-.\ ]) (?: (?! _[0-9]+_assignsubmission_ ) [^/\\<>"*?\[\]+\#%] )+
        (?: (?= _[0-9]+_assignsubmission_ ) | _[1-9][0-9]* (?= _[1-9][0-9]{2,}_ ) )
    )
    _[0-9]+ (?: _assignsubmission_[a-z]+ (?: _?/ (?: .* / )? | _ ) | _ (?: .* / )? )
    (?P<file_id> (?: [0-9]{2}_ )? [a-z][a-z0-9_]* ) (?: -[0-9]+ | [ ]?\([0-9]+\) )? \.ipynb $
"""

_THEIRS = (
    '''\
"""Settings of nbgrader for this course folder. This file is yours: `kata notebooks` never writes over it.

What the course needs is in nbgrader_config.json beside it: where the course is, and that what was handed in is graded
by the judge behind the wall. nbgrader reads it after this file. Keep both, and this folder, from learners.
"""

import os

from grader.notebooks import prepare

c = get_config()  # noqa: F821
prepare()

# Without that file nbgrader would run learners' code in a kernel.
if not os.path.isfile(os.path.splitext(__file__)[0] + ".json"):
    folder = os.path.dirname(os.path.abspath(__file__))
    raise SystemExit(f"nbgrader_config.json is missing in {folder}; `kata notebooks {folder}` writes it.")

# Your own settings, such as the exchange's course_id; due dates stand in course.yml. A few that you may want:

# "full", or "reduced" on a machine without user namespaces (see `kata doctor`). Weaker is no wall, so no grade.
# c.KataAutograde.isolation = "reduced"

# The hidden inputs of a batch come from a fresh seed, which each learner's feedback names. A number here fixes it.
# c.KataAutograde.seed = 1

# Whose a notebook is, by its path in a download, for `nbgrader zip_collect`. Only what the platform wrote decides:
# the first folder or file that it named; folders and names behind that are the learner's own.
#   Moodle: Ada Lovelace_1001_assignsubmission_file/01_unit.ipynb      is of "Ada Lovelace"
#   Canvas: lovelaceada_101_5001_01_unit-1.ipynb                       is of "lovelaceada_101"
c.FileNameCollectorPlugin.named_regexp = r"""'''
    f'{NAMES_IN_DOWNLOADS}"""\n'
)


def _ours(course: Course, wheel: str) -> dict[str, Any]:
    """Our settings. wheel: what notebooks tell learners to install; it is kept here."""
    return {
        "KataAutograde": {"course": str(course.root / FILE_NAME)},
        "GenerateAssignment": {
            # learners get the exercise's own stub, not nbgrader's
            "preprocessors": [
                "nbgrader.preprocessors.IncludeHeaderFooter",
                "nbgrader.preprocessors.InstantiateTests",
                "nbgrader.preprocessors.LockCells",
                "grader.notebooks.released.ClearToStub",
                "nbgrader.preprocessors.ClearOutput",
                "nbgrader.preprocessors.CheckCellMetadata",
                "nbgrader.preprocessors.ComputeChecksums",
                "nbgrader.preprocessors.SaveCells",
                "nbgrader.preprocessors.ClearHiddenTests",
                "nbgrader.preprocessors.ClearMarkScheme",
                "nbgrader.preprocessors.ComputeChecksums",
                "nbgrader.preprocessors.CheckCellMetadata",
            ]
        },
        # nbgrader gets notebooks that are graded already (see autograde.py): it runs nothing and only writes down
        "Autograde": {
            "exporter_class": "grader.notebooks.autograde.HandsOver",
            "sanitize_preprocessors": [
                "nbgrader.preprocessors.OverwriteCells",
                "nbgrader.preprocessors.CheckCellMetadata",
            ],
            "autograde_preprocessors": [
                "nbgrader.preprocessors.LimitOutput",
                "grader.notebooks.autograde.SaveGrades",
                "grader.notebooks.autograde.AssignCoursePenalties",
                "nbgrader.preprocessors.CheckCellMetadata",
            ],
        },
        "GenerateFeedback": {"exporter_class": "grader.notebooks.feedback_page.FeedbackPage", "preprocessors": []},
        # of formgrader: no learner's code takes long to be coloured
        "HTMLExporter": {"filters": {"highlight_code": "grader.notebooks.feedback_page.ShownCode"}},
        # unpacks a learning platform's download safely; notebooks that are not a unit's are named and skipped
        "ZipCollectApp": {"extractor_plugin": "grader.notebooks.extractor.SafeExtractor", "strict": True},
        "KataNotebooks": {"wheel": wheel},
    }


def assignments_of(course: Course, units: Sequence[Unit], only: Sequence[str], name: str) -> list[Assignment]:
    """The assignments to make a notebook of: one for each unit, or all that was chosen together as one.

    units: all if none is chosen. only: the ids of the exercises, if not all of the units. name: of the one
    notebook; "" for the unit's. Raises KataError for exercises that need a name, and for a name that cannot be used.
    """
    if only and not name:
        raise KataError("Say what the assignment with these exercises is called, such as --name week1.")
    if not name:
        return [Assignment(unit.folder, unit.title, unit.exercises) for unit in units or course.units]
    if not re.fullmatch(r"([0-9]{2}_)?[a-z][a-z0-9_]{0,57}", name):
        raise KataError(f"{name!r} cannot be an assignment's name: small letters, digits and `_`, such as week1.")
    chosen = set(only) or {each.id for unit in units or course.units for each in unit.exercises}
    titles = [unit.title for unit in course.units if any(each.id in chosen for each in unit.exercises)]
    exercises = tuple(each for each in course.exercises if each.id in chosen)
    return [Assignment(name, ", ".join(dict.fromkeys(titles)), exercises)]


def write_folder(
    course: Course, folder: Path, assignments: Sequence[Assignment], *, wheel: str | None = None
) -> Iterator[str]:
    """Write the settings and the assignments' notebooks, and yield a line on each.

    The instructor's own settings, and source notebooks that somebody has edited, are never overwritten.
    wheel: the file or URL that learners install the checks from; None keeps the last one.
    Raises KataError for a course or folder that learners' code could read; CourseError when the course cannot be used.
    """
    refuse_exposed("full", course.root, folder)
    if wheel is None:
        try:
            wheel = str(json.loads((folder / OUR_SETTINGS).read_bytes())["KataNotebooks"]["wheel"])
        except (OSError, ValueError, LookupError, TypeError):
            wheel = ""
    if wheel:
        _demand_installable(wheel)
    files = {} if (folder / SETTINGS).exists() else {SETTINGS: _THEIRS}
    files[OUR_SETTINGS] = json.dumps(_ours(course, wheel), indent=2) + "\n"
    for each in assignments:
        files[f"source/{each.name}/{each.name}.ipynb"] = source_notebook(course, each, wheel)
    for name, text in files.items():
        path, content = folder / name, text.encode("utf-8")
        old = path.read_bytes() if path.suffix == ".ipynb" and path.exists() else content
        edited = [] if old == content else edited_cells(old)
        if edited == []:
            write_file(path, content, below=folder)
            yield str(path)
        else:
            what = (
                f"was edited in {counted(len(edited), 'cell')} ({', '.join(edited)})" if edited else "is not from here"
            )
            yield f"{path}: {what} and stays as it is. To have it anew, move it away and run this again."


def _demand_installable(wheel: str) -> None:
    """Raise KataError unless this is one file for pip: a bare name would be looked up in an index."""
    address = urlsplit(wheel)
    is_address = address.scheme in ("https", "file") and bool(address.path.strip("/"))
    is_file = not address.scheme and Path(wheel).is_absolute()
    if not (is_address or is_file) or not address.path.endswith(".whl"):
        raise KataError(
            f"{wheel!r} is no wheel to install from. Give the whole path of a .whl file that learners can read, or its "
            "address, such as https://example.org/attention_kata-1.0-py3-none-any.whl."
        )
    if not wheel.isprintable() or set(wheel) & set(" '\"\\{}$`"):
        raise KataError(
            f"{wheel!r} holds a blank, a quote or another character, which a notebook's %pip does not take."
        )
