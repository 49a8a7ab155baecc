"""Examples in docstrings are run."""

import doctest
import importlib

import numpy as np
import pytest

import stiction


@pytest.mark.parametrize("module", ["stiction", "stiction._batch", "stiction._command", "stiction._world"])
def test_examples_in_docstrings(module):
    module = importlib.import_module(module)
    failed, tried = doctest.testmod(module, extraglobs={"stiction": stiction, "np": np})
    assert tried > 0 and failed == 0
