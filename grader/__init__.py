"""Attention Kata: grades attention exercises in PyTorch, a learner's own or a whole class's."""

__version__ = "0.9.0"
