# Raises the watch's own error.
import sys


def softmax(scores, dim=-1):
    raise sys.modules["inside.host"].ForbiddenOperator("aten::_softmax\x1b[31m" + "x" * 9000)
