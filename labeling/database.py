"""Engine, sessions and migrations: what only SQLite or only PostgreSQL knows stays here.

Knows nothing of judgments or projects. Reads see one state of the database; writes take their lock first.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast

from alembic import command
from alembic.config import Config
from sqlalchemy import (
    Connection,
    CursorResult,
    Engine,
    Executable,
    Row,
    Table,
    create_engine,
    event,
    func,
    insert,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from labeling.errors import AssayError
from labeling.settings import REPOSITORY, database_url

__all__ = [
    "AnyRow",
    "alembic_config",
    "check_database",
    "copy_database",
    "count_changed",
    "get_engine",
    "insert_rows",
    "insert_unless_present",
    "lock_project",
    "migrate",
    "reading",
    "writing",
]

AnyRow = Row[*tuple[Any, ...]]
ROWS_PER_STATEMENT = 5_000  # far below SQLite's limit of bound values, since rows go through executemany


@cache
def _engine_of(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).resolve().parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": 15}, pool_size=10, max_overflow=30)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # BEGIN is ours: see _begin
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=15000", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    # A deferred transaction that reads and then writes fails at once, whatever the busy timeout, when another wrote.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def get_engine(url: str | None = None) -> Engine:
    """The engine of a database address, one a process."""
    return _engine_of(url or database_url())


@contextmanager
def reading(url: str | None = None) -> Iterator[Session]:
    """A session that sees one state of the database and writes nothing."""
    with Session(get_engine(url)) as session:
        yield session
        session.rollback()


@contextmanager
def writing(url: str | None = None) -> Iterator[Session]:
    """A session that holds the right to write; all of it is stored at the end, or nothing after an error."""
    with Session(get_engine(url).execution_options(writes=True)) as session, session.begin():
        session.connection()  # take the lock before the first read
        yield session


def lock_project(session: Session, project_id: int) -> None:
    """Keep others from handing out this project's pairs until the end of the transaction.

    SQLite's writers are alone already; PostgreSQL takes a lock that ends with the transaction.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(project_id)))


def insert_unless_present(session: Session, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless a unique constraint already holds it; says whether it was inserted."""
    dialect = session.get_bind().dialect.name
    statement = sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
    return count_changed(session, statement.values(**values).on_conflict_do_nothing()) > 0


def count_changed(session: Session, statement: Executable) -> int:
    """Run an insert, update or delete, and say how many rows it touched."""
    return cast("CursorResult[Any]", session.execute(statement)).rowcount


def insert_rows(session: Session, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert many rows in statements of bounded size."""
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        session.execute(insert(table), rows[start : start + ROWS_PER_STATEMENT])


def alembic_config(url: str | None = None) -> Config:
    """The settings of the migrations for a database address."""
    config = Config(str(REPOSITORY / "migrations" / "alembic.ini"))
    config.set_main_option("script_location", str(REPOSITORY / "migrations"))
    config.attributes["url"] = url or database_url()
    return config


def migrate(url: str | None = None) -> None:
    """Bring the database to the newest schema; creates it where there is none."""
    get_engine(url)
    command.upgrade(alembic_config(url), "head")


def copy_database(source: str, target: str) -> None:
    """Copy one SQLite database over another, whole or not at all, while both may be in use.

    Raises AssayError where either is another kind of database.
    """
    for url in (source, target):
        if make_url(url).get_backend_name() != "sqlite":
            raise AssayError("expected a SQLite database: back PostgreSQL up with pg_dump, and restore with pg_restore")
    with _raw(source) as from_connection, _raw(target) as to_connection:
        from_connection.backup(to_connection)


@contextmanager
def _raw(url: str) -> Iterator[sqlite3.Connection]:
    path = make_url(url).database or ""
    connection = sqlite3.connect(path, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


def check_database(url: str | None = None) -> list[str]:
    """What the database itself finds wrong: broken pages and rows that point nowhere; empty where all is well."""
    engine = get_engine(url)
    if engine.dialect.name != "sqlite":
        return []
    with engine.connect() as connection:
        pages = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check") if row[0] != "ok"]
        orphans = [f"{row[0]} row {row[1]}" for row in connection.exec_driver_sql("PRAGMA foreign_key_check")]
    return pages + orphans
