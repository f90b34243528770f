# The library's function by an attrgetter.
import operator

import torch


def softmax(scores, dim=-1):
    return operator.attrgetter("soft" + "max")(torch)(scores, dim=dim)
