"""Engine, sessions and migrations: what only SQLite or only PostgreSQL knows stays here.

Knows nothing of judgments or projects. Reads see one state of the database; writes take their lock first.
"""

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
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
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError, ProgrammingError
from sqlalchemy.orm import Session

from labeling.errors import AssayError, StorageError
from labeling.settings import REPOSITORY, database_url

__all__ = [
    "AnyRow",
    "alembic_config",
    "back_up",
    "check_database",
    "count_changed",
    "get_engine",
    "insert_rows",
    "insert_unless_present",
    "lock_project",
    "migrate",
    "put_back",
    "reading",
    "row_number",
    "storable",
    "writing",
]

AnyRow = Row[*tuple[Any, ...]]
BUSY_SECONDS = 15
ROWS_PER_STATEMENT = 5_000  # far below SQLite's limit of bound values, since rows go through executemany

_turns: dict[str, threading.Lock] = {}


@contextmanager
def _faults_in_words(url: str | None) -> Iterator[None]:
    """Say in one line what keeps the database from being used; what a constraint refuses is left as it is."""
    try:
        yield
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        first = str(error).splitlines()[0]
        raise StorageError(f"expected the address of a database in ASSAY_DATABASE_URL, found one that fails: {first}") from error  # fmt: skip
    except CommandError as error:
        raise StorageError(f"{_place(url)}: expected a schema of this version of Assay, found another: {error}") from error  # fmt: skip
    except (DatabaseError, OSError) as error:
        if isinstance(error, DatabaseError) and type(error) not in (DatabaseError, OperationalError, ProgrammingError):
            raise
        reason = str(getattr(error, "orig", None) or getattr(error, "strerror", None) or error).splitlines()[0]
        if reason.startswith("no such table") or "UndefinedTable" in repr(error):
            reason = "expected the tables of Assay, found none: run python -m labeling init"
        raise StorageError(f"{_place(url)}: {reason}") from error


def _place(url: str | None) -> str:
    """A database's address without its password; of a SQLite database, its file."""
    parsed = make_url(url or database_url())
    return parsed.database or "memory" if parsed.get_backend_name() == "sqlite" else str(parsed)


@cache
def _engine_of(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).resolve().parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS}, pool_size=10, max_overflow=30)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # BEGIN is ours: see _begin
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={1000 * BUSY_SECONDS}", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    _use_journal(cursor)
    cursor.close()


def _use_journal(cursor: Any) -> None:
    # SQLite's own waiting does not cover the change of journal, which two programs may ask for on a new database.
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.05)
        else:
            return


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
    with _faults_in_words(url), Session(get_engine(url)) as session:
        yield session
        session.rollback()


@contextmanager
def writing(url: str | None = None) -> Iterator[Session]:
    """A session that holds the right to write; all of it is stored at the end, or nothing after an error."""
    with _faults_in_words(url):
        engine = get_engine(url)
        with _turn_of(engine), Session(engine.execution_options(writes=True)) as session, session.begin():
            session.connection()  # take the lock before the first read
            yield session


@contextmanager
def _turn_of(engine: Engine) -> Iterator[None]:
    """Wait for the other writers of this process.

    SQLite's own waiting is a sleep of up to 100 ms between two looks, and who looks at the right moment wins: with
    twenty raters some would wait for seconds. Writers of other processes are waited for as SQLite does it.
    """
    turn = _turns.setdefault(str(engine.url), threading.Lock()) if engine.dialect.name == "sqlite" else None
    taken = turn is not None and turn.acquire(timeout=BUSY_SECONDS)
    try:
        yield
    finally:
        if turn is not None and taken:
            turn.release()


def storable(text: str) -> str:
    """A text as every database can hold it: halves of characters and NUL become the replacement character."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


def row_number(value: object) -> int:
    """A row's number as a request gives it; AssayError for anything that can be none, 1.5 and true included."""
    if type(value) is not int or not 0 <= value < 2**31:
        raise AssayError(f"expected the number of a row, found {str(value)[:40]!r}")
    return value


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
    # What comes back says it on every database; the count of rows is unknown where a key is returned unasked.
    statement = statement.values(**values).on_conflict_do_nothing()
    return session.execute(statement.returning(*table.primary_key.columns)).first() is not None


def count_changed(session: Session, statement: Executable) -> int:
    """Run an insert, update or delete, and say how many rows it touched."""
    return cast("CursorResult[Any]", session.execute(statement)).rowcount


