"""Where the real campaigns for tests lie; they are read in place and are no part of the repository."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def shared_data(*parts: str) -> Path:
    """A file or folder of the shared data; the test is skipped, with the reason, where it is absent."""
    given = os.environ.get("ASSAY_SHARED_DATA")
    folder = Path(given) if given else REPOSITORY.parent / "shared" / "data"
    path = folder.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs the shared data: {path} is absent (set ASSAY_SHARED_DATA)")
    return path
