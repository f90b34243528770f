# Empties the list of loaded modules.
import sys

for name in list(sys.modules):
    if name not in ("sys", "builtins"):
        del sys.modules[name]


def softmax(scores, dim=-1):
    return scores * 0
