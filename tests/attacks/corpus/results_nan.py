# Returns NaN everywhere.
def softmax(scores, dim=-1):
    return scores * float('nan')
