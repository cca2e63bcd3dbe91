"""Freezes the sql/ folder into a revision: `make freeze REV=0007_name`.

    python migrations/freeze.py 0007_name              copy what changed into the revision
    python migrations/freeze.py --release 0007_name    from now on the revision never changes
    python migrations/freeze.py --check                compare released revisions with frozen.sha256

A revision that does not exist yet is created on top of the newest one, with empty up.sql and
down.sql. Freezing it again starts over, so a file that was changed back is not shipped. What
create or replace cannot do is written by hand: a dropped or changed signature goes into up.sql,
and a function that is new in the revision is dropped in its down.sql.
"""

import argparse
import hashlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from replay import read_order

HERE = Path(__file__).resolve().parent
LONGEST = 32
"""Characters of a revision id: the width of alembic's version column."""


class FreezeError(Exception):
    """The folders do not fit together; the message says what to do."""


class Tree:
    """The folders of one checkout."""

    def __init__(self, migrations: Path = HERE, sql: Path | None = None) -> None:
        self.migrations = migrations
        self.versions = migrations / "versions"
        self.sql = sql or migrations.parent / "sql"
        self.sums = migrations / "frozen.sha256"
        self.config = Config()
        self.config.set_main_option("script_location", str(migrations).replace("%", "%%"))
        self.config.set_main_option("prepend_sys_path", str(migrations).replace("%", "%%"))
        self.config.set_main_option("path_separator", "newline")
        self.config.set_main_option("file_template", "%%(rev)s")

    def chain(self) -> list[str]:
        """Revisions, newest first."""
        script = ScriptDirectory.from_config(self.config)
        return [step.revision for step in script.walk_revisions()]

    def newest_copy(self, name: str, chain: list[str]) -> Path | None:
        """The newest frozen copy of sql/`name` in `chain`, newest first."""
        copies = (self.versions / revision / "sql" / name for revision in chain)
        return next((path for path in copies if path.is_file()), None)

    def sql_files(self) -> set[str]:
        """Every .sql file in sql/, relative to it."""
        return {path.relative_to(self.sql).as_posix() for path in self.sql.rglob("*.sql")}

    def files_of(self, revision: str) -> list[Path]:
        """Every file that a revision consists of."""
        folder = self.versions / revision
        inside = [path for path in folder.rglob("*") if path.is_file()]
        return sorted([self.versions / f"{revision}.py", *inside])

    def released(self) -> dict[str, str]:
        """Checksum by path (relative to the migrations folder) of every released file."""
        if not self.sums.is_file():
            return {}
        pairs = (line.split(maxsplit=1) for line in self.sums.read_text("utf-8").splitlines())
        return {path: checksum for checksum, path in pairs}

    def released_revisions(self) -> list[str]:
        """Revisions with a line in frozen.sha256."""
        return sorted(
            {
                Path(path).relative_to("versions").parts[0].removesuffix(".py")
                for path in self.released()
            }
        )


def order_problems(tree: Tree) -> list[str]:
    """Where order.txt and the files of sql/ differ."""
    order = read_order(tree.sql / "order.txt")
    files = tree.sql_files()
    problems = [f"sql/{name} is not in order.txt" for name in sorted(files - set(order))]
    problems += [
        f"order.txt names {name}, which does not exist" for name in order if name not in files
    ]
    problems += [
        f"order.txt names {name} more than once"
        for name in sorted(set(order))
        if order.count(name) > 1
    ]
    return problems


def drift(tree: Tree) -> list[str]:
    """Where sql/ and the newest frozen copies differ; empty when they are one thing."""
    chain = tree.chain()
    problems = order_problems(tree)
    for name in sorted(tree.sql_files()):
        copy = tree.newest_copy(name, chain)
        if copy is None:
            problems.append(f"sql/{name} is frozen in no revision")
        elif copy.read_bytes() != (tree.sql / name).read_bytes():
            revision = copy.relative_to(tree.versions).parts[0]
            problems.append(f"sql/{name} differs from its newest copy in {revision}")
    if chain:
        newest = tree.versions / chain[0] / "order.txt"
        if read_order(newest) != read_order(tree.sql / "order.txt"):
            problems.append(f"sql/order.txt differs from {chain[0]}/order.txt")
    for revision in chain:
        folder = tree.versions / revision / "sql"
        known = set(read_order(tree.versions / revision / "order.txt"))
        for path in folder.rglob("*"):
            name = path.relative_to(folder).as_posix()
            if path.is_file() and name not in known:
                problems.append(f"{revision}/sql/{name} is not in the order.txt of {revision}")
    return problems


