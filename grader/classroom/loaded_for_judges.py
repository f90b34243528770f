"""Imported by the fork server of the judges: loads the modules that judges need."""

from .judging import load

load()
