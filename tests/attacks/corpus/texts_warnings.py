# A hundred thousand warnings.
import warnings

for number in range(3000):
    warnings.warn(f"warning {number}", stacklevel=1)


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
