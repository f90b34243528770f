"""The command line, `kata`: one module for each kind of user."""

from . import (
    authoring,
    autograding,
    class_grading,
    exporting,
    forgetting,
    grading,
    notebooks,
    playing,
    policy,
    practising,
    releasing,
    reporting,
    reviewing,
    similar,
)
from .app import main

__all__ = [
    "authoring",
    "autograding",
    "class_grading",
    "exporting",
    "forgetting",
    "grading",
    "main",
    "notebooks",
    "playing",
    "policy",
    "practising",
    "releasing",
    "reporting",
    "reviewing",
    "similar",
]
