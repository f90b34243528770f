"""The command line, `kata`: learners' commands, teachers' and authors', each with its own modules."""

from . import (  # noqa: F401  each adds its commands
    author,
    learn,
    learn_play,
    learn_progress,
    teach_class,
    teach_grade,
    teach_release,
)
from .app import main

__all__ = ["main"]
