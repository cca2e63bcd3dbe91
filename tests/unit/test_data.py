"""Structured data keeps its structure: members by key path, nothing lost, broken or not."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking import data
from ragsql_engine.chunking.node_lists import DEEPEST, NodeList, label, line_number
from ragsql_engine.chunking.nodes import Hints, Node
from unit.chunk_checks import rows
from unit.node_checks import assert_tree


def parse(text: str, language: str | None = None, said: list[str] | None = None) -> Sequence[Node]:
    warn = ([] if said is None else said).append
    nodes = data.parse(text, Hints(language=language, warn=warn))
    assert_tree(text, nodes)
    return nodes


def flat(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from flat(node.parts())


def paths(text: str, language: str | None = None) -> list[str]:
    return [" > ".join(node.path) for node in flat(parse(text, language)) if node.path]


def contents(text: str, nodes: Sequence[Node]) -> list[str]:
    return [text[node.start : node.end] for node in nodes]


TANKS: dict[str, Any] = {f"tank{number:02}": {} for number in range(1, 40)}
TANKS |= {"tank02": [], "tank03": None, "tank04": "", "tank40": {"v": 1}}


def test_a21_empty_members_are_kept() -> None:
    text = json.dumps({"site": TANKS})
    assert paths(text) == ["site", *(f"site > {name}" for name in sorted(TANKS))]
    chunks = rows(text, "json", 60)
    assert max(len(chunk["content"]) for chunk in chunks) <= 60 + 15
    for name, value in TANKS.items():
        member = f'"{name}": {json.dumps(value)}'
        assert any(member in chunk["content"] for chunk in chunks)
    assert all(chunk["heading"][0] == "site" for chunk in chunks)


def test_members_end_after_their_comma() -> None:
    text = '{"a": [1, {"b": 2}, "c"],\n "d" : {"e": {"f": 1, "g": 2}, "h": null} ,}'
    (root,) = parse(text)
    assert contents(text, root.parts()) == [
        '{"a": [1, {"b": 2}, "c"],',
        '"d" : {"e": {"f": 1, "g": 2}, "h": null} ,}',
    ]
    first, second = root.parts()
    assert contents(text, first.parts()) == ['{"a": [1,', '{"b": 2},', '"c"],']
    assert [part.path for part in second.parts()] == [("d", "e"), ("d", "h")]
    assert {node.kind for node in flat([root])} == {"data"}


def test_a_container_that_is_all_there_is_gives_its_name() -> None:
    text = '{"list": {"items": [{"id": 4, "x": 1}, {"id": 5, "x": 2}]}}'
    (root,) = parse(text)
    assert root.path == ("list", "items")
    assert [part.path for part in root.parts()] == [
        ("list", "items", "[0] 4"),
        ("list", "items", "[1] 5"),
    ]


def test_elements_are_called_by_what_names_them() -> None:
    pod = {"kind": "Pod", "metadata": {"labels": {"name": "no"}, "name": "web"}, "spec": {"id": 1}}
    elements = [
        {"x": 1, "name": "pump-7", "id": 3},
        {"text": 'so he said "name": "no",', "id": "q\u00e9"},
        pod,
        {"deep": {"name": "no"}, "title": "late"},
        {"name": "n" * 200, "x": 1},
        {"name": {"first": "a"}, "x": 2},
        "scalar",
        [],
    ]
    (root,) = parse(json.dumps(elements, ensure_ascii=False))
    names = [(node.path or ("",))[0] for node in root.parts()]
    assert names[:4] == ["[0] pump-7", "[1] qé", "[2] Pod web", "[3] late"]
    assert names[4:] == ["[4]", "[5]", "[6]", "[7]"]
    assert parse(json.dumps(pod))[0].path == ("Pod web",)


def test_rows_of_numbers_are_taken_together() -> None:
    text = f'{{"v": [{", ".join(map(str, range(100)))}, {{"a": 1, "b": 2}}, 5], "w": 1}}'
    (root,) = parse(text)
    parts = root.parts()[0].parts()
    assert len(parts) == 13 + 2
    assert parts[-2].path == ("v", "[100]")
    assert parts[-1].path == ("v", "[101]")


def test_keys_are_shown_as_they_read() -> None:
    text = '{"a\\u00e9\\n\\tb": 1, "": 2, bare: 3, \'single\': 4, "long %s": 5}' % ("x" * 300)
    assert paths(text)[:4] == ["aé b", '""', "bare", "single"]
    assert len(paths(text)[4]) <= 80


@pytest.mark.parametrize(
    "text",
    [
        '// one\n{"a": /* , } */ 1, "b": "}\\"]", // two ]\n "c": [1, 2,],\n}\n// end',
        "\ufeff{'a': 'it\\'s', 'b': [True, None]}",
        'callback({"a": 1, "b": [1, 2]});',
        '{"a": "/* no comment", "b": "//", "c": 1}',
    ],
)
def test_what_people_call_json(text: str) -> None:
    said: list[str] = []
    (root,) = parse(text, "json", said)
    assert (root.start, root.end) == (0, len(text))
    assert said == []
    assert [(part.path or ("",))[0] for part in root.parts()][:2] == ["a", "b"]


@pytest.mark.parametrize(
    "text", ['"a string"', "12", "-3.5e7", "true", "null", "{}", "[]", "[ ]\n"]
)
def test_a_value_without_members_is_a_leaf(text: str) -> None:
    said: list[str] = []
    (leaf,) = parse(text, "json", said)
    assert leaf.parts() == ()
    assert said == []


def test_values_in_a_row() -> None:
    text = '{"a": 1, "b": 2}\n\n{\n"name": "n",\n"b": 2}\n[1, 2] // end'
    nodes = parse(text, "json")
    assert [node.path for node in nodes] == [("[0]",), ("[1] n",), ("[2]",)]
    assert contents(text, nodes)[2] == "[1, 2] // end"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1,\n "b": [1, 2},\n "c": 3}', 2),
        ('{"a": 1,\r\n\r\n "b": "x}\r\n', 3),
        ('{"a": 1}\r}\r', 2),
        ('{"a": 1,\n\n/* "b": 2}', 3),
    ],
)
def test_broken_json_is_taken_by_lines(text: str, line: int) -> None:
    said: list[str] = []
    assert len(parse(text, "json", said)) >= 1
    assert len(said) == 1
    assert f"line {line}:" in said[0]


def test_json_that_is_cut_off_keeps_its_members() -> None:
    text = '{"a": 1,\n"b": {"c": 1, "d": [2, 3'
    said: list[str] = []
    (root,) = parse(text, "json", said)
    assert [part.path for part in root.parts()] == [("a",), ("b",)]
    assert said == ["the JSON is cut off: what opens in line 2 is never closed"]


def test_no_json_at_all() -> None:
    said: list[str] = []
    assert paths("pump:\n  bar: 12\n  on: yes\nvalve: 1\n", "json")[0] == "pump"
    parse("pump: 1\nvalve: 2", "json", said)
    assert said == ["what stands in line 1 is no JSON: the text is chunked as yaml instead"]
    assert parse(" \n\t\n", "json") == ()


LINES = '{"id": 7, "b": [1, 2]}\r\n\r\n  {"a": {"name": "x"}, "c": 1}  \r\n{"a": 1,}}\r\n12\n'


def test_lines_of_json() -> None:
    nodes = parse(LINES, "jsonl")
    assert [node.path for node in nodes] == [("line 1 7",), ("line 3",), ("line 4",), ("line 5",)]
    assert [part.path for part in nodes[1].parts()] == [("line 3", "a"), ("line 3", "c")]
    assert nodes[3].parts() == ()


def test_a_broken_line_is_told_of_once() -> None:
    said: list[str] = []
    parse('{"a": 1}\n' + '{"a": "x\n' * 5, "jsonl", said)
    assert said == ["line 2 is no JSON: it is cut between words"]


def test_lines_of_json_without_a_name() -> None:
    assert paths('{"a": 1}\n{"a": 2}\n{"a": }\n{"a": "}\n') == [
        "line 1",
        "line 2",
        "line 3",
        "line 4",
    ]
    assert paths('{\n"a": 1,\n"b": 2\n}\n{\n"a": 1,\n"b": 2\n}\n', "jsonl")[:2] == [
        "[0]",
        "[0] > a",
    ]


MANIFESTS = """\
# Source: chart/templates/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  labels: {app: web}
  name: "web"  # the name
