"""A pool has the same limits as the project's settings, whichever door the numbers come through."""

import pytest

from labeling import pool
from labeling.accounts import COMMAND_LINE
from labeling.database import writing
from labeling.errors import AssayError
from tests.support.campaign import make_project


@pytest.mark.parametrize(("depth", "overlap"), [(0, 2), (10, 0), (1001, 2), (10, 21), (10, 10**20)])
def test_a_depth_or_overlap_beyond_the_limits_is_refused(database: str, depth: int, overlap: int) -> None:
    project = make_project()
    with pytest.raises(AssayError, match="from 1 to 1000"), writing() as session:
        pool.build_pool(session, COMMAND_LINE, project, depth=depth, overlap=overlap)
