from __future__ import annotations

from textwrap import dedent

import pytest

from grader.course import CourseError
from grader.course.stubs import make_stub, same_as_stub


def text(block: str) -> str:
    return dedent(block).lstrip("\n")


STUBS = {
    "a function": (
        """
        import torch

        def softmax(scores, dim=-1):
            \"\"\"Weights from scores.\"\"\"
            # BEGIN SOLUTION
            e = scores.exp()
            return e / e.sum(dim, keepdim=True)
            # END SOLUTION
        """,
        """
        import torch

        def softmax(scores, dim=-1):
            \"\"\"Weights from scores.\"\"\"
            raise NotImplementedError("softmax: still to write")
        """,
    ),
    "the methods of a class": (
        """
        class QKVLinear(nn.Module):
            def __init__(self, hidden_size):
                super().__init__()
                # BEGIN SOLUTION
                self.scaling = hidden_size**-0.5
                # END SOLUTION

            def forward(self, x):
                # BEGIN SOLUTION
                return self.linear_q(x)
                # END SOLUTION
        """,
        """
        class QKVLinear(nn.Module):
            def __init__(self, hidden_size):
                super().__init__()
                raise NotImplementedError("QKVLinear.__init__: still to write")

            def forward(self, x):
                raise NotImplementedError("QKVLinear.forward: still to write")
        """,
    ),
    "a class body": (
        """
        class MultiHeadAttention(nn.Module):
            \"\"\"Eight heads.\"\"\"

            # BEGIN SOLUTION
            def forward(self, x):
                return x
            # END SOLUTION
        """,
        """
        class MultiHeadAttention(nn.Module):
            \"\"\"Eight heads.\"\"\"

            raise NotImplementedError("MultiHeadAttention: still to write")
        """,
    ),
    "a fault to find": (
        """
        def forward(self, x):
            scores = query @ key
            # BEGIN SOLUTION
            weights = F.softmax(scores, dim=-1)
            # END SOLUTION
            # BEGIN STUB
            # weights = F.softmax(weights, dim=-1)
            # END STUB
            return weights @ value
        """,
        """
        def forward(self, x):
            scores = query @ key
            weights = F.softmax(weights, dim=-1)
            return weights @ value
        """,
    ),
    "stub lines keep their inner indentation and blank lines": (
        """
        def repeat_kv(x, n_rep):
            # BEGIN SOLUTION
            return x.repeat_interleave(n_rep, dim=1)
            # END SOLUTION
            # BEGIN STUB
            # if n_rep == 1:
            #     return x
            #
            # # what about the rest?

            # raise NotImplementedError
            # END STUB
        """,
        """
        def repeat_kv(x, n_rep):
            if n_rep == 1:
                return x

            # what about the rest?

            raise NotImplementedError
        """,
    ),
    "an empty stub region leaves nothing": (
        """
        import torch
        # BEGIN SOLUTION
        import math
        # END SOLUTION
        # BEGIN STUB
        # END STUB
        """,
        """
        import torch
        """,
    ),
    "an empty solution region makes room for a faulty line": (
        """
        def head_scores(a):
            # BEGIN SOLUTION
            # END SOLUTION
            # BEGIN STUB
            # a = a.transpose(1, 2)
            # END STUB
            return a @ a.transpose(2, 3)
        """,
        """
        def head_scores(a):
            a = a.transpose(1, 2)
            return a @ a.transpose(2, 3)
        """,
    ),
    "two regions in a row, the second with a stub": (
        """
        def f():
            # BEGIN SOLUTION
            a = 1
            # END SOLUTION
            # BEGIN SOLUTION
            return a
            # END SOLUTION
            # BEGIN STUB
            # return None
            # END STUB
        """,
        """
        def f():
            raise NotImplementedError("f: still to write")
            return None
        """,
    ),
    "a signature over several lines": (
        """
        async def grouped(
            x,
            groups,
        ):
            # BEGIN SOLUTION
            return x
            # END SOLUTION
        """,
        """
        async def grouped(
            x,
            groups,
        ):
            raise NotImplementedError("grouped: still to write")
        """,
    ),
    "inside an if, after an inner function": (
        """
        def outer(x):
            def inner(y):
                return y

        # a comment at the margin
            if x:
                # BEGIN SOLUTION
                return inner(x)
                # END SOLUTION
        """,
        """
        def outer(x):
            def inner(y):
                return y

        # a comment at the margin
            if x:
                raise NotImplementedError("outer: still to write")
        """,
    ),
}


@pytest.mark.parametrize(("solution", "stub"), STUBS.values(), ids=STUBS)
def test_the_stub_has_no_solution_in_it(solution: str, stub: str) -> None:
    assert make_stub(text(solution)) == text(stub)


def test_line_endings_and_a_bom_do_not_matter() -> None:
    solution = text(STUBS["a function"][0])
    windows = "\ufeff" + solution.replace("\n", "\r\n")

    assert make_stub(windows) == make_stub(solution)


