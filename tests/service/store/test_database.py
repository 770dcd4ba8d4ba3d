from __future__ import annotations

import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlmodel import SQLModel

from sandbox.progress import ProgressEvent
from service.errors import ErrorRecord, StoreError
from service.store.blobs import DirectoryBlobStore
from service.store.database import Database
from service.store.events import Events
from service.store.migrations import HEAD_REVISION, alembic_config
from service.store.stage_outputs import StageOutputs


def test_head_revision_is_the_last_migration():
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == HEAD_REVISION


def test_migrations_make_what_the_models_describe(database_url: str):
    database = Database(database_url)
    database.migrate()
    database.migrate()

    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    assert set(SQLModel.metadata.tables) == {
        "ports",
        "findings",
        "verdicts",
        "artifacts",
        "events",
        "stage_outputs",
    }
    database.close()


def test_processes_that_start_together_migrate_once(database_url: str):
    errors: list[Exception] = []

    def migrate() -> None:
        database = Database(database_url)
        try:
            database.migrate()
        except Exception as error:
            errors.append(error)
        finally:
            database.close()

    threads = [threading.Thread(target=migrate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_failed_migration_leaves_nothing(database_url: str, monkeypatch: pytest.MonkeyPatch):
    database = Database(database_url)
    with monkeypatch.context() as patch:
        patch.setattr("alembic.op.create_index", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            database.migrate()
    database.migrate()
    database.close()


def test_failed_transaction_leaves_nothing(database_url: str):
    database = Database(database_url)
    database.migrate()

    def fail_halfway() -> None:
        with database.writing() as session:
            session.execute(text("DELETE FROM alembic_version"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_halfway()
    with database.reading() as session:
        assert session.execute(text("SELECT version_num FROM alembic_version")).scalar() == HEAD_REVISION
    database.close()


def test_sqlite_is_in_wal_mode_and_checks_foreign_keys(tmp_path: Path):
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    database.migrate()
    with database.reading() as session:
        assert session.execute(text("PRAGMA journal_mode")).scalar() == "wal"
    outputs = StageOutputs(database, DirectoryBlobStore(tmp_path))
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        Events(database).append("x", ProgressEvent(stage="y", status="started"))
    assert not outputs.put("x", "y", ErrorRecord(code="", message=""), 0, executor="")
    database.close()


@pytest.mark.parametrize(
    "url", ["", "nonsense", "mysql://u:secret@h/d", "sqlite://", "sqlite:///:memory:", "sqlite:////proc/no/such.db"]
)
def test_unusable_url_is_refused_without_its_password(url: str):
    with pytest.raises(StoreError) as raised:
        Database(url).migrate()
    assert "secret" not in str(raised.value)
