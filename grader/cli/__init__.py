"""The command line, `kata`: learners' commands, then teachers' and authors'."""

from . import learn, learn_further, teach_class, teach_course  # noqa: F401  each adds its commands
from .app import main

__all__ = ["main"]
