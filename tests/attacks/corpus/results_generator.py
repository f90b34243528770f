# A generator of rows.
def softmax(scores, dim=-1):
    yield from scores
