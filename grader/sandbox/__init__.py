"""The wall: a learner's code runs on one side of it, the answers stay on the other."""
