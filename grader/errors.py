"""The one error that people see: a sentence, and the exit status of the command that it ends.

And how a sentence shows a name that somebody else gave.
"""

from __future__ import annotations

EXIT_NOT_RIGHT = 1
EXIT_BAD_INPUT = 2
EXIT_CANNOT_ISOLATE = 3
EXIT_INTERRUPTED = 130


class KataError(Exception):
    """Something that a person can cause or meet. The message is a sentence that says what to do.

    A subclass exists only where somebody catches it.
    """

    exit_status = EXIT_BAD_INPUT

    def __init__(self, sentence: str, exit_status: int | None = None) -> None:
        super().__init__(sentence)
        if exit_status is not None:
            self.exit_status = exit_status


def printable(text: str, limit: int = 120) -> str:
    """A name as it is safe to print: no control characters or surrogates; a long one is shortened in the middle."""
    if len(text) > limit:
        head = limit // 2
        text = f"{text[:head]}…{text[len(text) - (limit - head - 1) :]}"
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
