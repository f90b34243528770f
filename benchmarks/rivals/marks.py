"""What every tool's marks are turned into, so that they can be compared."""

Scores = dict[str, dict[str, tuple[float | None, float]]]
"""Points and most points by learner and exercise; None where the tool gave no mark."""
