# Waits for a person to type.
def softmax(scores, dim=-1):
    return float(input())
