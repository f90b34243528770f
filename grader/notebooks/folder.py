"""The course folder for nbgrader: its settings and a source notebook a unit.

The settings are two files. Ours is written anew whenever the course or this package changes. The other one is the
instructor's from the moment it is there, and is never written over.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from grader.course import FILE_NAME, Course
from grader.sandbox.levels import exposed
from grader.writing import write_file

from .source import source_notebook

SETTINGS = "nbgrader_config.py"
OUR_SETTINGS = "kata_settings.py"

_THEIRS = '''\
"""Settings of nbgrader for this course folder. This file is yours: `kata notebooks` never writes over it."""

import os

c = get_config()  # noqa: F821

# Without these settings nbgrader would run learners' code as it is, so nothing may go on without them.
load_subconfig("{ours}")  # noqa: F821
if "CourseStep" not in c:
    raise SystemExit("{ours} is missing beside nbgrader_config.py; `kata notebooks " + os.getcwd() + "` writes it.")

# Your own settings follow, such as due dates, late penalties, the exchange's course_id. A few that you may want:

# "full", or "reduced" on a machine without user namespaces (see `kata doctor`). Weaker is no wall, so no grade.
# c.CourseStep.isolation = "reduced"

# The hidden inputs of a batch come from a fresh seed, which each learner's feedback names. A number here fixes it.
# c.CourseStep.seed = 1

# `nbgrader export`: marks that are not there yet are no zeros. Or PerExercise, Canvas, Moodle; or --exporter each time.
# c.ExportApp.plugin_class = "grader.notebooks.exporters.PerLearner"
'''

_OURS = '''\
"""Settings of nbgrader for {title!r}, made by `kata notebooks`, and written anew by it.

Your own belong into nbgrader_config.py, which reads these first.
"""

import os
import sys

c = get_config()  # noqa: F821

# nbgrader calls alembic by its bare name, which stands beside this Python even where no environment is activated.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])

# Where the exercises, their hidden checks and their solutions are. Keep that folder, and this one, from learners.
c.CourseStep.course = {course!r}

# What the notebooks tell learners to install, as given by `kata notebooks --wheel`.
c.KataNotebooks.wheel = {wheel!r}

# What a learner is given is the stub of the exercise, not nbgrader's own.
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.InstantiateTests",
    "nbgrader.preprocessors.LockCells",
    "grader.notebooks.release.ClearToStub",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# What was handed in is never parsed by nbgrader, nor run by a kernel: the answers go into the released notebook, and
# the judge grades them behind the wall.
c.Autograde.exporter_class = "grader.notebooks.exporter.UntrustingExporter"
c.Autograde.sanitize_preprocessors = [
    "grader.notebooks.rebuild.RebuildFromRelease",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "grader.notebooks.grading.GradeByJudge",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "grader.notebooks.saving.SaveGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# `nbgrader zip_collect`: Moodle's "Download all submissions", unpacked safely.
c.ZipCollectApp.extractor_plugin = "grader.notebooks.collecting.SafeExtractor"
c.ZipCollectApp.collector_plugin = "grader.notebooks.collecting.MoodleCollector"
'''


class FolderError(Exception):
    """The course folder cannot be written there; the text is one sentence."""


@dataclass(frozen=True)
class Written:
    """A file that is there as it should be."""

    path: Path
    note: str = ""
    """A sentence that the instructor has to read about it."""


def write_folder(
    course: Course, folder: Path, *, overwrite: bool = False, wheel: str | None = None
) -> Iterator[Written]:
    """Write the settings and notebooks, each yielded once it is there as it should be.

    A file that is there and differs is left alone unless `overwrite`; nothing is written then. The instructor's own
    settings are always left alone.

    wheel: the file or address that learners install the checks from; that of the last time when None.

    Raises FolderError for a file that differs, and for a folder that learners' code could read; CourseError or
    StubError when the course cannot be used.
    """
    if reason := exposed(folder):
        raise FolderError(f"{folder} is no place for a course folder: learners' code can read {reason}.")
    wheel = _wheel_of_last_time(folder) if wheel is None else wheel
    if wheel:
        _demand_installable(wheel)
    files = {folder / name: text.encode("utf-8") for name, text in _files(course, wheel).items()}
    settings = folder / SETTINGS
    of_old = settings.exists() and OUR_SETTINGS not in settings.read_text("utf-8", "replace")
    changed = [path for path, text in files.items() if path.exists() and path.read_bytes() != text]
    changed += [settings] if of_old else []
    if changed and not overwrite:
        listed = ", ".join(str(path.relative_to(folder)) for path in sorted(changed))
        raise FolderError(f"Already there and different: {listed}. With --force they are written anew.")
    if of_old:
        yield _set_aside(settings)
    if not settings.exists():
        files = {settings: _THEIRS.format(ours=OUR_SETTINGS).encode("utf-8"), **files}
    for path, text in files.items():
        write_file(path, text, below=folder)
        yield Written(path)


def _set_aside(settings: Path) -> Written:
    """Settings of a time when ours stood in the same file."""
    count = 1
    while (kept := settings.with_name(f"nbgrader_config.old{count}.py")).exists():
        count += 1
    os.rename(settings, kept)
    return Written(kept, f"These are your settings of before: copy lines of your own to the end of {SETTINGS}.")


def _files(course: Course, wheel: str) -> Mapping[str, str]:
    ours = _OURS.format(title=course.title, course=str(course.root / FILE_NAME), wheel=wheel)
    notebooks = {
        f"source/{unit.folder}/{unit.folder}.ipynb": source_notebook(course, unit, wheel) for unit in course.units
    }
    return {OUR_SETTINGS: ours, **notebooks}


def _wheel_of_last_time(folder: Path) -> str:
    """What our settings say, read without running them; empty when they say nothing."""
    try:
        lines = ast.parse((folder / OUR_SETTINGS).read_text("utf-8")).body
    except (OSError, SyntaxError, ValueError):
        return ""
    for line in lines:
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "c.KataNotebooks.wheel":
            value = line.value.value if isinstance(line.value, ast.Constant) else ""
            return value if isinstance(value, str) else ""
    return ""


def _demand_installable(wheel: str) -> None:
    """Raise FolderError unless pip takes this for one certain file: by a name it would ask an index for, anybody's."""
    address = urlsplit(wheel)
    is_address = address.scheme in ("https", "file") and bool(address.path.strip("/"))
    is_file = not address.scheme and Path(wheel).is_absolute()
    if not (is_address or is_file) or not address.path.endswith(".whl"):
        raise FolderError(
            f"{wheel!r} is no wheel to install from. Give the whole path of a .whl file that learners can read, or its "
            "address, such as https://example.org/attention_kata-1.0-py3-none-any.whl."
        )
    if not wheel.isprintable() or set(wheel) & set(" '\"\\{}$`"):
        raise FolderError(
            f"{wheel!r} holds a blank, a quote or another character, which a notebook's %pip does not take."
        )
