"""The command line, `kata`: one module for each kind of user."""

from . import (
    appeals,
    authoring,
    autograding,
    class_grading,
    comparing,
    correcting,
    exporting,
    grading,
    notebooks,
    playing,
    policy,
    practising,
    releasing,
    reporting,
    reviewing,
)
from .app import main

__all__ = [
    "appeals",
    "authoring",
    "autograding",
    "class_grading",
    "comparing",
    "correcting",
    "exporting",
    "grading",
    "main",
    "notebooks",
    "playing",
    "policy",
    "practising",
    "releasing",
    "reporting",
    "reviewing",
]
