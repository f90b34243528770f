"""Applies the course's policy to points: a pure function from a graded record to the same record with final points.

`rules` has the terms set by course and instructor, and counts days of lateness; `adjusting` computes final points and
the reasons in words. Nothing here reads files or clocks.
"""