def insert_rows(session: Session, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert many rows in statements of bounded size; AssayError for text that no file can hold."""
    try:
        for start in range(0, len(rows), ROWS_PER_STATEMENT):
            session.execute(insert(table), rows[start : start + ROWS_PER_STATEMENT])
    except UnicodeEncodeError as error:
        found = ascii(error.object[max(error.start - 20, 0) : error.end + 20])
        raise AssayError(f"expected text, found half of a character (a lone surrogate) in {found}") from error


def alembic_config(url: str | None = None) -> Config:
    """The settings of the migrations for a database address."""
    config = Config(str(REPOSITORY / "migrations" / "alembic.ini"))
    config.set_main_option("script_location", str(REPOSITORY / "migrations").replace("%", "%%"))
    config.attributes["url"] = url or database_url()
    return config


def migrate(url: str | None = None) -> None:
    """Bring the database to the newest schema; creates it where there is none.

    Raises StorageError where there can be none, or where a newer Assay has made it.
    """
    with _faults_in_words(url):
        get_engine(url)
        command.upgrade(alembic_config(url), "head")


def back_up(target: Path, url: str | None = None) -> None:
    """Copy the database into a new file while it may be in use; the file is whole, or it is not there.

    Raises AssayError where there is no database to copy, or another kind than SQLite.
    """
    source = _sqlite_file(url or database_url())
    if not source.is_file():
        raise StorageError(f"{source}: expected a database, found none: run python -m labeling init")
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with _raw(source) as from_connection, _raw(beside) as to_connection:
            from_connection.execute("SELECT version_num FROM alembic_version")
            from_connection.backup(to_connection)
        beside.replace(target)
    except sqlite3.Error as error:
        raise StorageError(f"{source}: cannot be copied to {target}: {error}") from error
    except OSError as error:
        raise StorageError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


def put_back(source: Path, url: str | None = None) -> None:
    """Put a copy that back_up made in the database's place, whole or not at all; the copy is only read.

    Older schemas are brought up to date, and everybody has to sign in again: what was signed out since must not come
    back. Raises AssayError, with the database as it was, for anything but a sound copy
    whose schema this version knows.
    """
    target = _sqlite_file(url or database_url())
    with _read_only(source) as from_connection:
        try:
            faults = [row[0] for row in from_connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            versions = [row[0] for row in from_connection.execute("SELECT version_num FROM alembic_version")]
        except sqlite3.Error as error:
            raise AssayError(f"{source}: expected a copy that backup made, found something else ({error})") from error
        if faults:
            raise AssayError(f"{source}: expected a sound copy, found {faults[0]}")
        known = {script.revision for script in ScriptDirectory.from_config(alembic_config(url)).walk_revisions()}
        if not versions or not set(versions) <= known:
            raise AssayError(f"{source}: expected a copy with a schema that this version of Assay knows, found {versions}")  # fmt: skip
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with _raw(target) as to_connection:
                from_connection.backup(to_connection)
        except (sqlite3.Error, OSError) as error:
            raise StorageError(f"{target}: cannot be written: {error}") from error
    migrate(url)
    with get_engine(url).execution_options(writes=True).begin() as connection:
        connection.execute(text("DELETE FROM sign_in"))


def _sqlite_file(url: str) -> Path:
    with _faults_in_words(url):
        parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database:
        raise AssayError("expected a SQLite database: back PostgreSQL up with pg_dump, and restore with pg_restore")
    return Path(parsed.database)


@contextmanager
def _raw(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _read_only(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        # A copy stands alone; only beside a database that is in use is there a journal that belongs to it.
        alone = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{alone}", uri=True, timeout=30)
    except sqlite3.Error as error:
        raise AssayError(f"{path}: expected a copy that backup made, found none: {error}") from error
    try:
        yield connection
    finally:
        connection.close()


def check_database(url: str | None = None) -> list[str]:
    """What the database itself finds wrong: broken pages and rows that point nowhere; empty where all is well."""
    with _faults_in_words(url):
        engine = get_engine(url)
        if engine.dialect.name != "sqlite":
            return []
        with engine.connect() as connection:
            pages = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check") if row[0] != "ok"]
            orphans = [f"{row[0]} row {row[1]}" for row in connection.exec_driver_sql("PRAGMA foreign_key_check")]
    return pages + orphans
