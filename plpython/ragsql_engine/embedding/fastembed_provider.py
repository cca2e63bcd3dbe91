"""Models that fastembed runs in this process, from files only, never from the network."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.embedding.batching import BATCH_TEXTS, BATCH_TOKENS
from ragsql_engine.errors import InvalidParameter, ModelMissing
from ragsql_engine.files import DAMAGED, require_files
from ragsql_engine.model import Model
from ragsql_engine.tokens import TOKENIZER_FILES

if TYPE_CHECKING:
    from fastembed import TextEmbedding


class FastembedProvider:
    """Loaded weights. One thread, no memory arena: a backend is one of many."""

    batch_tokens = BATCH_TOKENS
    batch_texts = BATCH_TEXTS

    def __init__(self, model: Model, directory: Path) -> None:
        weights = require_weights(model, directory)
        try:
            self._embedding: TextEmbedding = _fastembed()(
                model.name,
                specific_model_path=str(directory),
                threads=1,
                enable_cpu_mem_arena=False,
                local_files_only=True,
                providers=["CPUExecutionProvider"],
            )
        except Exception as error:  # onnxruntime raises its own family, fastembed ValueError
            reason = _first_line(error).replace(str(directory), "...")
            raise ModelMissing(
                f"model {model.name} cannot be loaded",
                detail=f"Its file {weights.name} ({weights.stat().st_size} bytes): {reason}",
                hint=DAMAGED,
            ) from error

    def embed(self, texts: Sequence[str], kind: str) -> list[NDArray[Any]]:
        """Run the model on one batch."""
        run = self._embedding.query_embed if kind == "query" else self._embedding.passage_embed
        return [np.asarray(vector) for vector in run(list(texts), batch_size=len(texts))]


def require_weights(model: Model, directory: Path) -> Path:
    """The path of the model's weights, after a check that all its files can be read."""
    weights = weights_file(model)
    require_files(model, directory, [weights, *TOKENIZER_FILES])
    return directory / weights


def weights_file(model: Model) -> str:
    """The name of the ONNX file within the model's directory, as fastembed knows it."""
    for known in _fastembed().list_supported_models():
        if known["model"].lower() == model.name.lower():
            return str(known["model_file"])
    raise InvalidParameter(
        f"fastembed does not know a model named {model.name}",
        hint="Python's TextEmbedding.list_supported_models() of fastembed lists the names.",
    )


def _fastembed() -> "type[TextEmbedding]":
    # Imported late: onnxruntime takes half a second and 80 MB that not every session needs.
    from fastembed import TextEmbedding

    return TextEmbedding


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
