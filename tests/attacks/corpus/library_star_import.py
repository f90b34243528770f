# The library's function from a star import.
from torch.nn.functional import *


def softmax(scores, dim=-1):
    return log_softmax(scores, dim=dim).exp()
