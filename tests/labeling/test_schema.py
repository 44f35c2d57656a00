"""The migrations make what the models say, up and down, with every constraint under its name."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

from labeling.database import alembic_config, get_engine, migrate, reading, writing
from labeling.schema import APPEND_ONLY, metadata
from tests.support.campaign import Card, make_people, make_project


def test_the_migrated_schema_is_the_one_of_the_models(database: str) -> None:
    with get_engine(database).connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_down_leaves_nothing_and_up_again_works(database: str) -> None:
    command.downgrade(alembic_config(database), "base")
    with get_engine(database).connect() as connection:
        assert set(inspect(connection).get_table_names()) == {"alembic_version"}
    migrate(database)
    with get_engine(database).connect() as connection:
        assert set(metadata.tables) <= set(inspect(connection).get_table_names())


def test_every_constraint_of_the_database_has_a_name(database: str) -> None:
    with get_engine(database).connect() as connection:
        found = inspect(connection)
        for table in metadata.tables:
            constraints = [
                *found.get_unique_constraints(table),
                *found.get_check_constraints(table),
                *found.get_foreign_keys(table),
                found.get_pk_constraint(table),
            ]
            assert all(one["name"] for one in constraints), table


def test_the_ledgers_have_triggers_against_change(database: str) -> None:
    with reading() as session:
        names = set(session.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars())
    assert names == {f"tr_{table}_no_{act}" for table in APPEND_ONLY for act in ("update", "delete")}


@pytest.mark.parametrize(
    ("kind", "grade", "constraint"),
    [
        ("grade", None, "ck_judgment_grade_with_kind"),
        ("skip", 2, "ck_judgment_grade_with_kind"),
        ("grade", 11, "ck_judgment_grade_on_scale"),
        ("guess", None, "ck_judgment_kind_known"),
    ],
)
def test_the_database_refuses_a_judgment_that_cannot_be(
    database: str, kind: str, grade: int | None, constraint: str
) -> None:
    card = Card(make_people("Ann")[0], make_project())
    card.send(hello=True)
    values = {"kind": kind, "grade": grade, "pair": card.held[0]["pair"]}
    statement = text(
        "INSERT INTO judgment (act_id, pair_id, rater_id, kind, grade, rubric_id, judged_at, comment, purpose, surplus) "
        "VALUES ('some-act', :pair, 1, :kind, :grade, 1, '2026-01-01', '', 'production', 0)"
    )
    with pytest.raises(IntegrityError, match=constraint), writing() as session:
        session.execute(statement, values)
