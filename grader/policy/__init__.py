"""What the course's policy makes of points: a pure step from a graded record to the same record with final points.

`lateness` counts days, `phrasing` says it in words, `adjusting` puts both into a record, `rules` gathers what the
course and the instructor have laid down. Nothing here reads files or clocks.
"""
