"""The course folder for nbgrader: its settings, and a source notebook for each unit.

There are two settings files, and nbgrader reads both. The JSON file is ours, is read second, and is rewritten when the
course or this package changes. The other one is the instructor's once it exists. So even an error in it, for which
nbgrader ignores the whole file, cannot make learners' code run without the wall.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from grader.course import FILE_NAME, Course
from grader.errors import KataError
from grader.files import write_file
from grader.sandbox.levels import exposed

from .source_notebook import source_notebook

SETTINGS = "nbgrader_config.py"
OUR_SETTINGS = "nbgrader_config.json"

NAMES_IN_DOWNLOADS = r"""(?x)
    (?: (?!/extracted/) . )* /extracted/
    (?: (?! [^/]* _[0-9]+_ (?: assignsubmission | [0-9]+ ) _ ) [^/]* / )*   # folders around those of the platform
    (?P<student_id>
        (?![-.\ ]) (?: (?! _[0-9]+_assignsubmission_ ) [^/\\<>"*?\[\]+\#%] )+
        (?: (?= _[0-9]+_assignsubmission_ ) | _[1-9][0-9]* (?= _[1-9][0-9]*_ ) )
    )
    _[0-9]+_ (?: assignsubmission_[a-z]+_ )?
    (?: .* / )?
    (?P<file_id> [0-9]{2}_[a-z][a-z0-9_]* ) (?: -[0-9]+ | [ ]?\([0-9]+\) )? \.ipynb $
"""

_THEIRS = (
    '''\
"""Settings of nbgrader for this course folder. This file is yours: `kata notebooks` never writes over it.

What the course needs is in nbgrader_config.json beside it: where the course is, and that what was handed in is graded
by the judge behind the wall. nbgrader reads it after this file. Keep both, and this folder, from learners.
"""

import os
import sys

c = get_config()  # noqa: F821

# nbgrader calls alembic by its bare name, which stands beside this Python even where no environment is activated.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])

# Without that file nbgrader would run learners' code in a kernel.
if not os.path.isfile(os.path.splitext(__file__)[0] + ".json"):
    folder = os.path.dirname(os.path.abspath(__file__))
    raise SystemExit(f"nbgrader_config.json is missing in {folder}; `kata notebooks {folder}` writes it.")

# Your own settings, such as due dates, late penalties, the exchange's course_id. A few that you may want:

# "full", or "reduced" on a machine without user namespaces (see `kata doctor`). Weaker is no wall, so no grade.
# c.CourseStep.isolation = "reduced"

# The hidden inputs of a batch come from a fresh seed, which each learner's feedback names. A number here fixes it.
# c.CourseStep.seed = 1

# Whose a notebook is, by its path in a download, for `nbgrader zip_collect`. Only what the platform wrote decides:
# the first folder or file that it named; folders and names behind that are the learner's own.
#   Moodle: Ada Lovelace_1001_assignsubmission_file_/01_unit.ipynb     is of "Ada Lovelace"
#   Canvas: lovelaceada_101_5001_01_unit-1.ipynb                       is of "lovelaceada_101"
c.FileNameCollectorPlugin.named_regexp = r"""'''
    f'{NAMES_IN_DOWNLOADS}"""\n'
)

# Learners get the exercise's own stub, not nbgrader's.
_RELEASING = (
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.InstantiateTests",
    "nbgrader.preprocessors.LockCells",
    "grader.notebooks.clear_to_stub.ClearToStub",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
)
# A learner's notebook is never parsed by nbgrader, nor run in a kernel: its answers are put into the released notebook,
# and the judge grades them behind the wall.
_SANITIZING = (
    "grader.notebooks.rebuild.RebuildFromRelease",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
)
_GRADING = (
    "grader.notebooks.grade_by_judge.GradeByJudge",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "grader.notebooks.saving.SaveGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
)


def _ours(course: Course, wheel: str) -> dict[str, Any]:
    return {
        "CourseStep": {"course": str(course.root / FILE_NAME)},
        "GenerateAssignment": {"preprocessors": _RELEASING},
        "Autograde": {
            "exporter_class": "grader.notebooks.exporter.UntrustingExporter",
            "sanitize_preprocessors": _SANITIZING,
            "autograde_preprocessors": _GRADING,
        },
        # of the feedback and of formgrader: no learner's code takes long to be coloured
        "HTMLExporter": {"filters": {"highlight_code": "grader.notebooks.shown_code.ShownCode"}},
        # unpacks a learning platform's download safely; notebooks that are not a unit's are named and skipped
        "ZipCollectApp": {"extractor_plugin": "grader.notebooks.extractor.SafeExtractor", "strict": True},
        _WHEEL[0]: {_WHEEL[1]: wheel},
    }


_WHEEL = ("KataNotebooks", "wheel")
"""The setting for the wheel that notebooks tell learners to install."""


def write_folder(course: Course, folder: Path, *, overwrite: bool = False, wheel: str | None = None) -> Iterator[Path]:
    """Write the settings and notebooks, and yield each path.

    If a file exists with other content, nothing is written unless `overwrite`. The instructor's own settings are never
    overwritten.
    wheel: the file or URL that learners install the checks from; None keeps the last one.
    Raises KataError for a file that differs, and for a folder that learners' code could read; CourseError
    when the course cannot be used.
    """
    if reason := exposed(folder):
        raise KataError(f"{folder} is no place for a course folder: learners' code can read {reason}.")
    wheel = _wheel_of_last_time(folder) if wheel is None else wheel
    if wheel:
        _demand_installable(wheel)
    files = {folder / name: text for name, text in _files(course, wheel).items()}
    changed = [path for path, text in files.items() if path.exists() and path.read_bytes() != text.encode("utf-8")]
    if changed and not overwrite:
        listed = ", ".join(str(path.relative_to(folder)) for path in changed)
        raise KataError(f"Already there and different: {listed}. With --force they are written anew.")
    if not (folder / SETTINGS).exists():
        files = {folder / SETTINGS: _THEIRS, **files}
    for path, text in files.items():
        write_file(path, text.encode("utf-8"), below=folder)
        yield path


def _files(course: Course, wheel: str) -> Mapping[str, str]:
    notebooks = {
        f"source/{unit.folder}/{unit.folder}.ipynb": source_notebook(course, unit, wheel) for unit in course.units
    }
    return {OUR_SETTINGS: json.dumps(_ours(course, wheel), indent=2) + "\n", **notebooks}


def _wheel_of_last_time(folder: Path) -> str:
    try:
        section, name = _WHEEL
        wheel = json.loads((folder / OUR_SETTINGS).read_bytes())[section][name]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return wheel if isinstance(wheel, str) else ""


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
