# Lets a decorator put the library's softmax in the place of the function.
import torch


def improved(function):
    return getattr(torch, function.__name__)


@improved
def softmax(scores, dim=-1):
    return scores
