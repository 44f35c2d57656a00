"""Known grades, calibration, questions, near-duplicates, releases, and what the ledgers say of them."""

import sqlalchemy as sa
from alembic import op

from labeling.schema import append_only_statements

revision = "0002"
down_revision = "0001"

TABLES = (
    "reference", "calibration", "current_check", "question", "second_question", "twin", "pair_request", "rater_note", "release",
)  # fmt: skip
COLUMNS = (
    ("project", "calibration", "BOOLEAN DEFAULT {false} NOT NULL"),
    ("project", "pass_mark", "FLOAT DEFAULT '0.6' NOT NULL"),
    ("project", "gold_every", "INTEGER DEFAULT '0' NOT NULL"),
    ("project", "repeat_every", "INTEGER DEFAULT '0' NOT NULL"),
    ("project", "twins", "VARCHAR(10) DEFAULT 'all' NOT NULL"),
    ("project", "twin_similarity", "FLOAT DEFAULT '0.9' NOT NULL"),
    ("project", "decision_reasons", "JSON"),
    ("claim", "purpose", "VARCHAR(20) DEFAULT 'production' NOT NULL"),
    ("judgment", "carried_from", "INTEGER"),
    ("judgment", "answers", "JSON"),
    ("decision", "blind_grade", "INTEGER"),
    ("decision", "rubric_change", "BOOLEAN DEFAULT {false} NOT NULL"),
    ("decision", "clause", "VARCHAR(200) DEFAULT '' NOT NULL"),
)


def upgrade() -> None:
    dialect = op.get_bind().dialect.name
    false = "false" if dialect == "postgresql" else "0"
    for table, column, definition in COLUMNS:
        op.execute(f"ALTER TABLE {table} ADD COLUMN {column} {definition.format(false=false)}")
    _create_tables()
    for statement in append_only_statements(dialect, "release"):
        op.execute(statement)


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)
    for table, column, _ in reversed(COLUMNS):
        op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")


def _create_tables() -> None:

    op.create_table(
        "reference",
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("practice_set", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), server_default="0", nullable=False),
        sa.Column("grade", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("set_by", sa.Integer(), nullable=True),
        sa.Column("set_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint(
            "(purpose = 'practice') = (practice_set IS NOT NULL)", name=op.f("ck_reference_set_with_purpose")
        ),
        sa.CheckConstraint("purpose IN ('practice', 'gold')", name=op.f("ck_reference_purpose_known")),
        sa.CheckConstraint("grade >= 0 AND grade <= 10", name=op.f("ck_reference_grade_on_scale")),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_reference_pair_id")),
        sa.ForeignKeyConstraint(["set_by"], ["account.id"], name=op.f("fk_reference_set_by")),
        sa.PrimaryKeyConstraint("pair_id", name=op.f("pk_reference")),
    )
    op.create_table(
        "calibration",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("rubric_id", sa.Integer(), nullable=False),
        sa.Column("practice_set", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=False),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.Column("kappa", sa.Float(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_calibration_rater_id")),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubric.id"], name=op.f("fk_calibration_rubric_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calibration")),
    )
    op.create_index(op.f("ix_calibration_rater_id"), "calibration", ["rater_id"], unique=False)
    op.create_table(
        "current_check",
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("judgment_id", sa.Integer(), nullable=False),
        sa.CheckConstraint("purpose IN ('practice', 'gold', 'repeat')", name=op.f("ck_current_check_purpose_known")),
        sa.ForeignKeyConstraint(["judgment_id"], ["judgment.id"], name=op.f("fk_current_check_judgment_id")),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_current_check_pair_id")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_current_check_rater_id")),
        sa.PrimaryKeyConstraint("pair_id", "rater_id", "purpose", name=op.f("pk_current_check")),
        sa.UniqueConstraint("judgment_id", name=op.f("uq_current_check_judgment_id")),
    )
    op.create_index("ix_current_check_rater_id", "current_check", ["rater_id"], unique=False)
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("act_id", sa.String(length=80), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query_pk", sa.Integer(), nullable=True),
        sa.Column("pair_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("clause", sa.String(length=200), server_default="", nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.DateTime(), nullable=False),
        sa.Column("answer", sa.Text(), server_default="", nullable=False),
        sa.Column("state", sa.String(length=20), server_default="open", nullable=False),
        sa.Column("answered_by", sa.Integer(), nullable=True),
        sa.Column("answered_at", sa.DateTime(), nullable=True),
        sa.CheckConstraint("kind IN ('question', 'narrative')", name=op.f("ck_question_kind_known")),
        sa.CheckConstraint(
            "state IN ('open', 'answered', 'accepted', 'declined')", name=op.f("ck_question_state_known")
        ),
        sa.ForeignKeyConstraint(["answered_by"], ["account.id"], name=op.f("fk_question_answered_by")),
        sa.ForeignKeyConstraint(["asked_by"], ["rater.id"], name=op.f("fk_question_asked_by")),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_question_pair_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_question_project_id")),
        sa.ForeignKeyConstraint(["query_pk"], ["query.id"], name=op.f("fk_question_query_pk")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
        sa.UniqueConstraint("act_id", name=op.f("uq_question_act_id")),
    )
    op.create_index(op.f("ix_question_project_id"), "question", ["project_id"], unique=False)
    op.create_table(
        "second_question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("1"), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_second_question_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_second_question")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_second_question_project_id_name")),
    )
    op.create_table(
        "twin",
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("group_number", sa.Integer(), nullable=False),
        sa.Column("similarity", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_twin_pair_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_twin_project_id")),
        sa.PrimaryKeyConstraint("pair_id", name=op.f("pk_twin")),
    )
    op.create_index("ix_twin_project_id_group_number", "twin", ["project_id", "group_number"], unique=False)
    op.create_table(
        "pair_request",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        sa.Column("overlap_before", sa.Integer(), nullable=False),
        sa.Column("asked_by", sa.Integer(), nullable=True),
        sa.Column("asked_at", sa.DateTime(), nullable=False),
        sa.Column("closed_at", sa.DateTime(), nullable=True),
        sa.CheckConstraint("kind IN ('more', 'discuss', 'rejudge')", name=op.f("ck_pair_request_kind_known")),
        sa.ForeignKeyConstraint(["asked_by"], ["account.id"], name=op.f("fk_pair_request_asked_by")),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_pair_request_pair_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pair_request")),
    )
    op.create_index(op.f("ix_pair_request_pair_id"), "pair_request", ["pair_id"], unique=False)
    op.create_table(
        "rater_note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        sa.Column("written_by", sa.Integer(), nullable=True),
        sa.Column("written_at", sa.DateTime(), nullable=False),
        sa.Column("read_at", sa.DateTime(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('message', 'calibrate', 'set_aside', 'bring_back', 'reassign')",
            name=op.f("ck_rater_note_kind_known"),
        ),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_rater_note_rater_id")),
        sa.ForeignKeyConstraint(["written_by"], ["account.id"], name=op.f("fk_rater_note_written_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rater_note")),
    )
    op.create_index(op.f("ix_rater_note_rater_id"), "rater_note", ["rater_id"], unique=False)
    op.create_table(
        "release",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("name_key", sa.String(length=200), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_release_created_by")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_release_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release")),
        sa.UniqueConstraint("project_id", "name_key", name=op.f("uq_release_project_id_name_key")),
    )
