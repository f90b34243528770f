"""The exporter of `nbgrader autograde`. It never parses a learner's notebook, which may be malicious."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat.v4 import new_notebook
from traitlets import Bool

from .entrance import watch


class UntrustingExporter(NotebookExporter):
    """Parses only notebooks that we wrote. For any other it passes the path on to RebuildFromRelease."""

    # validate once, after the last step, instead of after each: all steps here are known
    optimistic_validation = Bool(True).tag(config=True)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # nbgrader creates its exporter before it looks at any submission
        self._former = watch(self.parent)

    def from_filename(self, filename: str, resources: Any = None, **options: Any) -> tuple[Any, Any]:
        """Convert a notebook; one outside the autograded folder is replaced by an empty one."""
        path, names = Path(filename), resources["nbgrader"]
        course = self.parent.coursedir
        ours = Path(course.format_path(course.autograded_directory, names["student"], names["assignment"]))
        if path.parent == ours:
            names["before"] = self._former.notebook(names["assignment"], names["student"], path.stem)
            converted: tuple[Any, Any] = super().from_filename(filename, resources=resources, **options)
            return converted
        names["handed_in"] = str(path)
        names["released"] = course.format_path(course.release_directory, ".", names["assignment"])
        rebuilt: tuple[Any, Any] = self.from_notebook_node(new_notebook(), resources=resources, **options)
        return rebuilt
