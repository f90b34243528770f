# Its exception's text has 300 million characters.
def softmax(scores, dim=-1):
    raise ValueError("x" * 300_000_000)
