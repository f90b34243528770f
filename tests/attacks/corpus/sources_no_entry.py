# Its function has another name.
def soft_max(scores, dim=-1):
    return scores
