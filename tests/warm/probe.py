#!/usr/bin/env python
"""Does what it is told with these modules, by default says what kind of process it is in."""

from __future__ import annotations

import json  # noqa: F401
import os
import random  # noqa: F401
import signal
import sys
import time


def described() -> dict[str, object]:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return {
        **{"arguments": sys.argv, "folder": os.getcwd(), "environment": dict(os.environ), "path": sys.path},
        **{"main": [__name__, sys.modules["__main__"].__dict__.get("__file__"), __spec__], "flags": list(sys.flags)},
        "streams": [[each.isatty(), each.encoding, each.errors, each.line_buffering, each.name] for each in streams],
        "descriptors": len(os.listdir("/proc/self/fd")),
        "handlers": [str(signal.getsignal(number)) for number in signal.valid_signals()],
        **{"session": [os.getsid(0), os.getpgrp()], "time zone": time.tzname, "input": sys.stdin.read()},
    }


if __name__ == "__main__":
    exec(sys.argv[1] if len(sys.argv) > 1 else "print(json.dumps(described()))")
