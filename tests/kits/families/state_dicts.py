"""Checks of functions that take the state dict of a module and return another one."""

from collections.abc import Mapping

from grader.judge.authoring import Case, expect, same


def plain(entry, weights, *others):
    """The function called with a plain dict of tensors."""
    asked = Case()
    state = {name: asked.tensor(tensor, name=name) for name, tensor in weights.items()}
    asked.output = asked.call(asked.entry(entry), state, *others, return_as="output")
    return asked


def leaves_dict_alone(state, given, instead):
    """Check that a dict of tensors came back unchanged; `instead` says what to do rather than change a tensor."""
    expect(isinstance(state, Mapping), "The dict that was passed in could not be read afterwards.")
    missing = [name for name in given if name not in state]
    expect(
        not missing,
        f"Gone from the dict that was passed in: {', '.join(missing)}. Read with [...], not with pop or del.",
    )
    expect(len(state) == len(given), "The dict that was passed in has got new names. Put them into a dict of your own.")
    changed = [name for name, tensor in given.items() if not same(state[name], tensor)]
    expect(not changed, f"Changed in the dict that was passed in: {', '.join(changed)}. {instead}")
