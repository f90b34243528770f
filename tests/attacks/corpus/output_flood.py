# Prints without end.
def softmax(scores, dim=-1):
    while True:
        print("x" * 10_000)
