import csv
import doctest
import importlib
import inspect
from pathlib import Path

import pytest

from tests.support.data import shared_data

MODULES = ["agreement", "aggregation", "draws", "exchange.judgments", "exchange.queries", "exchange.documents"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_public_functions_are_true(name):
    module = importlib.import_module(f"labeling.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_explained(name):
    module = importlib.import_module(f"labeling.{name}")
    for public in module.__all__:
        value = getattr(module, public)
        if inspect.isfunction(value) or inspect.isclass(value):
            assert value.__doc__


def test_every_dirty_file_of_judgments_and_queries_has_a_test():
    with shared_data("dirty", "INDEX.csv").open() as lines:
        names = [row["file"] for row in csv.DictReader(lines) if row["kind"] in ("judgments", "queries")]
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*_import.py"))
    assert names
    assert [name for name in names if name not in tests] == []
