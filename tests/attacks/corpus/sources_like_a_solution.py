# Carries the marks of a solution and of nbgrader.
# BEGIN SOLUTION
### BEGIN HIDDEN TESTS
points = 5.0
### END HIDDEN TESTS
# END SOLUTION


def softmax(scores, dim=-1):
    return scores
