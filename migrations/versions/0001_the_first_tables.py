"""The first tables."""

import sqlalchemy as sa
from alembic import op

from labeling.schema import append_only_statements

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("name_key", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("language", sa.String(length=10), nullable=True),
        sa.Column("active", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint("role IN ('rater', 'lead', 'admin')", name=op.f("ck_account_role_known")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("name_key", name=op.f("uq_account_name_key")),
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_setting")),
    )
    op.create_table(
        "invitation",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("first", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("used_at", sa.DateTime(), nullable=True),
        sa.CheckConstraint("role IN ('rater', 'lead', 'admin')", name=op.f("ck_invitation_role_known")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_invitation_account_id")),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_invitation_created_by")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_invitation")),
    )
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("name_key", sa.String(length=200), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("claim_minutes", sa.Integer(), server_default="20", nullable=False),
        sa.Column("batch_size", sa.Integer(), server_default="40", nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("dispute_rule", sa.String(length=20), server_default="any", nullable=False),
        sa.Column("relevant_from", sa.Integer(), server_default="2", nullable=False),
        sa.Column("rule", sa.String(length=220), server_default="majority", nullable=False),
        sa.Column("ties", sa.String(length=10), server_default="open", nullable=False),
        sa.Column("is_demo", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint(
            "dispute_rule IN ('any', 'two_apart', 'threshold')", name=op.f("ck_project_dispute_rule_known")
        ),
        sa.CheckConstraint("state IN ('draft', 'open', 'closed')", name=op.f("ck_project_state_known")),
        sa.CheckConstraint("ties IN ('lower', 'higher', 'open')", name=op.f("ck_project_ties_known")),
        sa.CheckConstraint("batch_size >= 1", name=op.f("ck_project_batch_size_positive")),
        sa.CheckConstraint("claim_minutes >= 1", name=op.f("ck_project_claim_minutes_positive")),
        sa.CheckConstraint("depth >= 1", name=op.f("ck_project_depth_positive")),
        sa.CheckConstraint("overlap >= 1", name=op.f("ck_project_overlap_positive")),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_project_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("name_key", name=op.f("uq_project_name_key")),
    )
    op.create_table(
        "sign_in",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_sign_in_account_id")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sign_in")),
    )
    op.create_index("ix_sign_in_account_id", "sign_in", ["account_id"], unique=False)

    op.create_table(
        "document",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), server_default="", nullable=False),
        sa.Column("shown_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_document_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
        sa.UniqueConstraint("project_id", "doc_id", name=op.f("uq_document_project_id_doc_id")),
    )
    op.create_table(
        "import_batch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("files", sa.JSON(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('queries', 'documents', 'runs', 'judgments')", name=op.f("ck_import_batch_kind_known")
        ),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_import_batch_created_by")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_import_batch_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_batch")),
    )
    op.create_table(
        "query",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("narrative", sa.Text(), server_default="", nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("shown_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_query_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_query")),
        sa.UniqueConstraint("project_id", "query_id", name=op.f("uq_query_project_id_query_id")),
    )
    op.create_table(
        "rater",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("is_model", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("casts_vote", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("set_aside", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_rater_account_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_rater_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rater")),
        sa.UniqueConstraint("project_id", "account_id", name=op.f("uq_rater_project_id_account_id")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_rater_project_id_name")),
    )
    op.create_table(
        "rubric",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("levels", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint("version >= 1", name=op.f("ck_rubric_version_positive")),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_rubric_created_by")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_rubric_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rubric")),
        sa.UniqueConstraint("project_id", "version", name=op.f("uq_rubric_project_id_version")),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("queries", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_run_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("project_id", "tag", name=op.f("uq_run_project_id_tag")),
    )
    op.create_table(
        "pair",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query_pk", sa.Integer(), nullable=False),
        sa.Column("document_pk", sa.Integer(), nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("vote_count", sa.Integer(), server_default="0", nullable=False),
        sa.CheckConstraint("overlap >= 0", name=op.f("ck_pair_overlap_not_negative")),
        sa.CheckConstraint("vote_count >= 0", name=op.f("ck_pair_vote_count_not_negative")),
        sa.ForeignKeyConstraint(["document_pk"], ["document.id"], name=op.f("fk_pair_document_pk")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_pair_project_id")),
        sa.ForeignKeyConstraint(["query_pk"], ["query.id"], name=op.f("fk_pair_query_pk")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pair")),
        sa.UniqueConstraint("query_pk", "document_pk", name=op.f("uq_pair_query_pk_document_pk")),
    )
    op.create_index("ix_pair_document_pk", "pair", ["document_pk"], unique=False)
    op.create_index(
        "ix_pair_open",
        "pair",
        ["project_id", "query_pk"],
        unique=False,
        sqlite_where=sa.text("vote_count < overlap"),
        postgresql_where=sa.text("vote_count < overlap"),
    )
    op.create_index("ix_pair_project_id_query_pk", "pair", ["project_id", "query_pk"], unique=False)

    op.create_table(
        "claim",
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("tab", sa.String(length=80), server_default="", nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("rubric_id", sa.Integer(), nullable=False),
        sa.Column("claimed_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_claim_pair_id")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_claim_rater_id")),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubric.id"], name=op.f("fk_claim_rubric_id")),
        sa.PrimaryKeyConstraint("pair_id", "rater_id", name=op.f("pk_claim")),
    )
    op.create_index("ix_claim_rater_id_expires_at", "claim", ["rater_id", "expires_at"], unique=False)

    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("act_id", sa.String(length=80), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("decided_by", sa.Integer(), nullable=True),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(length=200), server_default="", nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("votes", sa.JSON(), nullable=False),
        sa.Column("rubric_id", sa.Integer(), nullable=False),
        sa.Column("decided_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint("grade IS NULL OR (grade >= 0 AND grade <= 10)", name=op.f("ck_decision_grade_on_scale")),
        sa.ForeignKeyConstraint(["decided_by"], ["account.id"], name=op.f("fk_decision_decided_by")),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_decision_pair_id")),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubric.id"], name=op.f("fk_decision_rubric_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
        sa.UniqueConstraint("act_id", name=op.f("uq_decision_act_id")),
    )
    op.create_index("ix_decision_pair_id", "decision", ["pair_id"], unique=False)

    op.create_table(
        "judgment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("act_id", sa.String(length=80), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("purpose", sa.String(length=20), server_default="production", nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(length=200), nullable=True),
        sa.Column("comment", sa.Text(), server_default="", nullable=False),
        sa.Column("rubric_id", sa.Integer(), nullable=False),
        sa.Column("shown_hash", sa.String(length=64), nullable=True),
        sa.Column("shown_at", sa.DateTime(), nullable=True),
        sa.Column("judged_at", sa.DateTime(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("surplus", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("takes_back", sa.Integer(), nullable=True),
        sa.Column("import_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("(kind = 'grade') = (grade IS NOT NULL)", name=op.f("ck_judgment_grade_with_kind")),
        sa.CheckConstraint(
            "kind IN ('grade', 'cannot_judge', 'skip', 'undo', 'failed')", name=op.f("ck_judgment_kind_known")
        ),
        sa.CheckConstraint(
            "purpose IN ('production', 'practice', 'gold', 'repeat')", name=op.f("ck_judgment_purpose_known")
        ),
        sa.CheckConstraint("grade IS NULL OR (grade >= 0 AND grade <= 10)", name=op.f("ck_judgment_grade_on_scale")),
        sa.CheckConstraint("seconds IS NULL OR seconds >= 0", name=op.f("ck_judgment_seconds_not_negative")),
        sa.ForeignKeyConstraint(["import_id"], ["import_batch.id"], name=op.f("fk_judgment_import_id")),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_judgment_pair_id")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_judgment_rater_id")),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubric.id"], name=op.f("fk_judgment_rubric_id")),
        sa.ForeignKeyConstraint(["takes_back"], ["judgment.id"], name=op.f("fk_judgment_takes_back")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment")),
        sa.UniqueConstraint("act_id", name=op.f("uq_judgment_act_id")),
    )
    op.create_index("ix_judgment_pair_id_rater_id", "judgment", ["pair_id", "rater_id"], unique=False)
    op.create_index("ix_judgment_rater_id_id", "judgment", ["rater_id", "id"], unique=False)

    op.create_table(
        "current_judgment",
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("judgment_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["judgment_id"], ["judgment.id"], name=op.f("fk_current_judgment_judgment_id")),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_current_judgment_pair_id")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_current_judgment_rater_id")),
        sa.PrimaryKeyConstraint("pair_id", "rater_id", name=op.f("pk_current_judgment")),
        sa.UniqueConstraint("judgment_id", name=op.f("uq_current_judgment_judgment_id")),
    )
    op.create_index("ix_current_judgment_rater_id", "current_judgment", ["rater_id"], unique=False)
    for statement in append_only_statements(op.get_bind().dialect.name, "judgment", "decision"):
        op.execute(statement)


def downgrade() -> None:
    op.drop_table("current_judgment")
    op.drop_table("judgment")
    op.drop_table("decision")
    op.drop_table("claim")
    op.drop_table("pair")
    op.drop_table("run")
    op.drop_table("rubric")
    op.drop_table("rater")
    op.drop_table("query")
    op.drop_table("import_batch")
    op.drop_table("document")
    op.drop_table("sign_in")
    op.drop_table("project")
    op.drop_table("invitation")
    op.drop_table("setting")
    op.drop_table("account")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_change()")
