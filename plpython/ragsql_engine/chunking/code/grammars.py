"""Which nodes of each grammar are definitions, imports, comments: the names the grammars give.

Everything else about source code is the same for all languages (`splitting`, `definitions`).
"""

from dataclasses import dataclass, field

FUNCTION, CONTAINER, TYPE, VALUE = "function", "container", "type", "value"
Roles = dict[str, str]


def _roles(functions: str = "", containers: str = "", types: str = "", values: str = "") -> Roles:
    named = {FUNCTION: functions, CONTAINER: containers, TYPE: types, VALUE: values}
    return {name: role for role, names in named.items() for name in names.split()}


@dataclass(frozen=True, slots=True)
class Grammar:
    """The node types of one language.

    `roles` names those that define something: a function (header, then statements), a container
    (header, then members), a type, or a value that is a definition where it is a function, a class
    or takes several lines outside of functions. `wrappers` stand around a definition: an export,
    a template, decorators. `prefixes` belong to what follows directly below.
    """

    roles: Roles
    wrappers: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    prefixes: frozenset[str] = field(default=frozenset({"comment"}))
    docstrings: bool = False


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


PYTHON = Grammar(
    _roles("function_definition", "class_definition", "type_alias_statement", "assignment"),
    wrappers=_set("decorated_definition expression_statement"),
    imports=_set("import_statement import_from_statement future_import_statement"),
    docstrings=True,
)

_JAVASCRIPT = _roles(
    "function_declaration generator_function_declaration method_definition",
    "class_declaration class",
    values="variable_declarator pair field_definition assignment_expression",
)

JAVASCRIPT = Grammar(
    _JAVASCRIPT,
    wrappers=_set("export_statement lexical_declaration variable_declaration expression_statement"),
    imports=_set("import_statement"),
    prefixes=_set("comment decorator"),
)

TYPESCRIPT = Grammar(
    _JAVASCRIPT
    | _roles(
        "function_signature method_signature abstract_method_signature",
        "abstract_class_declaration interface_declaration enum_declaration internal_module module",
        "type_alias_declaration",
        "public_field_definition",
    ),
    wrappers=JAVASCRIPT.wrappers | {"ambient_declaration"},
    imports=_set("import_statement import_alias"),
    prefixes=JAVASCRIPT.prefixes,
)

JAVA = Grammar(
    _roles(
        "method_declaration constructor_declaration compact_constructor_declaration",
        "class_declaration interface_declaration enum_declaration record_declaration "
        "annotation_type_declaration",
        values="variable_declarator",
    ),
    wrappers=_set("field_declaration"),
    imports=_set("import_declaration"),
    prefixes=_set("line_comment block_comment"),
)

GO = Grammar(
    _roles(
        "function_declaration method_declaration", "type_spec", "type_alias", "var_spec const_spec"
    ),
    wrappers=_set("type_declaration var_declaration const_declaration"),
    imports=_set("import_declaration"),
)

RUST = Grammar(
    _roles(
        "function_item function_signature_item macro_definition",
        "struct_item enum_item union_item trait_item impl_item mod_item",
        "type_item",
        "const_item static_item",
    ),
    imports=_set("use_declaration extern_crate_declaration"),
    prefixes=_set("line_comment block_comment attribute_item"),
)

C = Grammar(
    _roles(
        "function_definition preproc_function_def",
        "struct_specifier union_specifier enum_specifier",
        "type_definition",
        "init_declarator",
    ),
    wrappers=_set("declaration field_declaration"),
    imports=_set("preproc_include"),
)

CPP = Grammar(
    C.roles
    | _roles("", "class_specifier namespace_definition", "alias_declaration concept_definition"),
    wrappers=C.wrappers | {"template_declaration"},
    imports=_set("preproc_include using_declaration"),
)

CSHARP = Grammar(
    _roles(
        "method_declaration constructor_declaration destructor_declaration operator_declaration "
        "conversion_operator_declaration indexer_declaration property_declaration "
        "event_declaration local_function_statement",
        "class_declaration struct_declaration interface_declaration enum_declaration "
        "record_declaration record_struct_declaration namespace_declaration",
        "delegate_declaration",
        "variable_declarator",
    ),
    wrappers=_set("field_declaration variable_declaration"),
    imports=_set("using_directive extern_alias_directive"),
    prefixes=_set("comment attribute_list"),
)

RUBY = Grammar(
    _roles("method singleton_method", "class module singleton_class", values="assignment"),
)

PHP = Grammar(
    _roles(
        "function_definition method_declaration",
        "class_declaration interface_declaration trait_declaration enum_declaration "
        "namespace_definition",
        values="assignment_expression const_element property_element",
    ),
    wrappers=_set("expression_statement const_declaration property_declaration"),
    imports=_set("namespace_use_declaration"),
    prefixes=_set("comment attribute_list"),
)

BASH = Grammar(_roles("function_definition", values="variable_assignment"))

SQL = Grammar(
    _roles(
        types="create_function create_procedure create_trigger create_table create_view "
        "create_materialized_view create_type create_index create_schema create_sequence "
        "create_policy create_database create_extension create_role"
    ),
    wrappers=_set("statement"),
    prefixes=_set("comment marginalia"),
)
