"""The tables of the desk around judging: known grades, calibration, questions, near-duplicates, releases.

Knows no queries. A change here needs a migration; a test compares both.
"""

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    true,
)

from labeling._columns import a_moment, a_row_number, metadata, one_of, refers_to

__all__ = ["DESK_APPEND_ONLY"]

DESK_APPEND_ONLY = ("release",)

# Pairs with a known grade: practice sets (numbered from 1) and gold.
Table(
    "reference",
    metadata,
    refers_to("pair_id", "pair.id"),
    Column("purpose", String(20), nullable=False),
    Column("practice_set", Integer),
    Column("position", Integer, nullable=False, server_default="0"),
    Column("grade", Integer, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    refers_to("set_by", "account.id", nullable=True),
    a_moment("set_at"),
    PrimaryKeyConstraint("pair_id"),
    one_of("purpose", "practice", "gold"),
    CheckConstraint("(purpose = 'practice') = (practice_set IS NOT NULL)", name="set_with_purpose"),
    CheckConstraint("grade >= 0 AND grade <= 10", name="grade_on_scale"),
)

# One try of a rater at a practice set, under one version of the rubric.
Table(
    "calibration",
    metadata,
    a_row_number(),
    refers_to("rater_id", "rater.id", index=True),
    refers_to("rubric_id", "rubric.id"),
    Column("practice_set", Integer, nullable=False),
    a_moment("started_at"),
    a_moment("finished_at", nullable=True),
    Column("kappa", Float),
    Column("passed", Boolean),
)

# Which row of the ledger counts now among practice, gold and repeats; production stands in current_judgment.
Table(
    "current_check",
    metadata,
    refers_to("pair_id", "pair.id"),
    refers_to("rater_id", "rater.id"),
    Column("purpose", String(20), nullable=False),
    refers_to("judgment_id", "judgment.id"),
    PrimaryKeyConstraint("pair_id", "rater_id", "purpose"),
    UniqueConstraint("judgment_id"),
    one_of("purpose", "practice", "gold", "repeat"),
    Index("ix_current_check_rater_id", "rater_id"),
)

# What a rater asks the lead, or proposes as a query's narrative, and the answer that everybody sees.
Table(
    "question",
    metadata,
    a_row_number(),
    Column("act_id", String(80), nullable=False),
    refers_to("project_id", "project.id", index=True),
    refers_to("query_pk", "query.id", nullable=True),
    refers_to("pair_id", "pair.id", nullable=True),
    Column("kind", String(20), nullable=False),
    Column("clause", String(200), nullable=False, server_default=""),
    Column("text", Text, nullable=False),
    refers_to("asked_by", "rater.id"),
    a_moment("asked_at"),
    Column("answer", Text, nullable=False, server_default=""),
    Column("state", String(20), nullable=False, server_default="open"),
    refers_to("answered_by", "account.id", nullable=True),
    a_moment("answered_at", nullable=True),
    UniqueConstraint("act_id"),
    one_of("kind", "question", "narrative"),
    one_of("state", "open", "answered", "accepted", "declined"),
)

# What a project asks of a pair after its grade; labels are the answers in the order of their keys.
Table(
    "second_question",
    metadata,
    a_row_number(),
    refers_to("project_id", "project.id"),
    Column("position", Integer, nullable=False),
    Column("name", String(80), nullable=False),
    Column("text", Text, nullable=False),
    Column("labels", JSON, nullable=False),
    Column("active", Boolean, nullable=False, server_default=true()),
    a_moment("created_at"),
    UniqueConstraint("project_id", "name"),
)

# Pairs of one query whose documents carry the same text, cut or copied.
Table(
    "twin",
    metadata,
    refers_to("pair_id", "pair.id"),
    refers_to("project_id", "project.id"),
    Column("group_number", Integer, nullable=False),
    Column("similarity", Float, nullable=False),
    PrimaryKeyConstraint("pair_id"),
    Index("ix_twin_project_id_group_number", "project_id", "group_number"),
)

# What a lead asks of the raters of a pair: one more vote, a second look after a discussion, a grade under a new rubric.
Table(
    "pair_request",
    metadata,
    a_row_number(),
    refers_to("pair_id", "pair.id", index=True),
    Column("kind", String(20), nullable=False),
    Column("text", Text, nullable=False, server_default=""),
    Column("overlap_before", Integer, nullable=False),
    refers_to("asked_by", "account.id", nullable=True),
    a_moment("asked_at"),
    a_moment("closed_at", nullable=True),
    one_of("kind", "more", "discuss", "rejudge"),
)

# What a lead did about a rater, or wrote to them.
Table(
    "rater_note",
    metadata,
    a_row_number(),
    refers_to("rater_id", "rater.id", index=True),
    Column("kind", String(20), nullable=False),
    Column("text", Text, nullable=False, server_default=""),
    refers_to("written_by", "account.id", nullable=True),
    a_moment("written_at"),
    a_moment("read_at", nullable=True),
    one_of("kind", "message", "calibrate", "set_aside", "bring_back", "reassign"),
)

# A frozen, named export: its archive byte for byte.
Table(
    "release",
    metadata,
    a_row_number(),
    refers_to("project_id", "project.id"),
    Column("name", String(200), nullable=False),
    Column("name_key", String(200), nullable=False),
    Column("note", Text, nullable=False, server_default=""),
    Column("manifest", JSON, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),
    refers_to("created_by", "account.id", nullable=True),
    a_moment("created_at"),
    UniqueConstraint("project_id", "name_key"),
)
