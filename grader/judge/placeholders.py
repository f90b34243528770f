"""What stands in pytest's list for what cannot be run: a check that is not here, a file that is still the stub."""

from __future__ import annotations

from pathlib import Path

import pytest


class Hidden(pytest.Item):
    """Stands for a check that is not in a learner's bundle."""

    @classmethod
    def of(cls, parent: pytest.Collector, check: str) -> Hidden:
        """The item for a check of that name."""
        item: Hidden = cls.from_parent(parent, name=check)
        return item

    def runtest(self) -> None:
        pytest.skip("runs when you hand in")

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.stem}: {self.name}"


class NotStarted(pytest.Item):
    """Stands for an exercise whose file is still the stub."""

    def runtest(self) -> None:
        pytest.skip("not started")

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.stem}: not started"


class BrokenCourse(pytest.File):
    """Stands for an exercise file whose course cannot be read."""

    error: Exception

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, error: Exception) -> BrokenCourse:
        """The node for a file, with what is wrong with the course."""
        node: BrokenCourse = cls.from_parent(parent, path=path)
        node.error = error
        return node

    def collect(self) -> list[pytest.Item]:
        """Say what is wrong, without a trace."""
        raise self.CollectError(str(self.error))


class NotStartedFile(pytest.File):
    """The node of an exercise whose file is still the stub."""

    def collect(self) -> list[pytest.Item]:
        """One item that says so."""
        item: pytest.Item = NotStarted.from_parent(self, name="not_started")
        return [item]
