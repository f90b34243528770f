"""Imported by the fork server that judges are forked from, for what that loads."""

from .judging import load

load()
