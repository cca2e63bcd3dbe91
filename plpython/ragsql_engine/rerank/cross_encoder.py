"""Cross-encoders that fastembed runs in this process, from files only, never from the network."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragsql_engine.embedding.batching import BATCH_TEXTS, BATCH_TOKENS
from ragsql_engine.errors import ModelMissing, ProviderUnavailable
from ragsql_engine.files import DOCTOR, model_directory, require_files
from ragsql_engine.rerank.reranker import WITHOUT, Reranker
from ragsql_engine.tokens import TOKENIZER_FILES, TokenWindow, load_window

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

# Where the weights of a cross-encoder lie that fastembed does not know by name.
_USUAL_FILES = ("onnx/model.onnx", "model.onnx")


class CrossEncoder:
    """Loaded weights. One thread, no memory arena: a backend is one of many."""

    batch_tokens = BATCH_TOKENS
    batch_texts = BATCH_TEXTS

    def __init__(self, reranker: Reranker, directory: Path) -> None:
        weights = require_weights(reranker, directory)
        self._name, self.scores = reranker.name, reranker.scores
        try:
            if not _is_known(reranker.name):
                _make_known(reranker.name, str(weights.relative_to(directory)))
            self._encoder: TextCrossEncoder = _fastembed()(
                reranker.name,
                specific_model_path=str(directory),
                threads=1,
                enable_cpu_mem_arena=False,
                local_files_only=True,
                providers=["CPUExecutionProvider"],
            )
        except Exception as error:  # onnxruntime raises its own family, fastembed ValueError
            line = next(iter(str(error).splitlines()), type(error).__name__)
            raise ModelMissing(
                f"reranker {reranker.name} cannot be loaded",
                detail=f"Its file {weights.name} ({weights.stat().st_size} bytes): "
                f"{line.replace(str(directory), '...')}",
                hint=f"The file is damaged or cut short: put it there again. {DOCTOR} {WITHOUT}",
            ) from error

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """Run the model on one batch."""
        try:
            found = self._encoder.rerank(query, list(passages), batch_size=len(passages))
            return [float(score) for score in found]
        except Exception as error:  # noqa: BLE001  its text may hold what was scored
            name = type(error).__name__
        raise ProviderUnavailable(
            f"reranker {self._name} failed ({name})",
            certain=False,
            hint=f"It may be no cross-encoder, or want more memory than there is. {WITHOUT}",
        )


def reranker_directory(root: str | None, reranker: Reranker) -> Path:
    """Where its files lie under the folder of all models."""
    try:
        return model_directory(root, reranker.model)
    except ModelMissing as error:
        raise _missing(error) from None


def load_pair_window(reranker: Reranker, root: str | None) -> TokenWindow:
    """The window of a reranker whose files are here; ModelMissing where they are not."""
    directory = reranker_directory(root, reranker)
    try:
        require_files(reranker.model, directory, TOKENIZER_FILES)
        return load_window(reranker.model, directory)
    except ModelMissing as error:
        raise _missing(error) from None


def require_weights(reranker: Reranker, directory: Path) -> Path:
    """The path of the weights, after a check that all files can be read."""
    weights = weights_file(reranker.name, directory)
    try:
        require_files(reranker.model, directory, [weights, *TOKENIZER_FILES])
    except ModelMissing as error:
        raise _missing(error) from None
    return directory / weights


def weights_file(name: str, directory: Path) -> str:
    """The name of the ONNX file: fastembed's, or the usual one of a model it does not know."""
    for known in _fastembed().list_supported_models():
        if known["model"].lower() == name.lower():
            return str(known["model_file"])
    there = (file for file in _USUAL_FILES if (directory / file).is_file())
    return next(there, _USUAL_FILES[0])


def _missing(error: ModelMissing) -> ModelMissing:
    """What files.py says, with the next step for a reranker."""
    return ModelMissing(
        error.message.replace("model ", "reranker ", 1),
        detail=error.detail,
        hint="`ragsql reranker add NAME` on the server fetches those that fastembed knows; else put "
        "the files (tokenizer, configuration, ONNX weights) into its folder below the server's "
        f"folder of models (own/model lies in own--model). {DOCTOR} {WITHOUT}",
    )


def _is_known(name: str) -> bool:
    known = _fastembed().list_supported_models()
    return any(model["model"].lower() == name.lower() for model in known)


def _make_known(name: str, weights: str) -> None:
    """fastembed runs any cross-encoder once it knows where the weights are."""
    from fastembed.common.model_description import ModelSource

    _fastembed().add_custom_model(name, sources=ModelSource(hf=name), model_file=weights)


def _fastembed() -> "type[TextCrossEncoder]":
    # Imported late: onnxruntime takes half a second and 80 MB that not every session needs.
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return TextCrossEncoder
