"""Calls `kata` in this process, which has loaded all that a new one would have to load first."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import pytest

from grader.cli.app import app, sentences

STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
"""Of a process, by their numbers, and how each is opened."""


def kata(
    words: Sequence[str], environment: Mapping[str, str], cwd: Path | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """What the command prints and its exit status, in this environment and folder, as `subprocess.run` gives them."""
    with _place(environment, cwd), _streams(stdin) as files, _without_pytest():
        status: object = 1
        try:
            with sentences():
                app(list(words), prog_name="kata")
            status = 0
        except SystemExit as end:
            if isinstance(end.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from end  # of pytest's user
            status = end.code or 0
        except Exception:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        texts = (os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode() for file in files[1:])
        return subprocess.CompletedProcess(list(words), status if isinstance(status, int) else 1, *texts)


@contextmanager
def _place(environment: Mapping[str, str], cwd: Path | None) -> Iterator[None]:
    here, before = os.getcwd(), dict(os.environ)
    try:
        os.chdir(cwd or here)
        _set(environment)
        yield
    finally:
        os.chdir(here)
        _set(before)


def _set(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()


@contextmanager
def _without_pytest() -> Iterator[None]:
    """Warnings and errors of threads go to stderr, which pytest would take."""
    with pytest.MonkeyPatch.context() as changed, warnings.catch_warnings():
        changed.setattr(threading, "excepthook", threading.__excepthook__)
        changed.setattr(sys, "unraisablehook", sys.__unraisablehook__)
        changed.setattr(warnings, "showwarning", _warn)
        warnings.resetwarnings()
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)  # as Python does
        yield


def _warn(message: Warning, category: type[Warning], filename: str, line: int, *_: object) -> None:
    sys.stderr.write(warnings.formatwarning(message, category, filename, line))


@contextmanager
def _streams(stdin: str) -> Iterator[list[IO[bytes]]]:
    """Files in place of the standard streams, for what is started too."""
    with ExitStack() as closing:
        files = [closing.enter_context(tempfile.TemporaryFile()) for _ in STREAMS]
        files[0].write(stdin.encode())
        files[0].seek(0)
        for number, (name, mode) in enumerate(STREAMS):
            closing.callback(setattr, sys, name, getattr(sys, name))
            kept = os.dup(number)
            closing.callback(os.close, kept)
            closing.callback(os.dup2, kept, number)
            os.dup2(files[number].fileno(), number)
            setattr(sys, name, closing.enter_context(open(number, mode, encoding="utf-8", closefd=False)))
        yield files
