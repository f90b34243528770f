"""A zygote's memory is gathered into large pages where the system has them, and nothing that is in it changes."""

import json
import subprocess
import sys
from pathlib import Path

from grader.sandbox.inside import zygote

from ..cases import rows, table

GATHER = """
import json
from grader.sandbox.inside.zygote import collapse, places

held = [bytes([n % 256]) * 5000 for n in range(4000)]
found = places()
for place in found:
    collapse(place)
with open("/proc/self/smaps") as lines:
    large = sum(int(line.split()[1]) for line in lines if line.startswith("AnonHugePages"))
is_whole = all(part == bytes([n % 256]) * 5000 for n, part in enumerate(held))
print(json.dumps({"places": len(found), "large_kb": large, "is_whole": is_whole}))
"""
SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def test_memory_is_in_large_pages_and_as_it_was():
    done = subprocess.run([sys.executable, "-c", GATHER], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["is_whole"] and told["places"] > 0
    has_large_pages = SETTING.exists() and "[never]" not in SETTING.read_text()
    assert told["large_kb"] >= 2048 or not has_large_pages


@rows(table(__file__, "maps.yml"), "line", "count")
def test_only_whole_pages_of_a_process_own_memory_are_gathered(tmp_path, monkeypatch, line, count):
    monkeypatch.setattr(zygote, "MAPS", str(tmp_path / "maps"))
    assert zygote.places() == []  # a system without such a list
    (tmp_path / "maps").write_text(line + "\n")
    assert len(zygote.places()) == count
