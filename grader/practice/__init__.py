"""The learner's side of the course: workspace, progress, next exercise, hints, watch and review."""
