"""Graded classes in the formats of other programs: one module a format, all reading the same results."""
