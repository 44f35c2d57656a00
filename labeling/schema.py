"""The tables that judging needs, with every constraint by name; those of the desk around it stand in schema_desk.py.

Knows no queries: what is read and written stands with the nouns. A change here needs a migration; a test compares both.
"""

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
    true,
)

from labeling._columns import a_moment, a_row_number, metadata, one_of, refers_to
from labeling.schema_desk import DESK_APPEND_ONLY

__all__ = ["APPEND_ONLY", "append_only_statements", "metadata"]

setting = Table(
    "setting",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("value", Text, nullable=False),
)

account = Table(
    "account",
    metadata,
    a_row_number(),
    Column("name", String(200), nullable=False),
    Column("name_key", String(200), nullable=False),
    Column("role", String(20), nullable=False),
    Column("password_hash", Text),
    Column("language", String(10)),
    Column("active", Boolean, nullable=False, server_default=true()),
    a_moment("created_at"),
    UniqueConstraint("name_key"),
    one_of("role", "rater", "lead", "admin"),
)

sign_in = Table(
    "sign_in",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    refers_to("account_id", "account.id", index=True),
    a_moment("created_at"),
    a_moment("expires_at"),
)

invitation = Table(
    "invitation",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("role", String(20), nullable=False),
    refers_to("account_id", "account.id", nullable=True),
    Column("first", Boolean, nullable=False, server_default=false()),
    refers_to("created_by", "account.id", nullable=True),
    a_moment("created_at"),
    a_moment("expires_at"),
    a_moment("used_at", nullable=True),
    one_of("role", "rater", "lead", "admin"),
)

project = Table(
    "project",
    metadata,
    a_row_number(),
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
    Column("calibration", Boolean, nullable=False, server_default=false()),
    Column("pass_mark", Float, nullable=False, server_default="0.6"),
    Column("gold_every", Integer, nullable=False, server_default="0"),
    Column("repeat_every", Integer, nullable=False, server_default="0"),
    Column("twins", String(10), nullable=False, server_default="all"),
    Column("twin_similarity", Float, nullable=False, server_default="0.9"),
    Column("decision_reasons", JSON),
    Column("is_demo", Boolean, nullable=False, server_default=false()),
    refers_to("created_by", "account.id", nullable=True),
    a_moment("created_at"),
    UniqueConstraint("name_key"),
    one_of("state", "draft", "open", "closed"),
    one_of("dispute_rule", "any", "two_apart", "threshold"),
    one_of("ties", "lower", "higher", "open"),
    CheckConstraint("depth >= 1", name="depth_positive"),
    CheckConstraint("overlap >= 1", name="overlap_positive"),
    CheckConstraint("batch_size >= 1", name="batch_size_positive"),
    CheckConstraint("claim_minutes >= 1", name="claim_minutes_positive"),
)

