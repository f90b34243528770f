# softmax is None.
softmax = None
