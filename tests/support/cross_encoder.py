"""A small but real ONNX cross-encoder, made here, byte by byte, and the way to let a session use it.

It scores a pair by the share of the question's tokens that the passage has: the logit is
8 * share - 4. Punctuation does not count.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

KNOWN = "Xenova/ms-marco-MiniLM-L-6-v2"
"""A name that fastembed knows: the weights are onnx/model.onnx."""

_FLOAT, _INT64 = 1, 7
_FIRST_WORD = 1036  # of the vocabulary of BERT; what is before is punctuation and special
_LOOK_IN = """
do $$
import os
GD.setdefault("models", os.environ["RAGSQL_MODELS"])
{}
$$ language plpython3u
"""
_TOKENIZER = ("config.json", "special_tokens_map.json", "tokenizer.json")


def make_cross_encoder(
    models: Path, tokenizer: Path, name: str = KNOWN, *, window: int = 512
) -> Path:
    """The folder of model `name` below `models`; `tokenizer` is the folder of a BERT model."""
    folder = models / name.replace("/", "--")
    (folder / "onnx").mkdir(parents=True)
    for file in _TOKENIZER:
        shutil.copy(tokenizer / file, folder / file)
    config = json.loads((tokenizer / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(
        json.dumps({**config, "model_max_length": window})
    )
    (folder / "onnx" / "model.onnx").write_bytes(_model())
    return folder


@contextmanager
def models_from(connection: psycopg.Connection[Any], folder: Path) -> Iterator[None]:
    """The session of a superuser finds its models in `folder`."""
    connection.execute(_LOOK_IN.format(f"os.environ['RAGSQL_MODELS'] = '{folder}'").encode())
    try:
        yield
    finally:
        connection.execute(_LOOK_IN.format("os.environ['RAGSQL_MODELS'] = GD['models']").encode())


def _model() -> bytes:
    """A ModelProto: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto."""
    nodes = [
        _node("Cast", ["attention_mask"], "mask", to=_FLOAT),
        _node("Cast", ["token_type_ids"], "type", to=_FLOAT),
        _node("Greater", ["input_ids", "first_word"], "is_word"),
        _node("Cast", ["is_word"], "word", to=_FLOAT),
        _node("Mul", ["word", "mask"], "content"),
        _node("Mul", ["content", "type"], "passage"),
        _node("Sub", ["content", "passage"], "question"),
        _node("Unsqueeze", ["input_ids", "axis_2"], "rows"),
        _node("Unsqueeze", ["input_ids", "axis_1"], "columns"),
        _node("Equal", ["rows", "columns"], "is_same"),
        _node("Cast", ["is_same"], "same", to=_FLOAT),
        _node("Unsqueeze", ["passage", "axis_1"], "there"),
        _node("Mul", ["same", "there"], "matches"),
        _node("ReduceMax", ["matches"], "matched", axes=[2], keepdims=0),
        _node("Mul", ["matched", "question"], "found"),
        _node("ReduceSum", ["found", "axis_1"], "number", keepdims=1),
        _node("ReduceSum", ["question", "axis_1"], "length", keepdims=1),
        _node("Max", ["length", "one"], "divisor"),
        _node("Div", ["number", "divisor"], "share"),
        _node("Mul", ["share", "eight"], "scaled"),
        _node("Sub", ["scaled", "four"], "logits"),
    ]
    constants = [
        _integers("first_word", [_FIRST_WORD]),
        _integers("axis_1", [1]),
        _integers("axis_2", [2]),
        *(_float(name, value) for name, value in (("one", 1), ("four", 4), ("eight", 8))),
    ]
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, b"overlap"),
            *(_field(5, constant) for constant in constants),
            *(_field(11, _value(name, _INT64, ["batch", "tokens"])) for name in inputs),
            _field(12, _value("logits", _FLOAT, ["batch", 1])),
        ]
    )
    opset = _field(2, 13)
    return _field(1, 8) + _field(7, graph) + _field(8, opset)


def _node(kind: str, inputs: Sequence[str], output: str, **attributes: int | list[int]) -> bytes:
    names = b"".join(_field(1, name.encode()) for name in inputs)
    settings = b"".join(_field(5, _attribute(*item)) for item in attributes.items())
    return names + _field(2, output.encode()) + _field(4, kind.encode()) + settings


def _attribute(name: str, value: int | list[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name.encode()) + _field(3, value) + _field(20, 2)
    return _field(1, name.encode()) + b"".join(_field(8, n) for n in value) + _field(20, 7)


def _integers(name: str, values: Sequence[int]) -> bytes:
    raw = b"".join(value.to_bytes(8, "little") for value in values)
    return _field(1, len(values)) + _field(2, _INT64) + _field(8, name.encode()) + _field(9, raw)


def _float(name: str, value: float) -> bytes:
    raw = struct.pack("<f", value)
    return _field(1, 1) + _field(2, _FLOAT) + _field(8, name.encode()) + _field(9, raw)


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    dims = b"".join(
        _field(1, _field(1, n) if isinstance(n, int) else _field(2, n.encode())) for n in shape
    )
    tensor = _field(1, kind) + _field(2, dims)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))


def _field(number: int, value: int | bytes) -> bytes:
    """A field of a protobuf message: an integer, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
