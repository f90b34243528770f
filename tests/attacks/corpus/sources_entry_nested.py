# softmax is defined inside of a class.
class Answer:
    def softmax(self, scores, dim=-1):
        return scores
