# Has no softmax, but a module-level __getattr__ that makes one.
def __getattr__(name):
    return lambda scores, dim=-1: scores * 0
