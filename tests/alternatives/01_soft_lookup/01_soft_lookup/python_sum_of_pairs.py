def soft_lookup(weights, values):
    return sum(w * v for w, v in zip(weights, values))
