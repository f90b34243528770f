# Whole numbers.
def softmax(scores, dim=-1):
    return scores.long()
