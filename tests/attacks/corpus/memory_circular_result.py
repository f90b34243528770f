# Returns a list that contains itself.
def softmax(scores, dim=-1):
    nest = []
    nest.append(nest)
    return nest
