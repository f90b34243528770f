"""The command line, `kata`: one module for each kind of user."""

from . import (
    appeals,
    authoring,
    class_grading,
    correcting,
    exporting,
    feedback,
    forgetting,
    grading,
    notebooks,
    playing,
    policy,
    practising,
    releasing,
    reviewing,
)
from .app import main

__all__ = [
    "appeals",
    "authoring",
    "class_grading",
    "correcting",
    "exporting",
    "feedback",
    "forgetting",
    "grading",
    "main",
    "notebooks",
    "playing",
    "policy",
    "practising",
    "releasing",
    "reviewing",
]