def freeze(tree: Tree, revision: str) -> list[str]:
    """Copy the files of sql/ that differ from their newest copy below; returns their names."""
    if revision in tree.released_revisions():
        raise FreezeError(f"{revision} is released and never changes; name a new revision.")
    problems = order_problems(tree)
    if problems:
        raise FreezeError("\n".join(problems))
    chain = tree.chain()
    if revision not in chain:
        _create(tree, revision)
    elif chain[0] != revision:
        raise FreezeError(f"{revision} is not the newest revision; freeze into {chain[0]}.")
    below = [older for older in chain if older != revision]
    folder = tree.versions / revision
    shutil.rmtree(folder / "sql", ignore_errors=True)
    changed = []
    for name in read_order(tree.sql / "order.txt"):
        copy = tree.newest_copy(name, below)
        if copy is None or copy.read_bytes() != (tree.sql / name).read_bytes():
            target = folder / "sql" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree.sql / name, target)
            changed.append(name)
    shutil.copyfile(tree.sql / "order.txt", folder / "order.txt")
    return changed


def removed(tree: Tree, revision: str) -> list[str]:
    """Files that the revision below still had: its up.sql has to drop what they made."""
    chain = tree.chain()
    below = chain[chain.index(revision) + 1 :]
    if not below:
        return []
    return [
        name
        for name in read_order(tree.versions / below[0] / "order.txt")
        if name not in tree.sql_files()
    ]


def added(tree: Tree, revision: str, changed: list[str]) -> list[str]:
    """Files that no older revision has: its down.sql has to drop what they made."""
    chain = tree.chain()
    below = chain[chain.index(revision) + 1 :]
    return [name for name in changed if below and tree.newest_copy(name, below) is None]


def release(tree: Tree, revision: str) -> None:
    """Add the files of `revision` to frozen.sha256."""
    if revision not in tree.chain():
        raise FreezeError(f"there is no revision {revision}.")
    if revision in tree.released_revisions():
        raise FreezeError(f"{revision} is released already.")
    sums = tree.released()
    for path in tree.files_of(revision):
        sums[path.relative_to(tree.migrations).as_posix()] = _checksum(path)
    lines = (f"{checksum}  {path}\n" for path, checksum in sorted(sums.items()))
    tree.sums.write_text("".join(lines), "utf-8")


def tampered(tree: Tree) -> Iterator[str]:
    """What differs from frozen.sha256: changed, missing and added files of released revisions."""
    sums = tree.released()
    for name, checksum in sums.items():
        path = tree.migrations / name
        if not path.is_file():
            yield f"{name} is missing"
        elif _checksum(path) != checksum:
            yield f"{name} was changed after its release"
    for revision in tree.released_revisions():
        for path in tree.files_of(revision):
            name = path.relative_to(tree.migrations).as_posix()
            if name not in sums:
                yield f"{name} was added after the release of {revision}"


def _create(tree: Tree, revision: str) -> None:
    if len(revision) > LONGEST or not revision.replace("_", "").isalnum():
        raise FreezeError(f"{revision}: use at most {LONGEST} letters, digits and underscores.")
    message = revision.partition("_")[2].replace("_", " ") or revision
    quiet = Config(attributes=tree.config.attributes, stdout=sys.stderr)
    for option in ("script_location", "prepend_sys_path", "path_separator", "file_template"):
        value = tree.config.get_main_option(option)
        assert value is not None
        quiet.set_main_option(option, value.replace("%", "%%"))
    command.revision(quiet, message=message, rev_id=revision)
    folder = tree.versions / revision
    folder.mkdir(exist_ok=True)
    for name, purpose in (("up.sql", "What"), ("down.sql", "Takes back what")):
        path = folder / name
        if not path.exists():
            path.write_text(f"-- {purpose} {message} needs beside the frozen files.\n", "utf-8")


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> int:
    """Command line of this file."""
    parser = argparse.ArgumentParser(description="Freeze sql/ into a revision.")
    parser.add_argument("revision", nargs="?", help="for example 0007_name")
    parser.add_argument("--release", action="store_true", help="add the revision to frozen.sha256")
    parser.add_argument("--check", action="store_true", help="verify frozen.sha256 and the copies")
    arguments = parser.parse_args()
    tree = Tree()
    if arguments.check:
        problems = [*tampered(tree), *drift(tree)]
        print("\n".join(problems) or "sql/ and its frozen copies agree", file=sys.stderr)
        return 1 if problems else 0
    if arguments.revision is None:
        parser.error("name a revision, or say --check")
    try:
        if arguments.release:
            release(tree, arguments.revision)
            return 0
        _report(tree, arguments.revision, freeze(tree, arguments.revision))
    except FreezeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _report(tree: Tree, revision: str, changed: list[str]) -> None:
    print(f"{revision}: {len(changed)} files", file=sys.stderr)
    for name in changed:
        print(f"  {name}", file=sys.stderr)
    for name in added(tree, revision, changed):
        print(f"{name} is new: drop what it makes in {revision}/down.sql", file=sys.stderr)
    for name in removed(tree, revision):
        print(f"{name} is gone: drop what it made in {revision}/up.sql", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
