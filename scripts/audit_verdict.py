"""Says what an audit of one lock file came to: `python scripts/audit_verdict.py LOCK FOUND SAID`.

FOUND is what pip-audit wrote as JSON, if it came to that; SAID is what it printed. Ends with 0 when every version was
looked up and nothing is known, 1 when something is, 3 when not every version could be looked up.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

CLEAN, KNOWN, NOT_ALL = 0, 1, 3
MOST_NAMED = 5


def main() -> None:
    """Print the verdict and end with its status."""
    lock, found, said = sys.argv[1:]
    try:
        packages = json.loads(Path(found).read_text(encoding="utf-8"))["dependencies"]
    except (OSError, ValueError, KeyError):
        last = Path(said).read_text(encoding="utf-8").strip().splitlines()[-1:]
        print(f"{lock}: NOT AUDITED, pip-audit did not finish: {''.join(last) or 'no reason given'}")
        sys.exit(NOT_ALL)
    status, sentence = verdict(packages)
    print(f"{lock}: {sentence}")
    sys.exit(status)


def verdict(packages: list[dict[str, Any]]) -> tuple[int, str]:
    """The status and what to say."""
    known = [
        f"{each['name']} {each['version']}: {vulnerability['id']}, mended in "
        f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for each in packages
        for vulnerability in each.get("vulns", ())
    ]
    unseen = [each["name"] for each in packages if "skip_reason" in each]
    if not packages:
        return NOT_ALL, "NOT AUDITED: there was no version to look up"
    parts = [f"{len(known)} known vulnerabilities: {'; '.join(known)}"] if known else []
    if unseen:
        named = ", ".join(unseen[:MOST_NAMED]) + (", …" if len(unseen) > MOST_NAMED else "")
        parts.append(f"NOT AUDITED: no word of {len(unseen)} of {len(packages)} versions ({named})")
    if parts:
        return KNOWN if known else NOT_ALL, ". ".join(parts)
    return CLEAN, f"nothing is known against any of {len(packages)} versions"


if __name__ == "__main__":
    main()
