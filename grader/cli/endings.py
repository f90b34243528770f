"""How a command ends: an error that people can cause or meet is printed as one sentence, with an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from grader.judge.errors import GraderBroken
from grader.sandbox.launch import MachineError

EXIT_NOT_RIGHT = 1
EXIT_BAD_INPUT = 2
EXIT_CANNOT_ISOLATE = 3
EXIT_INTERRUPTED = 130


class UsageError(Exception):
    """The command cannot be done as given; the message is one sentence."""


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
    except (GraderBroken, UsageError) as error:
        stop(str(error), EXIT_BAD_INPUT)
    except OSError as error:
        stop(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), EXIT_BAD_INPUT)
    except Exception as error:
        if not isinstance(error, _errors_with_sentences()):
            raise
        stop(str(error), EXIT_BAD_INPUT)


def _errors_with_sentences() -> tuple[type[Exception], ...]:
    """The exceptions whose message is a sentence for people; imported only after an error."""
    from grader.classroom.cluster import ClusterError
    from grader.classroom.corrections import CorrectionsError
    from grader.classroom.exemptions import ExemptionsError
    from grader.classroom.forgetting import ForgettingError
    from grader.classroom.groups import GroupsError
    from grader.classroom.kept_times import HintsError
    from grader.classroom.ledger import LedgerError
    from grader.classroom.lms_names import NamesError
    from grader.classroom.members import ClassListError, LearnerError
    from grader.classroom.pseudonyms import PseudonymsError
    from grader.classroom.results_file import ResultsError
    from grader.classroom.roster import RosterError
    from grader.classroom.run_header import RunError
    from grader.classroom.times import TimesError
    from grader.course import CourseError
    from grader.intake import SubmissionError

    return (
        CourseError,
        SubmissionError,
        RosterError,
        RunError,
        ResultsError,
        LedgerError,
        TimesError,
        HintsError,
        ClusterError,
        ClassListError,
        LearnerError,
        NamesError,
        CorrectionsError,
        ExemptionsError,
        ForgettingError,
        GroupsError,
        PseudonymsError,
    )


def stop(sentence: str, status: int) -> NoReturn:
    """Print the reason and exit. Control characters in quoted text are made safe."""
    from grader.render.safe_text import visible

    print(visible(sentence), file=sys.stderr)
    sys.exit(status)
