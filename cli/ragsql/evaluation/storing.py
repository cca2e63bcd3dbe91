"""Putting the documents of a dataset into a collection, over several connections."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import psycopg
from psycopg.types.json import Jsonb
from rich.console import Console
from rich.progress import Progress

from ragsql.evaluation.folder import Document

_PASSAGE = """
select i.chunks_created
from rag.ingest_chunks(%s, %s, content => %s, source => %s, title => %s) i
"""
_DOCUMENT = """
select i.chunks_created from rag.ingest(%s, %s, source => %s, title => %s) i
"""


def store(
    connections: Sequence[psycopg.Connection],
    collection: str,
    documents: Sequence[Document],
    whole: bool,
) -> int:
    """Put documents into a collection that exists; how many passages that made.

    whole: they are cut as the collection says; else each becomes one passage. What stands there
    already is left alone.
    """
    stop = threading.Event()
    waiting = iter(documents)
    lock = threading.Lock()

    def work(connection: psycopg.Connection) -> Iterator[int]:
        while not stop.is_set():
            with lock:
                document = next(waiting, None)
            if document is None:
                return
            yield _store_one(connection, collection, document, whole)

    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(collection, total=len(documents))

        def run(connection: psycopg.Connection) -> int:
            made = 0
            for passages in work(connection):
                made += passages
                progress.advance(task)
            return made

        with ThreadPoolExecutor(len(connections)) as pool:
            try:
                running = [pool.submit(run, connection) for connection in connections]
                return sum(future.result() for future in as_completed(running))
            finally:
                stop.set()


def _store_one(
    connection: psycopg.Connection, collection: str, document: Document, whole: bool
) -> int:
    text = document.text
    with connection.transaction():
        if whole:
            values = collection, text, document.source, document.title
            row = connection.execute(_DOCUMENT, values).fetchone()
        else:
            chunks = Jsonb([{"content": text}])
            row = connection.execute(
                _PASSAGE, (collection, chunks, text, document.source, document.title)
            ).fetchone()
    return int(row[0]) if row else 0
