"""Exports graded classes for other programs: one module a format, all reading the same results."""
