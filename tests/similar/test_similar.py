"""`kata similar`: copies are named whatever was done to names and comments; what the exercise explains is not."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from grader.classroom.likeness import MOST_WORDS, alike, words_of
from grader.course import Exercise, load_course
from grader.course.stubs import stub_of

pytest.importorskip("rapidfuzz", reason="it comes with the instructor's extra, which is not made for 3.10")

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")
LONG = "multi_head_attention"

MINE = """\
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        # eight heads make me dizzy
        self.per_head = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.forget = nn.Dropout(dropout)

    def forward(self, x):
        pieces = []
        asked, offered, told = self.W_query(x), self.W_key(x), self.W_value(x)
        for head in range(asked.shape[-1] // self.per_head):
            begin, finish = head * self.per_head, (head + 1) * self.per_head
            fits = torch.einsum("bqd,bkd->bqk", asked[..., begin:finish], offered[..., begin:finish])
            # the future is none of its business
            later = torch.ones(fits.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
            fits = fits.masked_fill(later, float("-inf")) / self.per_head**0.5
            pieces.append(self.forget(fits.softmax(-1)) @ told[..., begin:finish])
        return self.out_proj(torch.cat(pieces, -1))
"""
OTHERS = """\
import torch
import torch.nn as nn
import math


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.h = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("m", torch.tril(torch.ones(context_length, context_length)))

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (w(x).reshape(B, T, self.h, -1).permute(0, 2, 1, 3) for w in (self.W_query, self.W_key, self.W_value))
        att = torch.matmul(q, k.permute(0, 1, 3, 2)) * (1.0 / math.sqrt(q.size(3)))
        att = torch.where(self.m[:T, :T] == 0, torch.full_like(att, -torch.inf), att)
        y = torch.matmul(self.drop(torch.softmax(att, 3)), v)
        return self.out_proj(y.permute(0, 2, 1, 3).reshape(B, T, -1))
"""
NAMES = ("per_head", "forget", "pieces", "asked", "offered", "told", "head", "begin", "finish", "fits", "later")


def renamed(text: str) -> str:
    """As somebody hides a copy: other names, no comments, other blanks."""
    for number, name in enumerate(NAMES):
        text = re.sub(rf"\b{name}\b", f"value_{number}", text)
    lines = [line for line in text.splitlines() if not line.strip().startswith("#")]
    return "\n\n".join(lines).replace(", ", " ,  ")


def known(exercise: Exercise, *, alternatives: bool = True) -> list[str]:
    others = sorted(COURSE.alternatives_path(exercise).glob("*.py")) if alternatives else []
    return [stub_of(COURSE, exercise), *(p.read_text("utf-8") for p in (COURSE.solution_path(exercise), *others))]


def named(answers: Mapping[str, str], id: str = LONG) -> list[tuple[str, str, str]]:
    found = alike(id, answers, known(COURSE.exercise(id)))
    return [(each.one, each.other, each.view) for each in found]


@pytest.mark.parametrize(
    ("copy", "view"),
    [
        pytest.param(MINE, "written", id="word for word"),
        pytest.param(MINE.replace("dizzy", "sick"), "written", id="one word changed"),
        pytest.param(renamed(MINE), "renamed", id="renamed, without comments, spaced otherwise"),
    ],
)
def test_a_copy_is_named(copy: str, view: str) -> None:
    assert named({"ada": MINE, "bo": copy, "carla": OTHERS}) == [("ada", "bo", view)]


def test_answers_of_their_own_are_not_alike() -> None:
    assert named({"ada": MINE, "carla": OTHERS}) == []


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_the_courses_own_answers_make_nobody_alike(exercise: Exercise) -> None:
    """Two learners who both found what the course has for an answer."""
    texts = known(exercise)
    answers = {f"{number}-{who}": text for number, text in enumerate(texts) for who in ("ada", "bo")}
    assert alike(exercise.id, answers, texts) == []


def test_right_answers_that_were_written_apart_are_not_taken_for_copies() -> None:
    """All alternatives as a class that the course knows nothing of but stub and reference.

    Of these the one pair that is named has one skeleton: who wrote them began the second with the first.
    """
    pairs, tried = [], 0
    for exercise in COURSE.exercises:
        answers = {p.stem: p.read_text("utf-8") for p in sorted(COURSE.alternatives_path(exercise).glob("*.py"))}
        tried += len(answers) * (len(answers) - 1) // 2
        found = alike(exercise.id, answers, known(exercise, alternatives=False))
        pairs += [(each.exercise, each.one, each.other) for each in found]
    assert pairs == []
    assert f"of {tried:,} pairs none is named" in (ROOT / "docs" / "similar.md").read_text("utf-8")


def test_what_many_in_the_class_have_belongs_to_the_exercise() -> None:
    two = {f"learner {number}": MINE for number in range(2)}
    many = {f"learner {number}": MINE for number in range(8)}
    assert len(named(two)) == 1 and named(many) == []


def test_who_hands_in_together_is_no_pair_and_whoever_copies_from_them_is() -> None:
    together = {f"learner {number}": "Red" for number in range(5)}
    answers = {**dict.fromkeys(together, MINE), "mallory": renamed(MINE), "carla": OTHERS}
    found = alike(LONG, answers, known(COURSE.exercise(LONG)), together)
    assert {(each.one, each.other) for each in found} == {(name, "mallory") for name in together}


def test_nothing_that_is_alike_is_passed_over_to_save_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """With every pair compared word by word the same are named: what is left out before could not be alike."""
    everything = {
        p.stem: p.read_text("utf-8")
        for each in COURSE.exercises
        for p in sorted(COURSE.alternatives_path(each).glob("*.py"))
    }
    answers = {"ada": MINE, "bo": renamed(MINE), "carla": OTHERS, **dict(list(everything.items())[:40])}
    quick = alike(LONG, answers, known(COURSE.exercise(LONG)))
    monkeypatch.setattr("grader.classroom.likeness._may_be_alike", lambda *_: True)
    assert alike(LONG, answers, known(COURSE.exercise(LONG))) == quick != []


def test_few_pairs_of_a_large_class_have_to_be_compared_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred learners whose answers differ by what they call things, and two who copied."""
    compared: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "grader.classroom.likeness._compared", lambda exercise, one, other, own, view: compared.append((one, other))
    )
    lines = OTHERS.splitlines()
    answers = {
        f"s{number:03d}": "\n".join(
            f"{line}  # {number * 7919 % 997} {place * number}" if (place + number) % 3 else line
            for place, line in enumerate(lines)
        )
        for number in range(200)
    }
    alike(LONG, {**answers, "ada": MINE, "bo": MINE}, known(COURSE.exercise(LONG)))
    assert ("ada", "bo") in compared and len(set(compared)) < 200


def test_the_lines_that_are_marked_are_those_that_both_share() -> None:
    own = MINE.replace("self.out_proj(torch.cat(pieces, -1))", "self.out_proj(torch.hstack(list(pieces)).contiguous())")
    (found,) = alike(LONG, {"ada": MINE, "bo": own}, known(COURSE.exercise(LONG)))
    shared = [MINE.splitlines()[line - 1].strip() for line in sorted(found.lines[0])]
    assert "# eight heads make me dizzy" in shared and "pieces = []" in shared
    assert "super().__init__()" not in shared  # the stub has that


def test_of_an_endless_answer_a_bounded_part_is_read() -> None:
    text = words_of("a b c d e f g h\n" * 1_000_000)
    assert len(text.words) == MOST_WORDS
    assert named({"ada": "x = y + z\n" * 100_000, "bo": "x = y + z\n" * 100_000})


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def class_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "SUBMISSIONS"
    for learner, text in {"ada": MINE, "bo": renamed(MINE), "carla": OTHERS}.items():
        (folder / learner).mkdir(parents=True)
        (folder / learner / f"{LONG}.py").write_text(text, "utf-8")
    return folder


def test_the_command_names_the_pair_and_writes_them_side_by_side(class_folder: Path, kata: Kata) -> None:
    done = kata("similar", class_folder, "--html", "alike.html", "--course", ROOT, cwd=class_folder.parent)
    assert done.returncode == 0, done.stderr
    assert "ada, bo" in done.stdout and LONG in done.stdout and "carla" not in done.stdout
    assert "marks nobody" in done.stdout
    page = (class_folder.parent / "alike.html").read_text("utf-8")
    assert "<h2>ada and bo</h2>" in page and "the same but for names and comments" in page
    assert "<mark>        pieces = []</mark>" in page and "<span>import torch</span>" in page and "carla" not in page


@pytest.mark.parametrize("only", [["--only", LONG], ["--only", "softmax"]], ids=["this one", "another"])
def test_only_some_exercises(only: list[str], class_folder: Path, kata: Kata) -> None:
    done = kata("similar", class_folder, *only, "--course", ROOT, cwd=class_folder.parent)
    assert done.returncode == 0 and ("ada, bo" in done.stdout) == (LONG in only)


def test_a_zip_of_the_class_does_as_well(class_folder: Path, kata: Kata) -> None:
    path = class_folder.parent / "class.zip"
    with zipfile.ZipFile(path, "w") as pack:
        for file in sorted(class_folder.rglob("*.py")):
            pack.write(file, file.relative_to(class_folder))
    shutil.rmtree(class_folder)
    done = kata("similar", "class.zip", "--course", ROOT, cwd=path.parent)
    assert done.returncode == 0 and "ada, bo" in done.stdout, done.stderr


def test_nothing_that_a_learner_wrote_is_run_or_reaches_the_page_as_more_than_text(
    class_folder: Path, kata: Kata
) -> None:
    mark = class_folder.parent / "ran"
    hostile = f"open({str(mark)!r}, 'w')\n# <script>alert(1)</script> \x1b[31m\n{MINE}"
    for learner in ("ada", "bo"):
        (class_folder / learner / f"{LONG}.py").write_text(hostile, "utf-8")
    done = kata("similar", class_folder, "--html", "alike.html", "--course", ROOT, cwd=class_folder.parent)
    page = (class_folder.parent / "alike.html").read_text("utf-8")
    assert done.returncode == 0 and not mark.exists()
    assert "<script>" not in page and "&lt;script&gt;" in page and "\x1b" not in page + done.stdout


def test_nobody_is_named_in_a_class_without_copies(class_folder: Path, kata: Kata) -> None:
    shutil.rmtree(class_folder / "bo")
    done = kata("similar", class_folder, "--course", ROOT, cwd=class_folder.parent)
    assert done.returncode == 0
    assert done.stdout == "No answers of 2 learners are alike beyond what the exercises explain.\n"


def test_it_loads_no_torch(class_folder: Path, run_command: Kata) -> None:
    code = (
        "import sys; from grader.cli.app import app; import grader.cli;"
        "app(['similar', 'SUBMISSIONS', '--course', sys.argv[1]], standalone_mode=False);"
        "print('torch' in sys.modules)"
    )
    import sys

    done = run_command(sys.executable, "-c", code, ROOT, cwd=class_folder.parent)
    assert done.stdout.splitlines()[-1] == "False", done.stderr
