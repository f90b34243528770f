# An exception that carries a kind and details of its own.
class CaseError(Exception):
    kind = "forbidden"
    details = {"kind": "forbidden", "name": "nothing"}  # noqa: RUF012


def softmax(scores, dim=-1):
    raise CaseError("forbidden")
