"""Which of an archive's files count, told from their paths alone, as the walk through a folder tells it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from grader.submission.folder import ENVIRONMENT, MAX_DEPTH
from grader.submission.naming import COURSE_WORK, is_course, is_passed_over


def looked_at(paths: Collection[str]) -> list[str]:
    """Return the paths, sorted, without what a walk passes over: hidden, a tool's, the course's own, libraries.

    It takes time in proportion to the paths. To look for each folder in each path would be hours for a large archive.
    """
    names: defaultdict[str, set[str]] = defaultdict(set)
    for path in paths:
        for folder, name in _steps(path):
            names[folder].add(name)
    shut = {folder for folder, inside in names.items() if folder and ENVIRONMENT in inside}
    courses = {folder for folder, inside in names.items() if is_course(inside)}
    return [
        path
        for path in sorted(paths)
        if path
        and not any(is_passed_over(name) for name in path.split("/"))
        and all(folder not in shut and (folder not in courses or name == COURSE_WORK) for folder, name in _steps(path))
    ]


def _steps(path: str) -> Iterator[tuple[str, str]]:
    """Each folder on the way, with the name that is looked up in it; what lies too deep is one name."""
    folder = ""
    for name in path.split("/", MAX_DEPTH + 1):
        yield folder, name
        folder = f"{folder}{name}/"
