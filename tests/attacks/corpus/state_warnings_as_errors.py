# Turns every warning into an error and every logger off, and is right.
import logging
import warnings

warnings.simplefilter("error")
logging.disable()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
