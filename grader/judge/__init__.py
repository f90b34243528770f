"""The trusted side: the objects a check talks to, comparison, known mistakes, and the pytest that runs the checks."""
