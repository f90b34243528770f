# Nothing but comments.
# softmax
# passed
