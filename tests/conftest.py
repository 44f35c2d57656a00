"""What many tests share: a migrated database of their own, people, and a small project."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from labeling.database import get_engine, migrate

settings.register_profile("assay", deadline=None)  # no test fails for the speed of the machine it runs on
settings.load_profile("assay")


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A migrated database that only this test sees; everything in the process talks to it."""
    url = f"sqlite:///{tmp_path / 'assay.db'}"
    monkeypatch.setenv("ASSAY_DATABASE_URL", url)
    migrate()
    yield url
    get_engine(url).dispose()
