"""Ports with what was found about them, their events and the outputs of their stages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ID = sa.String(26)
_HASH = sa.String(64)
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "ports",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("stage", sa.String(64), nullable=False),
        sa.Column("outcome", sa.String(32)),
        sa.Column("evidence", sa.String(16)),
        sa.Column("targets", sa.Text, nullable=False),
        sa.Column("submission_sha256", _HASH),
        sa.Column("executor", sa.String(64), nullable=False),
        sa.Column("cancel_requested", sa.Boolean, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("updated_at", _TIME, nullable=False),
        sa.Column("finished_at", _TIME),
    )
    for columns in (("state", "id"), ("outcome", "id"), ("name", "id"), ("executor", "state")):
        op.create_index(f"ix_ports_{'_'.join(columns)}", "ports", list(columns))
    op.create_table(
        "findings",
        _port_key(),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("fault", sa.String(64), nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("severity", sa.String(32), nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_table(
        "verdicts",
        _port_key(),
        sa.Column("target", sa.String(64), primary_key=True),
        sa.Column("outcome", sa.String(32), nullable=False),
        sa.Column("evidence", sa.String(16)),
        sa.Column("reasons", sa.Text, nullable=False),
        sa.Column("code_object_sha256", _HASH, nullable=False),
    )
    op.create_table(
        "artifacts",
        _port_key(),
        sa.Column("name", sa.String(512), primary_key=True),
        sa.Column("media_type", sa.String(128), nullable=False),
        sa.Column("sha256", _HASH, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_artifacts_sha256", "artifacts", ["sha256"])
    _create_progress_tables()


def _create_progress_tables() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("port_id", _ID, sa.ForeignKey("ports.id"), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("stage", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("fraction", sa.Float),
        sa.Column("seconds", sa.Float),
    )
    op.create_index("ix_events_port_id_id", "events", ["port_id", "id"])
    op.create_table(
        "stage_outputs",
        _port_key(),
        sa.Column("stage", sa.String(64), primary_key=True),
        sa.Column("sha256", _HASH, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
    )
    op.create_index("ix_stage_outputs_sha256", "stage_outputs", ["sha256"])


def _port_key() -> sa.Column[str]:
    return sa.Column("port_id", _ID, sa.ForeignKey("ports.id"), primary_key=True)
