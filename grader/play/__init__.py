"""A learner's own attention put to work: inside small trained models, in a terminal or on a page."""
