"""Fuzz what the grader reads for as long as you like: `python scripts/fuzz.py [TARGET ...] [--minutes N]`.

Guided by coverage with atheris (`pip install -e '.[fuzz]'`, Linux). What was found lies in build/fuzz/TARGET/found; put
it into tests/fuzz/seeds/TARGET and it stays a test.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

OUT = ROOT / "build" / "fuzz"
HANG_SECONDS = 300
"""Wall time, for inputs that take milliseconds: the machine may be busy."""
MEMORY_MB = 3072
MAX_INPUT_BYTES = 16 * 1024
LONGEST_START = 8 * 1024
"""Bytes of an input to start from; long ones are slow, and show nothing that short ones do not."""
FOLLOWED = ("grader", "zipfile", "csv")
"""Packages whose branches count as new code."""


def guided(name: str, minutes: float) -> list[Path]:
    """Let atheris look for inputs in a process of its own, for so long or until one does harm; what it found."""
    corpus, valid, found = (OUT / name / part for part in ("corpus", "valid", "found"))
    for folder in (corpus, valid, found):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    options = [f"-max_total_time={round(minutes * 60)}", f"-timeout={HANG_SECONDS}", f"-max_len={MAX_INPUT_BYTES}"]
    options += [f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={found}/", "-print_final_stats=1"]
    log = OUT / name / "log.txt"
    with log.open("wb") as output:
        command = [sys.executable, __file__, "--inside", name, str(corpus), str(valid), *options]
        done = subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False)
    print(f"{name}:", *log.read_text(encoding="utf-8", errors="replace").splitlines()[-8:], sep="\n  ", flush=True)
    return sorted(set(found.iterdir()) - before) or ([log] if done.returncode else [])


def inside(name: str, corpus: str, valid: str, *options: str) -> None:
    """In that process: one target under atheris."""
    import atheris

    for module in ("zipfile", "csv"):
        sys.modules.pop(module, None)  # loaded by atheris or Python itself, without being followed
    with atheris.instrument_imports(include=list(FOLLOWED)):
        from tests.fuzz import targets

        target = targets.warm(name)
    starts = [*targets.examples(target), *(data for _, data in targets.seeds_of(name))]
    for number, data in enumerate(starts):
        if len(data) <= LONGEST_START:
            (Path(valid) / f"valid-{number:03}").write_bytes(data)
    atheris.Setup([sys.argv[0], corpus, valid, *options], lambda data: targets.run(target, data))
    atheris.Fuzz()


def main() -> int:
    """Fuzz each target, and name what was found."""
    from tests.fuzz.targets import NAMES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="*", metavar="TARGET", help=", ".join(NAMES))
    parser.add_argument("--minutes", type=float, default=10.0, help="for each target (10)")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.target if name not in NAMES]:
        parser.error(f"there is no target {unknown[0]}; there are {', '.join(NAMES)}")
    if find_spec("atheris") is None:
        print("atheris is not installed: pip install -e '.[fuzz]'.", file=sys.stderr)
        return 2
    found = [path for name in chosen.target or NAMES for path in guided(name, chosen.minutes)]
    for path in found:
        print(f"FOUND: {path.relative_to(ROOT)}")
    return bool(found)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        inside(*sys.argv[2:])
    else:
        sys.exit(main())
