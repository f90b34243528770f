# softmax is a number.
softmax = 5.0
