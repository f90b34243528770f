# Raises an error of letters with a hundred accents each.
def softmax(scores, dim=-1):
    raise ValueError("e" + "\u0301\u0323\u0489" * 150)
