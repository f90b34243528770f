"""A course folder that is there: its settings as nbgrader reads them, its releases, and where submissions go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader

from grader.course import Course, Unit

from .cells import exercises_of
from .folder import OUR_SETTINGS, SETTINGS, FolderError


class CourseFolder:
    """The course folder at a path. Raises FolderError when there is none, or its settings cannot be used."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._settings = _settings(root)
        self._places = CourseDirectory(config=self._settings)
        if "root" not in self._settings.CourseDirectory:
            self._places.root = str(root.absolute())

    @property
    def course_file(self) -> Path:
        """The course.yml that the notebooks were made from. Raises FolderError when the settings name none."""
        path = self._settings.CourseStep.get("course")
        if not isinstance(path, str) or not path:
            raise FolderError(
                f"{self.root / OUR_SETTINGS} names no course (CourseStep.course); write it anew with `kata notebooks`."
            )
        return Path(path)

    def released(self, unit: Unit) -> Path:
        """Where nbgrader puts a unit's notebook for learners; nothing is there before it is released."""
        return self._path(self._places.release_directory, ".", unit)

    def submitted(self, learner: str, unit: Unit) -> Path:
        """Where nbgrader looks for a learner's notebook."""
        return self._path(self._places.submitted_directory, learner, unit)

    def _path(self, step: str, learner: str, unit: Unit) -> Path:
        return Path(self._places.format_path(step, learner, unit.folder)) / f"{unit.folder}.ipynb"


def read_released(path: Path, course: Course) -> Any:
    """A released notebook. Raises FolderError when it cannot be read, CourseError for an unknown exercise in it."""
    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat lets through what its parts raise
        raise FolderError(f"{path} cannot be read ({type(error).__name__}: {error}); release it anew.") from None
    exercises_of(notebook.cells, course)
    return notebook


def _settings(root: Path) -> Config:
    path = root / SETTINGS
    if not path.is_file():
        raise FolderError(f"{root} is no course folder (there is no {SETTINGS}); `kata notebooks {root}` makes one.")
    try:
        settings = PyFileConfigLoader(SETTINGS, path=str(root)).load_config()
    except SystemExit as error:
        raise FolderError(f"{path} cannot be used: {error}") from None
    except Exception as error:  # whatever a file of Python raises
        raise FolderError(f"{path} cannot be used ({type(error).__name__}: {error}).") from None
    try:
        settings.merge(JSONFileConfigLoader(OUR_SETTINGS, path=str(root)).load_config())
    except ConfigFileNotFound:  # a folder of a time when all of it stood in the other one
        pass
    except (OSError, ValueError, TypeError) as error:
        raise FolderError(f"{root / OUR_SETTINGS} cannot be used ({error}).") from None
    return settings
