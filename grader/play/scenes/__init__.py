"""The scenes of `kata play`, one module each."""
