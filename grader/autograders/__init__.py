"""The grader packed for other people's machines: Gradescope's containers and GitHub's runners."""
