"""A zygote's memory is gathered into large pages where the system has them, and nothing that is in it changes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox.inside import warmth

GATHER = """
import json, re, sys
from grader.sandbox.inside.warmth import PageCollapse, places

held = [bytes([n % 256]) * 5000 for n in range(4000)]
collapse, steps = PageCollapse(), 1
while collapse.step():
    steps += 1
with open("/proc/self/smaps") as lines:
    large = sum(int(line.split()[1]) for line in lines if line.startswith("AnonHugePages"))
is_whole = all(part == bytes([n % 256]) * 5000 for n, part in enumerate(held))
print(json.dumps({"places": len(places()), "steps": steps, "large_kb": large, "is_whole": is_whole}))
"""
SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@pytest.fixture(scope="module")
def told():
    done = subprocess.run([sys.executable, "-c", GATHER], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_memory_is_as_it_was(told):
    assert told["is_whole"] and told["places"] > 0 and told["steps"] > 1


@pytest.mark.skipif(
    not SETTING.exists() or "[never]" in SETTING.read_text(), reason="this system has no large pages to gather"
)
def test_memory_is_in_large_pages(told):
    assert told["large_kb"] >= 2048


@pytest.mark.parametrize(
    ("line", "count"),
    [
        pytest.param("555000000000-555000400000 rw-p 00000000 00:00 0", 2, id="memory-of-nobody"),
        pytest.param("555000000000-555000400000 rw-p 00000000 00:00 0      [heap]", 2, id="heap"),
        pytest.param("555000001000-555000400000 rw-p 00000000 00:00 0", 1, id="begins-within-a-page"),
        pytest.param("555000001000-555000300000 rw-p 00000000 00:00 0", 0, id="holds-no-whole-page"),
        pytest.param("555000000000-555000400000 r-xp 00000000 00:00 0", 0, id="cannot-be-written"),
        pytest.param("555000000000-555000400000 rw-p 00000000 fe:00 7 /lib/a b.so", 0, id="of-a-file"),
        pytest.param("7ffd00000000-7ffd00400000 rw-p 00000000 00:00 0 [stack]", 0, id="stack"),
    ],
)
def test_only_whole_pages_of_a_process_own_memory_are_gathered(tmp_path, monkeypatch, line, count):
    maps = tmp_path / "maps"
    maps.write_text(line + "\n")
    monkeypatch.setattr(warmth, "MAPS", str(maps))
    assert len(warmth.places()) == count


def test_system_without_such_a_list_gathers_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(warmth, "MAPS", str(tmp_path / "none"))
    assert not warmth.PageCollapse().step()
