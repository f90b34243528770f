"""The command line, `kata`: learners' commands, teachers' and authors', each with its own modules."""

from . import author, learn, learn_further, teach_class, teach_release  # noqa: F401  each adds its commands
from .app import main

__all__ = ["main"]
