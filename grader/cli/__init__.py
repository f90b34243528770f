"""The command line, `kata`: one module for each kind of user."""

from . import authoring, grading, notebooks, practising, reporting, reviewing
from .app import main

__all__ = ["authoring", "grading", "main", "notebooks", "practising", "reporting", "reviewing"]
