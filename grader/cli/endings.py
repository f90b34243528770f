"""How a command ends: an error that people can cause or meet is printed as one sentence, with an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from grader.errors import EXIT_BAD_INPUT, EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.sandbox.levels import MachineError


def leave(status: str | int | None) -> NoReturn:
    """Exit at once if torch is loaded: a normal exit would take a third of a second longer, to unload it."""
    if "torch" not in sys.modules or isinstance(status, str):
        sys.exit(status)
    with suppress(OSError):  # the reader of the output has gone
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status or 0)


@contextmanager
def sentences() -> Iterator[None]:
    """Print errors that people can cause or meet as one sentence, with the exit status that the docs promise."""
    try:
        yield
    except MachineError as error:
        stop(
            f"This machine cannot isolate submissions (missing: {error}). No grade was recorded. See `kata doctor`.",
            EXIT_CANNOT_ISOLATE,
        )
    except KeyboardInterrupt:
        stop("Stopped.", EXIT_INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KataError as error:
        stop(str(error), error.exit_status)
    except OSError as error:
        stop(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), EXIT_BAD_INPUT)


def stop(sentence: str, status: int) -> NoReturn:
    """Print the reason and exit. Control characters in quoted text are made safe."""
    from grader.render.safe_text import visible

    print(visible(sentence), file=sys.stderr)
    sys.exit(status)
