"""Numbers that are the learner's own are read by the judge, and known mistakes recognised by the reading."""

import torch

from grader.judge.bank import Mistake
from grader.judge.course_code import CourseCode, TrustedModule
from grader.judge.diagnosis import Naming
from grader.judge.plan import KnownAnswers, Plan, PlannedCheck, packed_sample
from grader.judge.questions import Answers, Case, Exchange, Question, Talk, function

GROWS = "import torch\n\n\ndef grow(x):\n    return x * 2\n"
BANK = """
from grader.judge.authoring import Mistake

MISTAKES = [Mistake("shrinks", "It shrinks.", caught_by="test_grows", edits=[("x * 2", "x / 2")])]
"""


def growth(ask):
    """Asks twice, the second time with what came back."""
    x, factors = torch.ones(2), []
    for _ in range(2):
        case = Case()
        case.call(case.entry("grow"), x, return_as="grown")
        (answers,) = ask(case)
        factors.append(bool((answers["grown"] > x).all()))
        x = answers["grown"]
    return {"grows": factors}


TALK = Talk(read=growth, is_random=True).question


def module(source):
    return TrustedModule(source, "a learner")


def read_from(source):
    (came,) = module(source).answer(TALK)
    return came


def test_a_later_question_may_depend_on_earlier_answers():
    assert read_from(GROWS) == Answers({"grows": [True, True]})


def test_an_error_is_read_as_what_it_was():
    came = read_from("grow = None")
    assert came.error is not None and came.error["kind"] == "exception"


def test_a_mistake_is_recognised_by_its_reading_though_the_numbers_are_others(tmp_path):
    (tmp_path / "solution.py").write_text(GROWS)
    (tmp_path / "bank.py").write_text(BANK)
    expected = Plan("grow", 7, CourseCode(tmp_path / "solution.py", tmp_path / "bank.py"))
    came = read_from(GROWS.replace("x * 2", "x / 7"))
    (mistake,) = Naming({"test_grows": [Exchange(TALK, [came])]}, {"test_grows": True}, expected).named()
    assert mistake.id == "shrinks"


def test_in_a_plan_readings_are_left_aside_and_name_no_mistake(tmp_path):
    question = Question.of([function("grow", torch.ones(2))])
    wrong = module("def grow(x):\n    return x / 2\n").answer(question)
    planned = [Exchange(question, module(GROWS).answer(question))]
    check = PlannedCheck("test_agrees", is_visible=False, exchanges=planned)
    known = {"same": planned[0].answers, "shrinks": wrong}
    samples = {id: {question.digest: list(map(packed_sample, of))} for id, of in known.items()}
    mistakes = [(Mistake(id, ""), KnownAnswers(of)) for id, of in samples.items()]
    alone = Plan("grow", 7, checks={check.name: check}, sampled=mistakes)
    read = {"test_grows": [Exchange(TALK, [Answers({"grows": [False, False]})])]}
    assert Naming(read, {"test_grows": True}, alone).named() == []
    for others in ({}, read):  # what is known of other checks counts all the same
        asked = {**others, "test_agrees": [Exchange(question, wrong)]}
        (mistake,) = Naming(asked, dict.fromkeys(asked, True), alone).named()
        assert mistake.id == "shrinks"


def weights_after(source_module, texts, *, rate=0.1):
    case = Case()
    net = case.call(case.entry("net"))
    case.train(net, texts, rate, keep=True)
    case.call(net, torch.zeros(1, 1, dtype=torch.int64), return_as="logits")
    return source_module.answer(Question.of([case]))[0]["logits"]


def test_a_kept_model_is_found_again_only_by_the_same_training():
    learner = module("import torch\n\n\ndef net():\n    return torch.nn.Embedding(5, 5)\n")
    texts, others = torch.arange(24).view(2, 3, 4) % 5, torch.arange(24).view(2, 3, 4) % 3
    first = weights_after(learner, texts)
    learner._answers.clear()
    assert torch.equal(weights_after(learner, texts), first)
    (kept,) = learner.namespace["models kept"].values()
    assert torch.equal(kept(torch.zeros(1, 1, dtype=torch.int64)), first)
    assert not torch.equal(weights_after(learner, others), first)
    assert not torch.equal(weights_after(learner, texts, rate=0.2), first)
    assert len(learner.namespace["models kept"]) == 3
