# A tensor without numbers.
def softmax(scores, dim=-1):
    return scores.to("meta")
