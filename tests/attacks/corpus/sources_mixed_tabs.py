# Tabs and blanks mixed.
def softmax(scores, dim=-1):
	scores = scores
        return scores
