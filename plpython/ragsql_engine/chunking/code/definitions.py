"""What a node defines: its name, its signature, where its body begins."""

import re
from collections.abc import Callable
from typing import NamedTuple

from tree_sitter import Node as Syntax

from ragsql_engine.chunking.code.grammars import CONTAINER, FUNCTION, SQL, VALUE
from ragsql_engine.chunking.code.source import Source
from ragsql_engine.chunking.strings import one_line

_LONGEST_SIGNATURE = 200
_LONGEST_NAME = 100
_MOST_WRAPPERS = 6
# Blanks and commas that are left when a signature of several lines becomes one.
_LOOSE = re.compile(r"(?<=[(\[]) |,? (?=[)\]])")
# What leads over to the body.
_OPENING = re.compile(r"(?<![\s{(:=;\\])(?>(?:=>|[\s{(:=;\\])+)$")
_SCOPE = re.compile(r"::(?![^<>]*>)")
_ARGUMENTS = re.compile(r"<.*>$")
_NAMELESS = {"indexer_declaration": "this", "operator_declaration": "operator"}

# Where the name and the value of a node stand that is a definition because of its value.
_VALUE_FIELDS = {
    "field_definition": ("property", "value"),
    "pair": ("key", "value"),
    "assignment": ("left", "right"),
    "assignment_expression": ("left", "right"),
    "init_declarator": ("declarator", "value"),
}
_FUNCTION_VALUES = frozenset(
    "arrow_function function_expression generator_function lambda_expression func_literal "
    "anonymous_function".split()
)
_CLASS_VALUES = frozenset({"class"})
# Forward declarations and uses of these are no definitions.
_NEED_BODY = frozenset(
    "struct_specifier union_specifier enum_specifier class_specifier namespace_definition "
    "module internal_module mod_item".split()
)
_ATTRIBUTES = frozenset(
    "attribute_list attribute_item decorator annotation marker_annotation comment line_comment "
    "block_comment marginalia".split()
)
_NAMESPACES = frozenset({"namespace_definition"})
_AROUND_NAME = frozenset({"parenthesized_declarator", "reference_declarator"})
_SQL_BODIES = frozenset({"function_body", "procedure_body", "column_definitions", "create_query"})
_REFERENCES = frozenset({"object_reference", "identifier", "literal"})

Names = list[Syntax | None]


class Definition(NamedTuple):
    """Something with a name. Its header stands above `body`; `role` is as in `Grammar.roles`, but
    a value that is a function or a class is called that.
    """

    names: tuple[str, ...]
    signature: str
    body: Syntax | None
    role: str