spec:
  # how many
  {{- if .Values.many }}
  replicas: 3
  {{- end }}
  containers:
  - name: nginx
    args: ["a",
      "b"]
    script: |
      key: no key
      if x

      # no comment
  - image: b
    name: side
---
kind: Service
metadata:
  name: web
---
title: third
a:
- - x
  - y
- z: 1
  b: 2
...
"""


def test_yaml_of_kubernetes() -> None:
    found = paths(MANIFESTS, "yaml")
    web = "Deployment web"
    assert found[:4] == [web, f"{web} > apiVersion", f"{web} > kind", f"{web} > metadata"]
    containers = f"{web} > spec > containers"
    assert f"{containers} > [0] nginx" in found
    assert f"{containers} > [0] nginx > script" in found
    assert f"{containers} > [1] side > image" in found
    assert not any("no key" in path for path in found)
    assert "Service web" in found
    third = "document 3 third"
    assert found[found.index(third) :] == [
        third,
        f"{third} > title",
        f"{third} > a",
        f"{third} > a > [0]",
        f"{third} > a > [0] > [0]",
        f"{third} > a > [0] > [1]",
        f"{third} > a > [1]",
        f"{third} > a > [1] > z",
        f"{third} > a > [1] > b",
    ]


def test_comments_and_template_lines_go_with_what_follows() -> None:
    nodes = {node.path[-1]: node for node in flat(parse(MANIFESTS, "yaml")) if node.path}
    assert MANIFESTS[nodes["apiVersion"].start :].startswith("# Source")
    assert MANIFESTS[nodes["containers"].start :].startswith("{{- end }}")
    assert MANIFESTS[: nodes["script"].end].endswith("# no comment")


def test_documents_of_yaml() -> None:
    text = "%YAML 1.2\n---\na: 1\n--- # second\nb: 2\n---\n"
    nodes = parse(text, "yaml")
    assert contents(text, nodes) == ["%YAML 1.2\n---\na: 1", "--- # second\nb: 2", "---"]
    assert [node.path for node in nodes] == [("document 1",), ("document 2",), ("document 3",)]
    assert [node.path for node in parse("a: 1\nb: 2\n", "yaml")] == [None]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_newlines_and_marks_do_not_matter(newline: str) -> None:
    text = f"\ufeff{MANIFESTS}".replace("\n", newline)
    assert paths(text, "yaml") == paths(MANIFESTS, "yaml")
    assert parse(text, "yaml")[0].start == 0


def test_tabs_and_words_between_keys() -> None:
    text = 'a:\n\tb: 1\n\tc:\n\t\td: 2\nloose words\n}\n"q: x": 1\nurl: http://a.example:80/b\n'
    assert paths(text, "yaml") == ["a", "a > b", "a > c", "q: x", "url"]


def test_settings_by_section() -> None:
    text = '; note\ntop = 1\n[a.b]\n# why\nx = [\n  "p = q",\n]\n[[bin]]\nname: n\n  more\nexport Y=2\n'
    for language in ("toml", "ini", None):
        assert paths(text, language) == ["top", "a.b", "bin", "bin > name", "bin > Y"]
    nodes = parse(text, "toml")
    assert contents(text, nodes)[1] == '[a.b]\n# why\nx = [\n  "p = q",\n]'


def test_elements_by_indentation() -> None:
    text = '<r>\n  <item id="3">\n    <a>1</a>\n    <b/>\n  </item>\n  <item>\n  </item>\n</r>\n'
    assert paths(text) == ["r", "r > item 3", "r > item 3 > a", "r > item 3 > b", "r > item"]


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        (Hints(source="a/b.YML"), "yaml"),
        (Hints(source="https://a.example/x/data.json"), "json"),
        (Hints(source="b.json", language="yaml"), "yaml"),
        (Hints(mime="application/vnd.a+json; charset=utf-8"), "json"),
        (Hints(mime="application/x-ndjson"), "jsonl"),
        (Hints(source="a.txt", mime="text/plain"), None),
        (Hints(), None),
    ],
)
def test_what_is_declared(hints: Hints, expected: str | None) -> None:
    assert data.declared_format(hints) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('\n// note\n{"a": 1}', "json"),
        ("[1, 2]\n", "json"),
        ('{"a": 1}\n{"a": 2}\n', "jsonl"),
        ("[a]\nb = 1\n", "settings"),
        ("# note\nb=1\nc=2\n", "settings"),
        ("<a>\n</a>", "indented"),
        ("---\na: 1\n", "yaml"),
        ("- a\n- b\n", "yaml"),
        ("{{- if a }}\na:\n  b: 1\n{{- end }}\n", "yaml"),
        ("plain words\nand more\n", "indented"),
        ("", "indented"),
    ],
)
def test_what_a_text_looks_like(text: str, expected: str) -> None:
    assert data.apparent_format(text) == expected


LANGUAGES = st.sampled_from(["json", "jsonl", "yaml", "toml", "xml", None])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=40,
)


@given(st.text(), LANGUAGES)
def test_any_text_is_tiled(text: str, language: str | None) -> None:
    parse(text, language)


SIGNS = "{ } [ ] , : \" ' \\ // /* */ # - --- a a: {{ }} 12 = <a> </a> \ufeff é".split(" ")
PIECES = st.sampled_from([*SIGNS, "\n", "\r\n", " ", "  ", "\t", "- ", "a: ", "---\n", "key: |\n"])


@given(st.lists(PIECES, max_size=60).map("".join), LANGUAGES)
def test_any_signs_are_tiled(text: str, language: str | None) -> None:
    parse(text, language)


@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_every_member_of_valid_json_has_its_path(
    value: Any, indent: int | None, ascii_: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_)
    said: list[str] = []
    shown = {node.path for node in flat(parse(text, "json", said)) if node.path}
    assert said == []
    for path in _paths_of_branches(value):
        assert any(other[: len(path)] == path for other in shown)


def _paths_of_branches(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of members that have siblings, of objects without elements that name themselves."""
    if isinstance(value, dict):
        for key, inner in value.items():
            here = (*path, label(key) or '""')
            if len(value) > 1:
                yield here
            yield from _paths_of_branches(inner, here)