rubric = Table(
    "rubric",
    metadata,
    a_row_number(),
    refers_to("project_id", "project.id"),
    Column("version", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("levels", JSON, nullable=False),
    Column("note", Text, nullable=False, server_default=""),
    refers_to("created_by", "account.id", nullable=True),
    a_moment("created_at"),
    UniqueConstraint("project_id", "version"),
    CheckConstraint("version >= 1", name="version_positive"),
)

query = Table(
    "query",
    metadata,
    a_row_number(),
    refers_to("project_id", "project.id"),
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
    a_row_number(),
    refers_to("project_id", "project.id"),
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
    a_row_number(),
    refers_to("project_id", "project.id"),
    Column("tag", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("rows", Integer, nullable=False),
    Column("queries", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
    a_moment("created_at"),
    UniqueConstraint("project_id", "tag"),
)

pair = Table(
    "pair",
    metadata,
    a_row_number(),
    refers_to("project_id", "project.id"),
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
    a_row_number(),
    refers_to("project_id", "project.id"),
    refers_to("account_id", "account.id", nullable=True),
    Column("name", String(200), nullable=False),
    Column("is_model", Boolean, nullable=False, server_default=false()),
    Column("casts_vote", Boolean, nullable=False, server_default=true()),
    Column("set_aside", Boolean, nullable=False, server_default=false()),
    a_moment("created_at"),
    UniqueConstraint("project_id", "name"),
    UniqueConstraint("project_id", "account_id"),
)

claim = Table(
    "claim",
    metadata,
    refers_to("pair_id", "pair.id"),
    refers_to("rater_id", "rater.id"),
    Column("tab", String(80), nullable=False, server_default=""),
    Column("position", Integer, nullable=False),
    refers_to("rubric_id", "rubric.id"),
    Column("purpose", String(20), nullable=False, server_default="production"),
    a_moment("claimed_at"),
    a_moment("expires_at"),
    PrimaryKeyConstraint("pair_id", "rater_id"),
    Index("ix_claim_rater_id_expires_at", "rater_id", "expires_at"),
)

import_batch = Table(
    "import_batch",
    metadata,
    a_row_number(),
    refers_to("project_id", "project.id"),
    Column("kind", String(20), nullable=False),
    Column("files", JSON, nullable=False),
    Column("report", JSON, nullable=False),
    refers_to("created_by", "account.id", nullable=True),
    a_moment("created_at"),
    one_of("kind", "queries", "documents", "runs", "judgments"),
)

judgment = Table(
    "judgment",
    metadata,
    a_row_number(),
    Column("act_id", String(80), nullable=False),
    refers_to("pair_id", "pair.id"),
    refers_to("rater_id", "rater.id"),
    Column("kind", String(20), nullable=False),
    Column("purpose", String(20), nullable=False, server_default="production"),
    Column("grade", Integer),
    Column("reason", String(200)),
    Column("comment", Text, nullable=False, server_default=""),
    refers_to("rubric_id", "rubric.id"),
    Column("shown_hash", String(64)),
    a_moment("shown_at", nullable=True),
    a_moment("judged_at"),
    Column("seconds", Float),
    Column("position", Integer),
    Column("surplus", Boolean, nullable=False, server_default=false()),
    refers_to("takes_back", "judgment.id", nullable=True),
    refers_to("import_id", "import_batch.id", nullable=True),
    Column("carried_from", Integer),  # a judgment of a twin; SQLite adds no named reference to a table that is there
    Column("answers", JSON),
    UniqueConstraint("act_id"),
    one_of("kind", "grade", "cannot_judge", "skip", "undo", "failed"),
    one_of("purpose", "production", "practice", "gold", "repeat"),
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
    refers_to("pair_id", "pair.id"),
    refers_to("rater_id", "rater.id"),
    refers_to("judgment_id", "judgment.id"),
    PrimaryKeyConstraint("pair_id", "rater_id"),
    UniqueConstraint("judgment_id"),
    Index("ix_current_judgment_rater_id", "rater_id"),
)

decision = Table(
    "decision",
    metadata,
    a_row_number(),
    Column("act_id", String(80), nullable=False),
    refers_to("pair_id", "pair.id", index=True),
    refers_to("decided_by", "account.id", nullable=True),
    Column("grade", Integer),
    Column("reason", String(200), nullable=False, server_default=""),
    Column("note", Text, nullable=False, server_default=""),
    Column("votes", JSON, nullable=False),
    refers_to("rubric_id", "rubric.id"),
    Column("blind_grade", Integer),
    Column("rubric_change", Boolean, nullable=False, server_default=false()),
    Column("clause", String(200), nullable=False, server_default=""),
    a_moment("decided_at"),
    UniqueConstraint("act_id"),
    CheckConstraint("grade IS NULL OR (grade >= 0 AND grade <= 10)", name="grade_on_scale"),
)

APPEND_ONLY = ("judgment", "decision", *DESK_APPEND_ONLY)


def append_only_statements(dialect: str, *tables: str) -> list[str]:
    """The statements that make the database itself refuse to change or delete a row of these ledgers."""
    statements = []
    if dialect == "postgresql":
        statements.append(
            "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger AS $$ BEGIN "
            "RAISE EXCEPTION '% is append only', TG_TABLE_NAME; END $$ LANGUAGE plpgsql"
        )
    for table in tables:
        for act in ("UPDATE", "DELETE"):
            name = f"tr_{table}_no_{act.lower()}"
            if dialect == "postgresql":
                body = "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
            else:
                body = f"BEGIN SELECT RAISE(ABORT, '{table} is append only'); END"
            statements.append(f"CREATE TRIGGER {name} BEFORE {act} ON {table} {body}")
    return statements


OPEN_PAIRS = Index(
    "ix_pair_open",
    pair.c.project_id,
    pair.c.query_pk,
    sqlite_where=text("vote_count < overlap"),
    postgresql_where=text("vote_count < overlap"),
)
