"""Brings a database to a revision of the schema: upgrade, downgrade, status, SQL for a DBA."""

from ragsql.migration.errors import MigrationError
from ragsql.migration.offline import offline_sql
from ragsql.migration.runner import Status, downgrade, status, upgrade

__all__ = ["MigrationError", "Status", "downgrade", "offline_sql", "status", "upgrade"]