@given(st.lists(VALUES, min_size=2, max_size=4))
def test_lines_of_any_values(values: list[Any]) -> None:
    text = "\n".join(json.dumps(value) for value in values)
    assert len(parse(text, "jsonl")) == len(values)


HOSTILE = {
    "deep": "[" * 50_000 + "]" * 50_000,
    "deep objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "deep with siblings": "[1," * 50_000 + "1" + "]" * 50_000,
    "deep and broken": '{"a":[' * 50_000,
    "closing": "{}" + "]" * 100_000,
    "one string": '{"a": "' + "x\\n " * 50_000 + '"}',
    "never closed string": '{"a": "' + 'x\\"' * 50_000,
    "quotes": '"' * 100_001,
    "comments": "[" + "/*" * 50_000,
    "slashes": "[" + "/" * 100_001,
    "numbers": "[" + "1," * 100_000 + "1]",
    "spaces": '{"a": 1,' + " " * 100_000 + '"b": 2}',
    "commas": "{" + "," * 2_000 + "}",
    "dashes": "- " * 50_000,
    "steps": "\n".join(" " * depth + "a:" for depth in range(400)),
    "steps with siblings": "\n".join(
        f"{' ' * depth}a:\n{' ' * depth} b: 1" for depth in range(400)
    ),
    "colons": "a:" * 50_000,
    "blank lines": "a: 1" + "\n" * 100_000 + "b: 2",
    "margin": "a:\n" + " " * 100_000 + "b: 1",
    "base64": "key: |\n  " + "QUJDRA" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("language", ["json", "jsonl", "yaml", "toml", "xml", None])
def test_hostile_text(name: str, language: str | None) -> None:
    parse(HOSTILE[name], language)


def test_depth_is_capped() -> None:
    deepest = max(len(node.path or ()) for node in flat(parse(HOSTILE["deep with siblings"])))
    assert DEEPEST <= deepest <= DEEPEST + 2


def test_work_can_be_cancelled() -> None:
    paused = 0

    def pause() -> None:
        nonlocal paused
        paused += 1

    for text in ("[[]," * 20_000, '{"a": 1}\n' * 20_000, "- a\n" * 20_000, "[" + '"a",' * 20_000):
        paused = 0
        (*_, last) = data.parse(text, Hints(pause=pause))
        len(last.parts())
        assert paused >= 2


def test_nodes_are_made_when_asked_for() -> None:
    made: list[int] = []

    def make(index: int) -> Node:
        made.append(index)
        return Node(index, index + 1)

    nodes = NodeList(5, make)
    assert len(nodes) == 5
    assert made == []
    assert nodes[-1].start == 4
    assert [node.start for node in nodes[1:3]] == [1, 2]
    assert [node.start for node in nodes] == [0, 1, 2, 3, 4]
    with pytest.raises(IndexError):
        nodes[5]


@given(st.text())
def test_a_label_is_one_printable_line(name: str) -> None:
    assert label(name).isprintable()
    assert len(label(name)) <= 80


def test_line_numbers() -> None:
    text = "a\nb\r\nc\rd"
    assert [line_number(text, offset) for offset in range(len(text))] == [1, 1, 2, 2, 2, 3, 3, 4]
