"""Alembic environment: `ragsql migrate` hands over the connection, alembic walks the revisions.

Run alone (`alembic upgrade head`) it stops, since the guard against two upgrades at once, the
preflight and the settings of the session all live in `ragsql.migration`.
"""

from alembic import context

VERSION_SCHEMA = "rag_internal"


def run_offline() -> None:
    """Write the revisions as SQL to the buffer of the configuration."""
    context.configure(
        dialect_name="postgresql",
        transaction_per_migration=True,
        version_table_schema=VERSION_SCHEMA,
    )
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    """Run the revisions on the given connection, each in a transaction of its own."""
    connection = context.config.attributes.get("connection")
    if connection is None:
        raise SystemExit("run `ragsql migrate upgrade`: it takes the guard and checks the server")
    context.configure(
        connection=connection,
        transaction_per_migration=True,
        version_table_schema=VERSION_SCHEMA,
    )
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    run_offline()
else:
    run_online()
