"""Fixtures of the commands that embed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragsql.server import server_user
from support.database import Database
from support.embedding_server import embedding_server
from support.stub import Stub


@pytest.fixture(scope="module")
def stub_of_module(db: Database) -> Iterator[Stub]:
    """The module's database with its models at a scripted server."""
    with embedding_server() as server:
        yield Stub(db, server)


@pytest.fixture
def stub(stub_of_module: Stub) -> Stub:
    """A database without documents but with an empty collection c, searched by model stub."""
    stub_of_module.reset()
    stub_of_module.collection()
    return stub_of_module


@pytest.fixture(scope="session")
def sockets_dir(short_dir: Path) -> Path:
    """A folder for sockets that only the server's user can enter."""
    folder = short_dir / "sockets"
    folder.mkdir(mode=0o700)
    user = server_user()
    os.chown(folder, user.uid, user.gid)
    return folder
