"""A server that ends in the middle of rag.scrub()."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragsql import migration
from ragsql.cluster import Cluster
from support.remains import canary, files_with

Connection = psycopg.Connection[Any]

_PATIENCE = 3_000  # looks, of 20 ms and more each

# as docs/access.md has it
ORPHANS = """
select f
from pg_database d, pg_ls_dir(format('base/%s', d.oid)) f
where d.datname = current_database() and f ~ '^[0-9]+([._]|$)'
  and substring(f from '^[0-9]+')::oid not in (select coalesce(pg_relation_filenode(c.oid), 0)
                                               from pg_class c)
"""


@pytest.fixture
def lasting(short_dir: Path, models_dir: Path) -> Iterator[Cluster]:
    """A running cluster whose commits outlive a process."""
    home = Path(tempfile.mkdtemp(dir=short_dir))
    home.chmod(0o755)
    options = {"shared_buffers": "64MB", "fsync": "off", "full_page_writes": "off"}
    cluster = Cluster(home, options=options, models=models_dir)
    try:
        cluster.create()
        cluster.start()
        migration.upgrade(cluster.dsn)
        yield cluster
    finally:
        cluster.stop()


def connected(cluster: Cluster) -> Connection:
    """A session on the cluster, as soon as it takes any."""
    for _ in range(_PATIENCE):
        try:
            return psycopg.connect(cluster.dsn, autocommit=True)
        except psycopg.OperationalError:
            time.sleep(0.02)
    raise AssertionError("the server does not come back")


def test_a_killed_scrub_leaves_a_whole_database_and_the_next_one_finishes(
    lasting: Cluster,
) -> None:
    gone, stays = canary("gone").encode(), canary("stays").encode()
    root = connected(lasting)
    root.execute("select rag.create_collection('docs', model => 'none')")
    for source, word in (("a.md", gone), ("b.md", stays)):
        root.execute("select rag.ingest('docs', %s, %s)", [f"The valve {word.decode()}.", source])
    root.execute("select rag_internal.build_segment('english')")
    root.execute("select rag.delete_source('docs', 'a.md')")
    root.execute("checkpoint")
    assert root.execute(ORPHANS).fetchall() == []
    assert files_with(lasting.data, [gone])[gone]

    scrubber = connected(lasting)
    scrubber.execute("begin")
    # the tables before were done
    step = scrubber.execute("select rag.scrub_step('table dataset_query')").fetchone()
    assert step == ("table document",)
    os.kill(scrubber.info.backend_pid, signal.SIGKILL)
    with pytest.raises(psycopg.OperationalError):
        for _ in range(_PATIENCE):
            root.execute("select pg_sleep(0.02)")

    root = connected(lasting)
    assert not root.execute("select * from rag.verify_index('docs')").fetchall()
    assert root.execute("select source from rag.document").fetchall() == [("b.md",)]
    root.execute("call rag.scrub()")
    root.execute("checkpoint")
    assert files_with(lasting.data, [gone])[gone] == []
    # what was being written is nobody's: PostgreSQL leaves such files of any rewrite
    orphans = {f"base/{self_oid(root)}/{name}" for (name,) in root.execute(ORPHANS)}
    assert orphans & set(files_with(lasting.data, [stays])[stays])


def self_oid(connection: Connection) -> int:
    row = connection.execute(
        "select oid from pg_database where datname = current_database()"
    ).fetchone()
    assert row is not None
    return int(row[0])
