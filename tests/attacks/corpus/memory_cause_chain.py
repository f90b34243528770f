# An exception with a hundred thousand causes.
def softmax(scores, dim=-1):
    error = None
    for _ in range(100_000):
        new = ValueError("deep")
        new.__cause__ = error
        error = new
    raise error
