"""The house rules of the package: examples run, names are sorted, nothing reaches beyond it, files stay small."""

import ast
import doctest
import importlib
import pkgutil

import pytest

import metrics
from tests.support.data import REPOSITORY

FILES = sorted((REPOSITORY / "metrics").glob("*.py"))
MODULES = [
    found.name for found in pkgutil.iter_modules(metrics.__path__, "metrics.") if found.name != "metrics.__main__"
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_right(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def test_the_public_names_are_sorted_and_exist():
    assert list(metrics.__all__) == sorted(
        metrics.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name)
    )
    assert all(hasattr(metrics, name) for name in metrics.__all__)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_imports_nothing_of_labeling_and_never_asserts(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []  # fmt: skip
        assert not any(name.split(".")[0] in {"labeling", "streamlit", "sqlalchemy"} for name in names)
        assert not isinstance(node, ast.Assert)
