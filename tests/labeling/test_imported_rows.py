"""Imported judgments with odd values, and with the names of people who judge here themselves."""

import pandas as pd
import pytest
from sqlalchemy import text

from labeling import imports
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.errors import Conflict
from tests.support.campaign import NOW, Card, make_people, make_project


def rows(statement: str) -> list[tuple]:
    with reading() as session:
        return [tuple(row) for row in session.execute(text(statement))]


def bring(project: int, *, query_id: str = "q0", doc_id: str = "d0", rater: str = "file", **more: object) -> None:
    row = {"query_id": query_id, "doc_id": doc_id, "rater": rater, "grade": 1, "kind": "grade", **more}
    with writing() as session:
        imports.import_judgments(session, COMMAND_LINE, project, pd.DataFrame([row]), files=["votes.csv"], now=NOW)


@pytest.mark.parametrize("version", ["\u00b2", "9" * 400, "1e400", "nan", "-1", "", None])
def test_a_rubric_version_that_is_none_means_the_newest(database: str, version: object) -> None:
    bring(make_project(), rubric_version=version)
    assert rows("SELECT count(*) FROM judgment JOIN rubric ON rubric.id = rubric_id WHERE version = 1") == [(1,)]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "soon", pd.NaT, None])
def test_a_moment_that_is_none_means_that_of_the_import(database: str, moment: object) -> None:
    bring(make_project(), judged_at=moment)
    assert rows("SELECT judged_at FROM judgment")[0][0].startswith("2026-03-02 09:00:00")


def test_a_file_never_speaks_for_a_person_who_judges_here(database: str) -> None:
    project = make_project()
    card = Card(make_people("Ann")[0], project)
    card.send(hello=True)
    pair = card.held[0]
    card.grade(3)
    with pytest.raises(Conflict, match="Ann, who judges here"):
        bring(project, query_id=pair["query_id"], doc_id=pair["doc_id"], rater="Ann")
    assert rows("SELECT grade FROM judgment") == [(3,)]
    assert rows("SELECT count(*) FROM import_batch") == [(0,)]


def test_a_person_who_comes_after_a_file_with_their_name_leaves_its_rater_alone(database: str) -> None:
    project = make_project()
    bring(project, rater="Ann")
    Card(make_people("Ann")[0], project).send(hello=True)
    bring(project, rater="Ann")
    assert rows("SELECT name, account_id IS NULL FROM rater ORDER BY name") == [("Ann", 1), ("Ann (2)", 0)]
    assert rows("SELECT count(*), count(DISTINCT rater_id) FROM judgment") == [(2, 1)]
