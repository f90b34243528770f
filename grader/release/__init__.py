"""What learners and autograders get: the wheel for learners, and the grader packed for Gradescope and GitHub."""
