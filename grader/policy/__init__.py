"""What the course's policy makes of points: a pure step from a graded record to the same record with final points.

`rules` has what the course and the instructor have laid down, and counts days; `adjusting` puts it into a record and
into words; `choosing` takes one of several attempts. Nothing here reads files or clocks.
"""
