"""Real kernels, as a notebook has them, in a course of tiny exercises; transcripts are typed into them.

In a transcript a cell begins with ">>> " if a person runs it, with "--> " if a program for notebooks does; below it
stands what is shown of it as text, and its error. It is compared whole. A new one needs its cells alone; RENEW=1 pytest
tests/in_notebook writes what comes of them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.service.client import running_judges

# nbgrader is not made for 3.10; from 3.11 on `make test` installs it, and its absence is a failure.
collect_ignore_glob = ["test_*.py"] if sys.version_info < (3, 11) else []

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
CELL = re.compile(r"^(>>>|-->) (.*(?:\n\.\.\..*)*)|^#.*", re.MULTILINE)
VARYING = {
    r"seed=(?!5\))\d+": "seed=SEED",
    r"none of its \d+ numbers": "none of its N numbers",
    r"Isolation: \w+": "Isolation: LEVEL",
    r"\x1b\[[\d;]*m": "",
    r"(?m) +$": "",
    re.escape(str(ROOT)): "CLONE",
}
IMPORT = "import grader.in_notebook as kata"


@dataclass
class Said:
    """What a cell gave: its number, its streams, what it displayed, and the name of its error."""

    number: int = 0
    printed: str = ""
    shown: list[dict[str, str]] = field(default_factory=list)
    error: str = ""
    traceback: str = ""

    def only(self, kind: str) -> str:
        """The one thing that is displayed, as text or HTML."""
        assert not self.error and not self.printed, (self.error, self.printed)
        (data,) = self.shown
        return data[f"text/{kind}"]

    @property
    def text(self) -> str:
        return self.only("plain")

    @property
    def html(self) -> str:
        return self.only("html")


class Kernel:
    """A kernel with the grader's module imported."""

    def __init__(self, manager: Any, client: Any) -> None:
        self.manager, self._client = manager, client

    def run(self, source: str, meanwhile: Callable[[str], None] | None = None, *, by_person: bool = True) -> Said:
        """Run a cell. `meanwhile` is told what it prints, as soon as it does.

        by_person: as a notebook's page runs it, and no program for notebooks.
        """
        said = Said()

        def take(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] == "stream":
                said.printed += content["text"]
                if meanwhile is not None:
                    meanwhile(content["text"])
            elif message["msg_type"] == "display_data":
                said.shown.append(content["data"])
            elif message["msg_type"] == "error":
                said.error, said.traceback = content["ename"], "\n".join(content["traceback"])

        reply = self._client.execute_interactive(source, timeout=SECONDS, output_hook=take, allow_stdin=by_person)
        said.number = reply["content"]["execution_count"]
        return said

    def check(self, exercise: str, **options: object) -> Said:
        """Run the cell that checks an answer."""
        given = "".join(f", {name}={value!r}" for name, value in options.items())
        return self.run(f'kata.check("{exercise}"{given})')

    def told(self, expression: str) -> Any:
        """What an expression of plain data is worth there."""
        said = self.run(f"print(repr({expression}))")
        assert not said.error, said.traceback
        return eval(said.printed)  # our own

    def commands(self) -> list[Any]:
        """What answers a question of this kernel now."""
        import psutil

        children = psutil.Process(self.manager.provisioner.process.pid).children()
        running = [each for each in children if each.status() != psutil.STATUS_ZOMBIE]
        return [each for each in running if "grader.cli.check_cell" in each.cmdline()]

    def close(self) -> None:
        self._client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def typed(kernel: Kernel, transcript: Path) -> str:
    """The transcript as it comes of its cells now."""
    parts = []
    for found in CELL.finditer(transcript.read_text("utf-8")):
        prompt, source = found.groups()
        if not prompt:
            parts.append(f"{found[0]}\n")
            continue
        said = kernel.run(re.sub(r"(?m)^\.\.\. ?", "", source), by_person=prompt == ">>>")
        shown = [said.printed, *(data["text/plain"] for data in said.shown)]
        shown += [said.traceback if said.error == "NotPassed" else said.error]
        text = "\n".join(each.strip("\n") for each in shown if each)
        for varying, put in VARYING.items():
            text = re.sub(varying, put, text)
        parts.append(f"{found[0]}\n{text}\n\n" if text else f"{found[0]}\n\n")
    return f"{''.join(parts).rstrip()}\n"


OpenKernel = Callable[..., Kernel]


@pytest.fixture(scope="module")
def open_kernel(
    tmp_path_factory: pytest.TempPathFactory, course_in: Callable[[Path], dict[str, str]]
) -> Iterator[OpenKernel]:
    """Starts a kernel in a folder, away from the user's own settings; it ends after the tests of the file."""
    from jupyter_client.manager import start_new_kernel

    home = tmp_path_factory.mktemp("jupyter")
    service = {"KATA_SERVICE": "1", "XDG_RUNTIME_DIR": str(home)}
    opened: list[Kernel] = []

    def open_one(folder: Path, *, first: str = IMPORT) -> Kernel:
        with pytest.MonkeyPatch.context() as patch:
            for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
                patch.setenv(name, str(home / name))
            for name, value in {**service, **course_in(folder)}.items():
                patch.setenv(name, value)
            manager, client = start_new_kernel(startup_timeout=SECONDS, kernel_name="python3", cwd=str(folder))
        opened.append(Kernel(manager, client))
        said = opened[-1].run(first)
        assert not said.error, said.traceback
        return opened[-1]

    yield open_one
    for kernel in opened:
        kernel.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(home))
        running_judges(end=True)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    """Exercises that ask for the parts of a whole: `share`, and two more, of which one is answered in kept.txt alone."""
    kits = ["01_parts/01_share", "01_parts/02_slice", "02_more/01_rest"]
    return make_course(tmp_path_factory.mktemp("course") / "tiny", *kits)


@pytest.fixture(scope="module")
def kernel(open_kernel: OpenKernel, course: Path) -> Kernel:
    """A kernel in that course, the same for all tests of a file: each defines what it needs itself."""
    return open_kernel(course)