BROKEN = {
    "no marker": ("def f():\n    return 1\n", "line 1: there is no `# BEGIN SOLUTION`"),
    "only a stub region": ("# BEGIN STUB\n# END STUB\n", "line 1: this marker fits no other"),
    "never closed": (
        "def f():\n    # BEGIN SOLUTION\n    return 1\n",
        "line 2: this marker fits no other",
    ),
    "never opened": (
        "def f():\n    return 1\n    # END SOLUTION\n",
        "line 3: this marker fits no other",
    ),
    "nested": (
        "def f():\n    # BEGIN SOLUTION\n    # BEGIN SOLUTION\n    # END SOLUTION\n    # END SOLUTION\n",
        "line 3: this marker fits no other",
    ),
    "a stub inside the solution": (
        "def f():\n    # BEGIN SOLUTION\n    # BEGIN STUB\n    # END STUB\n    # END SOLUTION\n",
        "line 3: this marker fits no other",
    ),
    "closed by the other marker": (
        "def f():\n    # BEGIN SOLUTION\n    return 1\n    # END STUB\n",
        "line 2: this marker fits no other",
    ),
    "a stub region after other code": (
        "def f():\n    # BEGIN SOLUTION\n    # END SOLUTION\n    a = 1\n    # BEGIN STUB\n    # END STUB\n",
        "line 5: this marker fits no other",
    ),
    "a second stub region": (
        "def f():\n    # BEGIN SOLUTION\n    # END SOLUTION\n    # BEGIN STUB\n    # END STUB\n"
        "    # BEGIN STUB\n    # END STUB\n",
        "line 6: this marker fits no other",
    ),
    "a stub line without its comment sign": (
        "def f():\n    # BEGIN SOLUTION\n    # END SOLUTION\n    # BEGIN STUB\n    return\n    # END STUB\n",
        "line 5: each line of a STUB region begins with `# `",
    ),
    "a stub line without its blank": (
        "def f():\n    # BEGIN SOLUTION\n    # END SOLUTION\n    # BEGIN STUB\n    #return\n    # END STUB\n",
        "line 5: each line of a STUB region begins with `# `",
    ),
    "nothing around it": (
        "# BEGIN SOLUTION\nimport math\n# END SOLUTION\n",
        "line 1: a SOLUTION region outside of functions and classes needs a STUB region",
    ),
    "a marker behind code": (
        "def f():\n    a = 1  # BEGIN SOLUTION\n    return a\n    # END SOLUTION\n",
        "line 2: this marker fits no other",
    ),
    "a marker in small letters": (
        "def f():\n    # begin solution\n    return 1\n    # end solution\n",
        "line 2: this marker fits no other",
    ),
    "a marker with more words": (
        "def f():\n    # BEGIN SOLUTION of part 2\n    return 1\n    # END SOLUTION\n",
        "line 2: this marker fits no other",
    ),
    "nbgrader's marker": (
        "def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n",
        "line 2: this marker fits no other",
    ),
}


@pytest.mark.parametrize(("solution", "sentence"), BROKEN.values(), ids=BROKEN)
def test_malformed_markers_are_refused_with_their_line(solution: str, sentence: str) -> None:
    with pytest.raises(CourseError) as caught:
        make_stub(solution)
    assert str(caught.value).startswith(sentence)


STUB = 'def f(x):\n    """Où?"""\n\n    raise NotImplementedError("f: still to write")\n'

UNTOUCHED = {
    "as it was": STUB,
    "Windows line endings": STUB.replace("\n", "\r\n"),
    "old Mac line endings": STUB.replace("\n", "\r"),
    "a BOM": "\ufeff" + STUB,
    "blanks at the ends of lines": STUB.replace("\n", " \t\n"),
    "more blank lines at the end": STUB + "\n  \n\n",
    "no newline at the end": STUB.rstrip("\n"),
}

TOUCHED = {
    "another body": STUB.replace("raise NotImplementedError", "return str"),
    "a blank line more in the middle": STUB.replace("\n\n", "\n\n\n"),
    "other indentation": STUB.replace("    raise", "  raise"),
    "a comment": STUB + "# my notes\n",
    "a blank line first": "\n" + STUB,
    "a hard space at the end": STUB.replace("write\")\n", "write\")\u00a0\n"),
    "nothing": "",
}  # fmt: skip


@pytest.mark.parametrize("source", UNTOUCHED.values(), ids=UNTOUCHED)
def test_a_stub_that_an_editor_only_saved_is_still_the_stub(source: str) -> None:
    assert same_as_stub(source.encode(), STUB)


@pytest.mark.parametrize("source", TOUCHED.values(), ids=TOUCHED)
def test_a_file_that_someone_worked_on_is_not_the_stub(source: str) -> None:
    assert not same_as_stub(source.encode(), STUB)


@pytest.mark.parametrize(
    "source",
    [STUB.encode("latin-1"), STUB.encode("utf-16"), b"\xff\x00"],
    ids=["latin-1", "utf-16", "garbage"],
)
def test_bytes_that_are_not_utf8_are_not_the_stub(source: bytes) -> None:
    assert not same_as_stub(source, STUB)
