"""The tables, with every constraint by name.

Knows no queries: what is read and written stands with the nouns. A change here needs a migration; a test compares both.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
    true,
)
from sqlalchemy.types import TypeDecorator

__all__ = ["metadata"]

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


class Moment(TypeDecorator[datetime]):
    """A point in time: UTC in the database, with its zone in the program."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Store UTC without a zone, as SQLite knows none."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Give the zone back."""
        return None if value is None else value.replace(tzinfo=UTC)


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _moment(name: str, *, nullable: bool = False) -> Column[datetime]:
    return Column(name, Moment, nullable=nullable)


def _one_of(column: str, *values: str) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def _to(column: str, target: str, *, nullable: bool = False, index: bool = False) -> Column[int]:
    return Column(column, Integer, ForeignKey(target), nullable=nullable, index=index)


setting = Table(
    "setting",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("value", Text, nullable=False),
)

account = Table(
    "account",
    metadata,
    _id(),
    Column("name", String(200), nullable=False),
    Column("name_key", String(200), nullable=False),
    Column("role", String(20), nullable=False),
    Column("password_hash", Text),
    Column("language", String(10)),
    Column("active", Boolean, nullable=False, server_default=true()),
    _moment("created_at"),
    UniqueConstraint("name_key"),
    _one_of("role", "rater", "lead", "admin"),
)

sign_in = Table(
    "sign_in",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    _to("account_id", "account.id", index=True),
    _moment("created_at"),
    _moment("expires_at"),
)

invitation = Table(
    "invitation",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("role", String(20), nullable=False),
    _to("account_id", "account.id", nullable=True),
    Column("first", Boolean, nullable=False, server_default=false()),
    _to("created_by", "account.id", nullable=True),
    _moment("created_at"),
    _moment("expires_at"),
    _moment("used_at", nullable=True),
    _one_of("role", "rater", "lead", "admin"),
)

project = Table(
    "project",
    metadata,
    _id(),
    Column("name", String(200), nullable=False),
    Column("name_key", String(200), nullable=False),
    Column("note", Text, nullable=False, server_default=""),
    Column("state", String(20), nullable=False),
    Column("depth", Integer, nullable=False),
    Column("overlap", Integer, nullable=False),
    Column("claim_minutes", Integer, nullable=False, server_default="20"),
    Column("batch_size", Integer, nullable=False, server_default="40"),
    Column("seed", Integer, nullable=False),
    Column("dispute_rule", String(20), nullable=False, server_default="any"),
    Column("relevant_from", Integer, nullable=False, server_default="2"),
    Column("rule", String(220), nullable=False, server_default="majority"),
    Column("ties", String(10), nullable=False, server_default="open"),
    Column("is_demo", Boolean, nullable=False, server_default=false()),
    _to("created_by", "account.id", nullable=True),
    _moment("created_at"),
    UniqueConstraint("name_key"),
    _one_of("state", "draft", "open", "closed"),
    _one_of("dispute_rule", "any", "two_apart", "threshold"),
    _one_of("ties", "lower", "higher", "open"),
    CheckConstraint("depth >= 1", name="depth_positive"),
    CheckConstraint("overlap >= 1", name="overlap_positive"),
    CheckConstraint("batch_size >= 1", name="batch_size_positive"),
    CheckConstraint("claim_minutes >= 1", name="claim_minutes_positive"),
)

rubric = Table(
    "rubric",
    metadata,
    _id(),
    _to("project_id", "project.id"),
    Column("version", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("levels", JSON, nullable=False),
    Column("note", Text, nullable=False, server_default=""),
    _to("created_by", "account.id", nullable=True),
    _moment("created_at"),
    UniqueConstraint("project_id", "version"),
    CheckConstraint("version >= 1", name="version_positive"),
)

query = Table(
    "query",
    metadata,
    _id(),
    _to("project_id", "project.id"),
    Column("query_id", Text, nullable=False),
    Column("text", Text),
    Column("narrative", Text, nullable=False, server_default=""),
    Column("columns", JSON, nullable=False),
    Column("shown_hash", String(64), nullable=False),
    UniqueConstraint("project_id", "query_id"),
)

document = Table(
    "document",
    metadata,
    _id(),
    _to("project_id", "project.id"),
    Column("doc_id", Text, nullable=False),
    Column("title", Text, nullable=False, server_default=""),
    Column("text", Text),
    Column("url", Text, nullable=False, server_default=""),
    Column("shown_hash", String(64), nullable=False),
    UniqueConstraint("project_id", "doc_id"),
)

run = Table(
    "run",
    metadata,
    _id(),
    _to("project_id", "project.id"),
    Column("tag", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("rows", Integer, nullable=False),
    Column("queries", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
    _moment("created_at"),
    UniqueConstraint("project_id", "tag"),
)

pair = Table(
    "pair",
    metadata,
    _id(),
    _to("project_id", "project.id"),
    Column("query_pk", Integer, ForeignKey("query.id"), nullable=False),
    Column("document_pk", Integer, ForeignKey("document.id"), nullable=False, index=True),
    Column("overlap", Integer, nullable=False),
    Column("vote_count", Integer, nullable=False, server_default="0"),
    UniqueConstraint("query_pk", "document_pk"),
    CheckConstraint("overlap >= 0", name="overlap_not_negative"),
    CheckConstraint("vote_count >= 0", name="vote_count_not_negative"),
    Index("ix_pair_project_id_query_pk", "project_id", "query_pk"),
)

rater = Table(
    "rater",
    metadata,
    _id(),
    _to("project_id", "project.id"),
    _to("account_id", "account.id", nullable=True),
    Column("name", String(200), nullable=False),
    Column("is_model", Boolean, nullable=False, server_default=false()),
    Column("casts_vote", Boolean, nullable=False, server_default=true()),
    Column("set_aside", Boolean, nullable=False, server_default=false()),
    _moment("created_at"),
    UniqueConstraint("project_id", "name"),
    UniqueConstraint("project_id", "account_id"),
)

claim = Table(
    "claim",
    metadata,
    _to("pair_id", "pair.id"),
    _to("rater_id", "rater.id"),
    Column("tab", String(80), nullable=False, server_default=""),
    Column("position", Integer, nullable=False),
    _to("rubric_id", "rubric.id"),
    _moment("claimed_at"),
    _moment("expires_at"),
    PrimaryKeyConstraint("pair_id", "rater_id"),
    Index("ix_claim_rater_id_expires_at", "rater_id", "expires_at"),
)

import_batch = Table(
    "import_batch",
    metadata,
    _id(),
    _to("project_id", "project.id"),
    Column("kind", String(20), nullable=False),
    Column("files", JSON, nullable=False),
    Column("report", JSON, nullable=False),
    _to("created_by", "account.id", nullable=True),
    _moment("created_at"),
    _one_of("kind", "queries", "documents", "runs", "judgments"),
)

judgment = Table(
    "judgment",
    metadata,
    _id(),
    Column("act_id", String(80), nullable=False),
    _to("pair_id", "pair.id"),
    _to("rater_id", "rater.id"),
    Column("kind", String(20), nullable=False),
    Column("purpose", String(20), nullable=False, server_default="production"),
    Column("grade", Integer),
    Column("reason", String(200)),
    Column("comment", Text, nullable=False, server_default=""),
    _to("rubric_id", "rubric.id"),
    Column("shown_hash", String(64)),
    _moment("shown_at", nullable=True),
    _moment("judged_at"),
    Column("seconds", Float),
    Column("position", Integer),
    Column("surplus", Boolean, nullable=False, server_default=false()),
    _to("takes_back", "judgment.id", nullable=True),
    _to("import_id", "import_batch.id", nullable=True),
    UniqueConstraint("act_id"),
    _one_of("kind", "grade", "cannot_judge", "skip", "undo", "failed"),
    _one_of("purpose", "production", "practice", "gold", "repeat"),
    CheckConstraint("(kind = 'grade') = (grade IS NOT NULL)", name="grade_with_kind"),
    CheckConstraint("grade IS NULL OR (grade >= 0 AND grade <= 10)", name="grade_on_scale"),
    CheckConstraint("seconds IS NULL OR seconds >= 0", name="seconds_not_negative"),
    Index("ix_judgment_pair_id_rater_id", "pair_id", "rater_id"),
    Index("ix_judgment_rater_id_id", "rater_id", "id"),
)

# Which row of the ledger counts now: derived from it in the same transaction, rebuilt from it by `labeling check`.
current_judgment = Table(
    "current_judgment",
    metadata,
    _to("pair_id", "pair.id"),
    _to("rater_id", "rater.id"),
    _to("judgment_id", "judgment.id"),
    PrimaryKeyConstraint("pair_id", "rater_id"),
    UniqueConstraint("judgment_id"),
    Index("ix_current_judgment_rater_id", "rater_id"),
)

decision = Table(
    "decision",
    metadata,
    _id(),
    Column("act_id", String(80), nullable=False),
    _to("pair_id", "pair.id", index=True),
    _to("decided_by", "account.id", nullable=True),
    Column("grade", Integer),
    Column("reason", String(200), nullable=False, server_default=""),
    Column("note", Text, nullable=False, server_default=""),
    Column("votes", JSON, nullable=False),
    _to("rubric_id", "rubric.id"),
    _moment("decided_at"),
    UniqueConstraint("act_id"),
    CheckConstraint("grade IS NULL OR (grade >= 0 AND grade <= 10)", name="grade_on_scale"),
)

APPEND_ONLY = ("judgment", "decision")


def append_only_statements(dialect: str) -> list[str]:
    """The statements that make the database itself refuse to change or delete a row of the ledgers."""
    statements = []
    if dialect == "postgresql":
        statements.append(
            "CREATE FUNCTION refuse_change() RETURNS trigger AS $$ BEGIN "
            "RAISE EXCEPTION '% is append only', TG_TABLE_NAME; END $$ LANGUAGE plpgsql"
        )
    for table in APPEND_ONLY:
        for act in ("UPDATE", "DELETE"):
            name = f"tr_{table}_no_{act.lower()}"
            if dialect == "postgresql":
                body = "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
            else:
                body = f"BEGIN SELECT RAISE(ABORT, '{table} is append only'); END"
            statements.append(f"CREATE TRIGGER {name} BEFORE {act} ON {table} {body}")
    return statements


def columns_of(table: Table, *names: str) -> list[Column[Any]]:
    """Some columns of a table, in the order asked for."""
    return [table.c[name] for name in names]


OPEN_PAIRS = Index(
    "ix_pair_open",
    pair.c.project_id,
    pair.c.query_pk,
    sqlite_where=text("vote_count < overlap"),
    postgresql_where=text("vote_count < overlap"),
)
