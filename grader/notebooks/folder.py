"""The course folder for nbgrader: its settings and a source notebook a unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.course import FILE_NAME, Course
from grader.sandbox.levels import exposed
from grader.writing import write_file

from .source import source_notebook

_CONFIG = '''\
"""Settings of nbgrader for {title!r}, made by `kata notebooks`.

Add your own at the end: due dates, late penalties, the exchange's course_id.
"""

import os
import sys

c = get_config()  # noqa: F821

# nbgrader calls alembic by its bare name, which stands beside this Python even where no environment is activated.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])

# Where the exercises, their hidden checks and their solutions are. Keep that folder, and this one, from learners.
c.CourseStep.course = {course!r}

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
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# `nbgrader zip_collect`: Moodle's "Download all submissions", unpacked safely.
c.ZipCollectApp.extractor_plugin = "grader.notebooks.collecting.SafeExtractor"
c.ZipCollectApp.collector_plugin = "grader.notebooks.collecting.MoodleCollector"

# `nbgrader export`: marks that are not there yet are no zeros. Or PerExercise, Canvas, Moodle; or --exporter each time.
# c.ExportApp.plugin_class = "grader.notebooks.exporters.PerLearner"

# "full", or "reduced" on a machine without user namespaces (see `kata doctor`). Weaker is no wall, so no grade.
c.CourseStep.isolation = "full"

# The hidden inputs of a batch come from a fresh seed, which each learner's feedback names. A number here fixes it.
c.CourseStep.seed = None
'''


class FolderError(Exception):
    """The course folder cannot be written there; the text is one sentence."""


def write_folder(course: Course, folder: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Write the settings and notebooks, each yielded once it is there as it should be.

    A file that is there and differs is left alone unless `overwrite`; nothing is written then. Raises FolderError for
    that, and for a folder that learners' code could read; CourseError or StubError when the course cannot be used.
    """
    if reason := exposed(folder):
        raise FolderError(f"{folder} is no place for a course folder: learners' code can read {reason}.")
    files = {folder / name: text for name, text in _files(course).items()}
    changed = [path for path, text in files.items() if path.exists() and path.read_bytes() != text.encode("utf-8")]
    if changed and not overwrite:
        listed = ", ".join(str(path.relative_to(folder)) for path in changed)
        raise FolderError(f"Already there and different: {listed}. With --force they are written anew.")
    for path, text in files.items():
        write_file(path, text.encode("utf-8"), below=folder)
        yield path


def _files(course: Course) -> Mapping[str, str]:
    config = _CONFIG.format(title=course.title, course=str(course.root / FILE_NAME))
    notebooks = {f"source/{unit.folder}/{unit.folder}.ipynb": source_notebook(course, unit) for unit in course.units}
    return {"nbgrader_config.py": config, **notebooks}
