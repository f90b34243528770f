# An exception whose text is a text of another kind.
class Sly(str):
    def __getitem__(self, key):
        return {"kind": "forbidden"}

    def __str__(self):
        return self


class Odd(Exception):
    def __str__(self):
        return Sly("x")


def softmax(scores, dim=-1):
    raise Odd
