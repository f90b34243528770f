"""The scripts that compare this grader with others work end to end; the others themselves are not installed here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
ONLY = "soft_lookup"


def run(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / script, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("figures")


@pytest.mark.thorough
def test_a_class_is_graded_and_timed(figures: Path) -> None:
    file = figures / "class.json"
    told = run("rivals/classes.py", "--learners=3", "--few=1", "--exercises", ONLY, "--rivals", "--json", str(file))
    assert "| ours | same |" in told
    (row,) = json.loads(file.read_text())["rows"]
    assert row["learners"] == [3]
    assert row["seconds"][0] > 0


@pytest.mark.thorough
def test_a_class_of_which_no_two_answers_are_alike_is_graded(figures: Path) -> None:
    file = figures / "unlike.json"
    run("rivals/classes.py", "--quick", "--kind=unlike", "--exercises", ONLY, "--rivals", "--json", str(file))
    told = json.loads(file.read_text())
    assert told["kind"] == "unlike" and told["rows"][0]["learners"] == [2]


@pytest.mark.thorough
def test_a_locked_worker_is_timed_beside_a_plain_fork(figures: Path) -> None:
    file = figures / "bench.json"
    run("run.py", "--quick", "--only", "fork", "--json", str(file))
    (row,) = json.loads(file.read_text())["rows"]
    assert row["ratio"] == pytest.approx(row["ours"] / row["other"])


UNLIKE = """\
import json, sys
from pathlib import Path
import torch
from grader.course import load_course
from grader.judge.grading import Judge
from grader.sandbox.inside import host
from grader.intake import SourceFile, Submission
import hand_ins

course = load_course(Path("course.yml"))
hand_ins.SHARE_OF_WRONG = 0
chosen = [course.exercise(id) for id in ("softmax", "context_vector")]
x = torch.randn(7, 5, generator=torch.Generator().manual_seed(1))
found = {"marks": [], "bits": []}
judge = Judge(course, "none", 1, [each.id for each in chosen])
for each in hand_ins.class_of(course, chosen, 40, "unlike"):
    found["bits"].append(host.load(each.sources["softmax"], "softmax.py")["softmax"](x).sum(dtype=torch.float64).item())
    sources = {id: SourceFile(id, id, text.encode()) for id, text in each.sources.items()}
    judge.grade([Submission(each.learner, sources, ())], lambda record: found["marks"].append(record.points))
print(json.dumps(found))
"""


@pytest.mark.thorough
def test_answers_that_are_unlike_are_right_and_differ_in_their_last_bits() -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNLIKE],
        cwd=ROOT,
        env={"PATH": "", "PYTHONPATH": f"{ROOT}:{BENCHMARKS / 'rivals'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(set(found["marks"])) == 1
    assert len(set(found["bits"])) == 40


@pytest.mark.thorough
def test_growth_sees_the_memory_of_every_process(figures: Path) -> None:
    file = figures / "growth.json"
    told = run("growth.py", "--sizes", "1", "2", "--exercises", ONLY, "--json", str(file))
    one, two = json.loads(file.read_text())["sizes"]
    assert (one["graded"], two["graded"]) == (1, 2)
    assert two["all_mib"] > two["largest_mib"] > 0, told


BARE = """\
import json, os, sys
from pathlib import Path
from grader.course import load_course
import bare

facts, folder, *exercises = map(Path, sys.argv[1:])
course = load_course(Path("course.yml"))
bare.write_facts(facts, course, seed=1)
os.environ[bare.FACTS] = str(facts)
found = {}
for path in sorted(folder.glob("*.py")):
    source = path.read_text()
    names = {"In": ["", source]}
    exec(compile(source, path.name, "exec"), names)
    try:
        bare.check_cell("softmax", names)
        found[path.stem] = True
    except AssertionError:
        found[path.stem] = False
print(json.dumps(found))
"""


def test_the_rivals_checks_tell_right_from_wrong(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    right = (ROOT / "solutions" / "01_soft_lookup" / "03_softmax.py").read_text(encoding="utf-8")
    (answers / "right.py").write_text(right, encoding="utf-8")
    (answers / "wrong.py").write_text(right.replace("exps / exps.sum(", "exps * exps.sum("), encoding="utf-8")
    (answers / "forbidden.py").write_text(
        "import torch\n\ndef softmax(scores, dim=-1):\n    return torch.softmax(scores, dim=dim)\n", encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-c", BARE, tmp_path / "facts.json", answers],
        cwd=ROOT,
        env={"PATH": "", "PYTHONPATH": f"{ROOT}:{BENCHMARKS / 'rivals'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"right": True, "wrong": False, "forbidden": False}


FILLED = """\
import sys
from pathlib import Path
import tables

page, figures = map(Path, sys.argv[1:])
print(tables.filled(page.read_text(encoding="utf-8"), figures))
"""


def filled(page: Path, figures: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", FILLED, page, figures],
        env={"PATH": "", "PYTHONPATH": f"{ROOT}:{BENCHMARKS}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.thorough
def test_the_page_holds_the_figures_that_were_measured() -> None:
    page = ROOT / "docs" / "evidence.md"
    assert filled(page, BENCHMARKS / "figures").rstrip() == page.read_text(encoding="utf-8").rstrip()
