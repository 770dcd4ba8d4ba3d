"""Migrations of the database, run by the program itself when it starts.

A new one: add ``versions/NNNN_name.py`` and raise HEAD_REVISION; the tests compare the result with tables.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection

if TYPE_CHECKING:
    from alembic.config import Config

HEAD_REVISION = "0001"
"""Known without importing Alembic: most starts find the database up to date."""


def upgrade(connection: Connection) -> None:
    """Run what is missing, inside the connection's transaction."""
    from alembic import command

    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def alembic_config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
