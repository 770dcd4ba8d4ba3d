"""Connections to the database: SQLite (WAL) or PostgreSQL, short transactions, migrations at start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
    TimeoutError,
)
from sqlmodel import Session

from service.errors import StoreError, StoreUnavailableError
from service.store.migrations import HEAD_REVISION, upgrade

_BUSY_TIMEOUT_MS = 30_000
_WRITES = "warp2wave_writes"


class Database:
    """One database. Safe to use from several threads.

    Raises StoreError, from every method and from inside its transactions, where the database cannot be used.
    """

    def __init__(self, url: str) -> None:
        self._url = _parse(url)
        self.engine = _create_sqlite(self._url) if self.is_sqlite else create_engine(self._url, pool_pre_ping=True)

    @property
    def is_sqlite(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    @property
    def url(self) -> str:
        """With the password, for those that connect on their own."""
        return self._url.render_as_string(hide_password=False)

    def migrate(self) -> None:
        """Bring the tables to this version. Processes that start together take turns."""
        with _store_errors(self._url):
            if self._revision() != HEAD_REVISION:
                with self.engine.execution_options(**{_WRITES: True}).begin() as connection:
                    if not self.is_sqlite:
                        connection.execute(text("SELECT pg_advisory_xact_lock(8642001)"))
                    upgrade(connection)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One consistent view of the data."""
        with _store_errors(self._url), Session(self.engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction: all of it is kept when the block ends, nothing if it raises."""
        engine = self.engine.execution_options(**{_WRITES: True})
        with _store_errors(self._url), Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    def close(self) -> None:
        self.engine.dispose()

    def _revision(self) -> str | None:
        with self.engine.connect() as connection:
            if not self.engine.dialect.has_table(connection, "alembic_version"):
                return None
            return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreError("the database URL is malformed", hint="sqlite:///FILE or postgresql+psycopg://...") from None
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and parsed.database not in (None, "", ":memory:"):
        return parsed
    raise StoreError(
        f"cannot keep ports in {parsed.render_as_string()}", hint="use a SQLite file or a PostgreSQL database"
    )


def _create_sqlite(url: URL) -> Engine:
    engine = create_engine(url)

    @event.listens_for(engine, "connect")
    def set_pragmas(connection: Any, _record: Any) -> None:
        # The driver's own transaction handling leaves DDL and reads outside: begin() below takes its place.
        connection.isolation_level = None
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            f"busy_timeout={_BUSY_TIMEOUT_MS}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A transaction that reads first and writes later could fail halfway: writers queue up front.
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


@contextmanager
def _store_errors(url: URL) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        message = f"{url.render_as_string()}: {str(cause).splitlines()[0]}"
        kind = StoreUnavailableError if _may_pass(error) else StoreError
        raise kind(message, hint="check WARP2WAVE_DATABASE_URL and free disk space") from error


def _may_pass(error: SQLAlchemyError) -> bool:
    return isinstance(error, OperationalError | InterfaceError | TimeoutError) or (
        isinstance(error, DBAPIError) and error.connection_invalidated
    )
