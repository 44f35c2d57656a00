"""The plan of the house, held: who may import whom, and how large a room may grow."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.support.data import REPOSITORY

SOURCES = sorted([*REPOSITORY.glob("metrics/**/*.py"), *REPOSITORY.glob("labeling/**/*.py"), REPOSITORY / "app.py"])
PURE = ("labeling/agreement.py", "labeling/aggregation.py", "labeling/draws.py", "labeling/exchange/")
DATABASE = ("sqlalchemy", "alembic", "labeling.database", "labeling.schema")


def imported(path: Path) -> set[str]:
    """Every module that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def uses(path: Path, *packages: str) -> set[str]:
    return {
        name for name in imported(path) for package in packages if name == package or name.startswith(f"{package}.")
    }


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_go_one_way(path: Path) -> None:
    name = name_of(path)
    if name.startswith("metrics/"):
        assert not uses(path, "labeling", "sqlalchemy", "streamlit")
    if name.startswith(PURE):
        assert not uses(path, *DATABASE)
    if not name.startswith("labeling/ui/") and name != "app.py":
        assert not uses(path, "streamlit")
    if name.startswith("labeling/ui/") or name in ("labeling/web.py", "labeling/web_pages.py"):
        assert not uses(path, "sqlalchemy", "alembic", "labeling.schema")
    if not name.startswith("labeling/ui/"):
        assert not uses(path, "labeling.ui.pages", "labeling.ui.components")


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_rooms_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            assert lines <= 60, f"{node.name} has {lines} lines"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text))


def test_the_launcher_stays_a_launcher() -> None:
    assert len((REPOSITORY / "app.py").read_text(encoding="utf-8").splitlines()) < 40


def test_no_assert_checks_input() -> None:
    for path in SOURCES:
        asserts = [
            node.lineno
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Assert)
        ]
        assert not asserts, f"{name_of(path)} lines {asserts}"


def test_what_ships_is_pinned_exactly() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
        wanted = [line for line in lines if line.strip() and not line.startswith(("#", "-r"))]
        assert all(re.fullmatch(r"[\w.\-\[\]]+==[\w.]+", line) for line in wanted)
    pinned = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").lower()
    for line in wanted:
        assert line.lower().replace("_", "-") in pinned.replace("_", "-")


def test_the_settings_of_streamlit_are_the_ones_the_app_relies_on() -> None:
    settings = tomllib.loads((REPOSITORY / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["runner"] == {"postScriptGC": False, "magicEnabled": False}
    assert settings["client"]["showErrorDetails"] == "none"
    assert settings["server"].get("enableCORS", True) is not False
