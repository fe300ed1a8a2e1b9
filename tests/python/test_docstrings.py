"""Every public function, class and method says what it does, and the examples in docstrings are true."""

import doctest
import inspect
import pathlib
import sys
import types

import numpy as np
import pytest

import brio

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts" / "api"))
import surface


@pytest.mark.parametrize("module", surface.public_modules(), ids=lambda m: m.__name__)
def test_public_names_have_docstrings(module):
    silent = [] if (module.__doc__ or "").strip() else [module.__name__]
    for name, value in surface.names(module).items():
        if (
            isinstance(value, types.ModuleType)
            or not (inspect.isclass(value) or surface.is_function(value))
            or not surface.is_own(value)
        ):
            continue
        if not (surface.own_doc(value) or "").strip():
            silent.append(name)
        if inspect.isclass(value):
            silent += [f"{name}.{member}" for member in surface.members(value) if not surface.member_doc(value, member)]
    assert not silent, f"{module.__name__} has names without a docstring: {', '.join(silent)}"


def with_examples():
    found = {}
    for module in surface.public_modules():
        for name, value in surface.names(module).items():
            if (inspect.isclass(value) or surface.is_function(value)) and ">>>" in (surface.own_doc(value) or ""):
                found.setdefault(id(value), pytest.param(value, id=f"{module.__name__}.{name}"))
    return list(found.values())


@pytest.mark.parametrize("value", with_examples())
def test_examples_in_docstrings(value):
    names = {"tf": brio, "keras": brio.keras, "np": np}
    test = doctest.DocTestParser().get_doctest(inspect.cleandoc(surface.own_doc(value)), names, value.__name__, None, 0)
    said = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not said, "".join(said)