class Definer:
    """Finds definitions in one source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._grammar = source.grammar

    def define(self, outer: Syntax, local: bool) -> Definition | None:
        """What `outer` defines, looking through exports, decorators and the like.

        Inside of functions (`local`), only functions, classes and types count, not variables.
        """
        if outer.type == "expression_statement" and not self._source.is_open(outer):
            return None
        target = self._target(outer, _MOST_WRAPPERS)
        if target is None:
            return None
        role = self._grammar.roles[target.type]
        body = _body(target, role)
        if role == VALUE:
            value = _value(target)
            if value is None or not (
                _is_code(value) or (not local and self._source.is_open(outer))
            ):
                return None
            if _is_code(value):
                role = CONTAINER if value.type in _CLASS_VALUES else FUNCTION
        if body is None and (
            target.type in _NEED_BODY or (role == FUNCTION and not self._source.is_open(outer))
        ):
            return None
        names = self._names(target)
        if role == CONTAINER and target.type in _NAMESPACES and body is not None:
            names, body = self._nested(target, names, body)
        return Definition(names, self._signature(outer, target, body), body, role)

    def _target(self, node: Syntax, most: int) -> Syntax | None:
        kind = node.type
        if kind in self._grammar.roles and node.is_named:
            return node
        if kind not in self._grammar.wrappers or most == 0:
            return None
        found = None
        for child in node.named_children:
            target = None if child.type in _ATTRIBUTES else self._target(child, most - 1)
            if target is not None and _counts(target):
                if found is not None:
                    return None
                found = target
        return found

    def _names(self, target: Syntax) -> tuple[str, ...]:
        special = _SPECIAL_NAMES.get(target.type)
        found = special(self._source, target) if special else [_name(target)]
        names = [one_line(self._source.slice(node), _LONGEST_NAME) for node in found if node]
        if target.type == "impl_item" and len(names) == 2:
            names = [f"{names[1]} as {names[0]}"]
        if len(names) == 1 and "(" not in names[0]:
            *around, name = _SCOPE.split(names[0])
            names = [*(_ARGUMENTS.sub("", each) for each in around), name]
        names = [name.strip("'\"` ") for name in names]
        return tuple(name for name in names if name) or (_NAMELESS.get(target.type, "default"),)

    def _nested(
        self, target: Syntax, names: tuple[str, ...], body: Syntax
    ) -> tuple[tuple[str, ...], Syntax]:
        """A namespace opened on the line of the one around it is one with it."""
        for _ in range(_MOST_WRAPPERS):
            inner = body.named_child(0) if body.named_child_count else None
            if inner is None or inner.type not in _NAMESPACES:
                break
            inner_body = _body(inner, CONTAINER)
            if inner_body is None or inner_body.start_point[0] != target.start_point[0]:
                break
            names, body = names + self._names(inner), inner_body
        return names, body

    def _signature(self, outer: Syntax, target: Syntax, body: Syntax | None) -> str:
        source = self._source
        first = source.start(_after_attributes(outer))
        last = first + 4 * _LONGEST_SIGNATURE
        if body is None or body.start_byte <= outer.start_byte:
            text = source.line_from(first, last - first)
        else:
            text = source.text[first : min(last, source.at(_header_end(target, body)))]
        text = _LOOSE.sub("", one_line(_OPENING.sub("", text), last - first))
        return one_line(text, _LONGEST_SIGNATURE)


def _counts(target: Syntax) -> bool:
    return target.type not in _NEED_BODY or target.child_by_field_name("body") is not None


def _value(target: Syntax) -> Syntax | None:
    return target.child_by_field_name(_VALUE_FIELDS.get(target.type, ("name", "value"))[1])


def _is_code(value: Syntax) -> bool:
    return value.type in _FUNCTION_VALUES or value.type in _CLASS_VALUES


def _body(target: Syntax, role: str) -> Syntax | None:
    if role == VALUE or target.type == "type_alias_declaration":
        value = _value(target)
        if value is None or not _is_code(value):
            return value
        return value.child_by_field_name("body") or value
    for name in ("body", "accessors"):
        body = target.child_by_field_name(name)
        if body is not None:
            return body
    if target.type in SQL.roles:
        return next((child for child in target.children if child.type in _SQL_BODIES), None)
    kind = target.child_by_field_name("type")  # of a Go type or a C typedef
    if kind is None or target.type not in ("type_spec", "type_definition"):
        return None
    if kind.type == "struct_type" and kind.named_child_count:
        return kind.named_child(0)
    return kind if kind.type == "interface_type" else kind.child_by_field_name("body")


def _header_end(target: Syntax, body: Syntax) -> int:
    """The byte where what stands before the body ends, without comments."""
    if body.type == "interface_type" and body.child_count > 1:
        return body.children[1].start_byte
    around: Syntax | None = target
    end = target.start_byte
    for _ in range(_MOST_WRAPPERS):
        children = [] if around is None else around.children
        around = None
        for child in children:
            if child.start_byte >= body.start_byte:
                break
            if child.end_byte > body.start_byte:
                around = child
            elif "comment" not in child.type:
                end = child.end_byte
    return end if end > target.start_byte else body.start_byte


def _after_attributes(node: Syntax) -> Syntax:
    """The first node in `node` behind its annotations, comments and decorators."""
    for _ in range(2 * _MOST_WRAPPERS):
        first = next((child for child in node.children if child.type not in _ATTRIBUTES), None)
        if first is None:
            return node
        node = first
    return node


def _name(target: Syntax) -> Syntax | None:
    field = _VALUE_FIELDS.get(target.type, ("name", "value"))[0]
    found = target.child_by_field_name(field) or target.child_by_field_name("declarator")
    for _ in range(2 * _MOST_WRAPPERS):
        inner = None if found is None else found.child_by_field_name("declarator")
        if inner is None and found is not None and found.type in _AROUND_NAME:
            inner = found.named_child(found.named_child_count - 1)
        if inner is None:
            break
        found = inner
    return found


def _of_impl(source: Source, target: Syntax) -> Names:
    """The trait and the type of a Rust implementation, without their arguments."""
    names = [target.child_by_field_name("trait"), target.child_by_field_name("type")]
    return [
        name.child_by_field_name("type") if name and name.type == "generic_type" else name
        for name in names
    ]


def _of_method(source: Source, target: Syntax) -> Names:
    """A Go method belongs to the type of its receiver."""
    receiver, kind = target.child_by_field_name("receiver"), None
    if receiver is not None and receiver.named_child_count:
        kind = receiver.named_child(0).child_by_field_name("type")
    for _ in range(3):
        if kind is None or kind.type not in ("pointer_type", "generic_type", "parenthesized_type"):
            break
        kind = kind.named_child(0)
    return [kind, target.child_by_field_name("name")]


def _of_function(source: Source, target: Syntax) -> Names:
    """`TEST(Pump, Opens) {` is a macro in C++, though it looks like a function: it is named by
    its arguments.
    """
    name, declarator = _name(target), target.child_by_field_name("declarator")
    if declarator is None or name is None or target.child_by_field_name("type") is not None:
        return [name]
    return [declarator if source.slice(name).isupper() else name]


def _of_reference(source: Source, target: Syntax) -> Names:
    found = (child for child in target.named_children if child.type in _REFERENCES)
    return [next(found, None)]


def _field(name: str) -> Callable[[Source, Syntax], Names]:
    return lambda source, target: [target.child_by_field_name(name)]


_SPECIAL_NAMES: dict[str, Callable[[Source, Syntax], Names]] = {
    "impl_item": _of_impl,
    "method_declaration": _of_method,
    "function_definition": _of_function,
    "type_alias_statement": _field("left"),
    "singleton_class": _field("value"),
    "operator_declaration": _field("operator"),
    "conversion_operator_declaration": _field("type"),
    **dict.fromkeys(SQL.roles, _of_reference),
}
