"""What follows a load: merging the lexical index, and telling of vectors that are still to come."""

from __future__ import annotations

import psycopg

from ragsql.connection import warnings_told
from ragsql.loading.report import Report

_WAITING = """
select count(*), coalesce(sum(waiting), 0) from rag.job_status where job_id = any (%s)
"""


def merge_index(connection: psycopg.Connection, report: Report) -> None:
    """Merge what the load left in many pieces; all of it is found without, only less quickly."""
    report.say("Merging the lexical index ...")
    try:
        connection.autocommit = True  # the procedure commits after each step
        connection.execute("set default_transaction_isolation = 'read committed'")
        with warnings_told(connection, report.say):
            connection.execute("call rag.maintain()")
    except psycopg.Error as error:
        reason = error.diag.message_primary or str(error)
        report.say(f"It is not merged: {reason}. Everything is stored; call rag.maintain() later.")


def tell_of_jobs(connection: psycopg.Connection, report: Report) -> None:
    """Say what waits for vectors; nothing where a worker has made them meanwhile."""
    jobs = sorted(report.job_ids)
    counted = ""
    try:
        with connection.transaction():
            row = connection.execute(_WAITING, (jobs,)).fetchone()
    except psycopg.Error:  # all is stored: what is only told must not fail the load
        row = None
    # jobs that somebody else asked for are not shown to the caller
    if row is not None and row[0] == len(jobs):
        if row[1] == 0:
            return
        counted = f" ({_counted(row[1], 'passage')} in {_counted(len(jobs), 'job')})"
    waits = "waits for its" if report.waiting == 1 else "wait for their"
    report.say(
        f"{_counted(report.waiting, 'document')} {waits} vectors{counted}: `ragsql worker --once` "
        "makes them, rag.job_status says how far they are. Words find the texts already."
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
