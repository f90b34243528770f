"""nbgrader keeps the gradebook, our judge grades: course folder, release, rebuilding and grading of notebooks.

Only modules of this package import nbgrader, nbconvert and nbformat, the extra `instructor`. The judge works in a
process of its own (`grader.service`), which imports none of them.
"""
