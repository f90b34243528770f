"""Some of a family's mistakes, where an exercise has no use for the others."""


def without(mistakes, *ids):
    """Those of a family but for some. Raises ValueError for an id that is none of theirs."""
    if unknown := set(ids) - {mistake.id for mistake in mistakes}:
        raise ValueError(f"without {min(unknown)!r}: there are only {', '.join(mistake.id for mistake in mistakes)}")
    return [mistake for mistake in mistakes if mistake.id not in ids]
