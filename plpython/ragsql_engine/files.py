"""The files of a model on the server."""

import os
from collections.abc import Iterable
from pathlib import Path

from ragsql_engine.errors import ModelMissing
from ragsql_engine.model import Model

# Errors reach readers, who are not to learn the server's folders: doctor names them to rag_admin.
DOCTOR = "rag.doctor() tells rag_admin the folder."
WITHOUT_MODEL = "strategy => 'bm25' works without a model."
DAMAGED = (
    "The file is damaged or cut short: remove the model's folder and put its files there again, "
    f"which `ragsql up` does on a server of ragsql's own. {DOCTOR} {WITHOUT_MODEL}"
)


def model_directory(root: str | None, model: Model) -> Path:
    """Where the files of `model` lie under the folder of all models."""
    if not root:
        raise ModelMissing(
            f"model {model.name} cannot be found: no folder for models is set",
            hint=f"Run `ragsql up`, which fetches a model and sets the folder. {WITHOUT_MODEL}",
        )
    return Path(root) / model.name.replace("/", "--")


def require_files(model: Model, directory: Path, names: Iterable[str]) -> None:
    """Check that each file is there and readable by this process."""
    for name in names:
        file = directory / name
        if os.access(file, os.R_OK):
            continue
        if _is_hidden(file):
            raise ModelMissing(
                f"model {model.name} cannot be read by the database server",
                detail=f"Its file {name} is closed to the server's user.",
                hint="Let the server's user read the model's folder and enter all folders above "
                f"it. {DOCTOR} {WITHOUT_MODEL}",
            )
        raise ModelMissing(
            f"model {model.name} is not on the server",
            detail=f"Its folder has no file {name}.",
            hint="On a server of ragsql's own run `ragsql up`, which fetches it; else put the "
            f"model's files there. {DOCTOR} {WITHOUT_MODEL}",
        )


def _is_hidden(file: Path) -> bool:
    """Whether the file, or a folder above it, is there but closed to this process."""
    try:
        os.stat(file)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
