"""The learner's bundle: a course without its answers, in which a learner can practise."""
