"""The README's lines run as they stand."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.data import REPOSITORY

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like the repository, whose build folder and database are this test's own."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("labeling", "metrics", "migrations"):
        (folder / name).symlink_to(REPOSITORY / name)
    (folder / "build").mkdir()
    return folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "ASSAY_DATABASE_URL": f"sqlite:///{folder / 'data.db'}",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        ["bash", "-euc", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.split("\n")[0])
def test_the_shell_lines_of_the_readme_run(block: str, workplace: Path) -> None:
    for line in block.strip().splitlines():
        done = run(line, workplace)
        assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.parametrize("block", PYTHON)
def test_the_program_of_the_readme_runs(block: str, workplace: Path) -> None:
    done = subprocess.run([sys.executable, "-c", block], cwd=workplace, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "nDCG@10" in done.stdout


def test_the_pictures_of_the_readme_are_there_and_small() -> None:
    for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README):
        assert (REPOSITORY / name).stat().st_size < 300_000


def test_the_two_commands_of_the_readme_are_verbs_of_make() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for verb in ("run", "test", "check", "bench", "docs", "setup"):
        assert re.search(rf"^{verb}:", makefile, re.MULTILINE)
    assert shutil.which("bash")
