"""A learner's side of the course: where the work lies, what was done, what is next, hints, watch and review."""
