# A regular expression that takes longer than the universe.
import re


def softmax(scores, dim=-1):
    re.match(r"(a+)+$", "a" * 64 + "!")
