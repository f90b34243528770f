# An exception without a traceback.
class Odd(Exception):
    __traceback__ = property(lambda self: 1 / 0)


def softmax(scores, dim=-1):
    raise Odd("x")
