from families.self_attention import agrees_with_formula, case, keeps_sequences_apart

from grader.judge.authoring import points


@points(0.5, role="manners", visible=True)
def test_documents_example_runs(learner, draw):
    """The document's last lines run: MySelfAttention(64) turns (2, 100, 64) into (2, 100, 64)."""
    learner.outputs(case(draw, 2, 100, 64))


@points(2.5, role="main")
def test_fault_is_gone(learner, draw):
    """The fault is gone: the output is softmax(query · keyᵀ / √D) · value."""
    agrees_with_formula(learner, draw)


@points(1)
def test_training_still_works(learner, draw):
    """Nothing else broke: gradients reach x and all three layers."""
    batch, tokens, width = draw.distinct(3, 2, 7)
    learner.agrees_in_gradients(case(draw, batch, tokens, width))


@points(0.25, role="manners")
def test_sequences_are_still_separate(learner, draw):
    """Nothing else broke: a sequence of the batch is not disturbed by the others."""
    keeps_sequences_apart(learner, draw)


@points(0.25, role="manners")
def test_input_is_left_alone(learner, draw):
    """Nothing else broke: the input x is not changed."""
    learner.keeps_inputs(case(draw, 2, 3, 4))


@points(1.5, role="repair")
def test_repair_is_small(learner):
    """The repair is small: at most two lines out and two in."""
    learner.repaired_with(removed=2, added=2)
