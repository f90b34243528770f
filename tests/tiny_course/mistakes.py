from grader.judge.authoring import Mistake

SUM = "amounts.sum(dim=-1, keepdim=True)"

MISTAKES = [
    Mistake("whole-sum", "You divided by one sum of everything.", "test_every_row_by_itself", [(SUM, "amounts.sum()")]),
    Mistake("columns", "You summed the columns.", edits=[(SUM, "amounts.sum(0, keepdim=True)")]),
    Mistake("largest", "You divided by the largest.", "test_example", [(SUM, "amounts.amax(-1, keepdim=True)")]),
]
