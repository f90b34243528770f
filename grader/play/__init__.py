"""`kata play`: a learner's own attention runs inside small trained models, in a terminal or on a page."""
