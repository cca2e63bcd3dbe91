"""Programming languages: how they are called, how their files are named, which have a grammar."""

import re
from dataclasses import dataclass

from ragsql_engine.chunking.code import grammars
from ragsql_engine.chunking.code.grammars import Grammar
from ragsql_engine.chunking.nodes import Hints


@dataclass(frozen=True, slots=True)
class Language:
    """A language with a grammar: `function` of `module` returns it."""

    name: str
    module: str
    grammar: Grammar
    function: str = "language"


LANGUAGES = {
    language.name: language
    for language in (
        Language("python", "tree_sitter_python", grammars.PYTHON),
        Language("javascript", "tree_sitter_javascript", grammars.JAVASCRIPT),
        Language(
            "typescript", "tree_sitter_typescript", grammars.TYPESCRIPT, "language_typescript"
        ),
        Language("tsx", "tree_sitter_typescript", grammars.TYPESCRIPT, "language_tsx"),
        Language("java", "tree_sitter_java", grammars.JAVA),
        Language("go", "tree_sitter_go", grammars.GO),
        Language("rust", "tree_sitter_rust", grammars.RUST),
        Language("c", "tree_sitter_c", grammars.C),
        Language("c++", "tree_sitter_cpp", grammars.CPP),
        Language("c#", "tree_sitter_c_sharp", grammars.CSHARP),
        Language("ruby", "tree_sitter_ruby", grammars.RUBY),
        Language("php", "tree_sitter_php", grammars.PHP, "language_php"),
        Language("bash", "tree_sitter_bash", grammars.BASH),
        Language("sql", "tree_sitter_sql", grammars.SQL),
    )
}

# name: other names | endings of files | whole names of files
_TABLE = """
python: py py3 python2 python3 pypy | py pyi pyw pyx | sconstruct sconscript
javascript: js jsx node nodejs ecmascript | js jsx mjs cjs es6 | jakefile
typescript: ts deno | ts mts cts |
tsx: | tsx |
java: | java |
go: golang | go |
rust: rs | rs |
c: | c h |
c++: cpp cxx cplusplus | cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl cu cuh ino |
c#: csharp cs dotnet | cs csx |
ruby: rb jruby | rb rake gemspec ru | rakefile gemfile guardfile vagrantfile podfile fastfile
php: | php php3 php4 php5 php7 phtml phps |
bash: sh shell zsh ksh dash ash | sh bash zsh ksh bats bashrc bash_profile zshrc profile |
sql: postgresql postgres plpgsql psql mysql sqlite tsql plsql | sql ddl dml pgsql psql pls pks pkb |
lua: luajit | lua rockspec |
kotlin: kt | kt kts |
swift: | swift |
scala: | scala sc sbt |
perl: pl | pl pm perl |
r: rscript | r |
haskell: hs runhaskell | hs lhs |
elixir: ex exs | ex exs |
zig: | zig |
dart: | dart |
julia: jl | jl |
clojure: clj cljs | clj cljs cljc edn |
erlang: erl escript | erl hrl |
ocaml: ml | ml mli |
f#: fsharp fs | fs fsi fsx |
visual basic: vb vba vbnet vbscript | vb bas vbs |
pascal: delphi | pas dpr lpr |
lisp: elisp emacs-lisp common-lisp | el lisp lsp cl |
scheme: racket | scm ss rkt |
groovy: gradle | groovy gradle | jenkinsfile
objective-c: objc objectivec | m mm |
assembly: asm assembler nasm | asm s nasm |
fortran: | f f90 f95 f03 for |
cobol: | cob cbl cpy |
nim: | nim |
crystal: | cr |
d: dlang | d |
tcl: tclsh | tcl |
powershell: ps1 pwsh | ps1 psm1 psd1 |
batch: bat cmd dosbatch | bat cmd |
vim script: vim viml vimscript | vim vimrc |
protocol buffers: protobuf proto | proto |
thrift: | thrift |
graphql: gql | graphql gql |
terraform: hcl tf | tf tfvars hcl |
nix: | nix |
solidity: sol | sol |
verilog: systemverilog | v sv vh |
vhdl: | vhd vhdl |
vue: | vue |
svelte: | svelte |
css: scss sass less | css scss sass less |
make: makefile gnumake | mk mak | makefile gnumakefile
cmake: | cmake | cmakelists
dockerfile: docker | dockerfile containerfile | dockerfile containerfile
awk: gawk mawk | awk |
matlab: octave | matlab |
gdscript: | gd |
shaders: glsl hlsl wgsl | glsl hlsl wgsl vert frag |
fish: | fish |
coffeescript: coffee | coffee |
elm: | elm |
prolog: | pro |
ada: | adb ads |
"""
# Codes of natural languages too (Czech, Polish, ...): asked only where the source does not tell.
_AMBIGUOUS = frozenset({"cs", "ts", "pl", "ml", "sh"})
_MIME = re.compile(r"(?:text|application)/(?:x-)?([\w.+#]+?)(?:-?src|-source)?(?:;|$)")
_SHEBANG = re.compile(
    r"#![ \t]*(?:[^\s]*/)?(?:env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+){0,9}(?:\S*/)?)?([a-z+#]+)"
)
_CPP = re.compile(
    r"^[ \t]*(?:class|namespace|template[ \t]*<|public:|private:|using[ \t])|\bstd::", re.MULTILINE
)
_LOOK_AT = 100_000


def find_language(hints: Hints, text: str) -> Language | str | None:
    """The language of a source text: one with a grammar, the name of one without, or None.

    A name in `hints.language` decides, then the name of the source, then the line `#!`, then the
    MIME type. A natural language there (`en`) is none of programming.
    """
    asked = (hints.language or "").strip().lower()
    name = None if asked in _AMBIGUOUS else _BY_NAME.get(asked)
    name = name or _by_source(hints.source or "") or _BY_NAME.get(asked)
    name = name or _by_shebang(text) or _by_mime(hints.mime or "")
    if name == "c" and _is_cpp(hints, text):
        name = "c++"
    if name is None:
        return None
    return LANGUAGES.get(name, name)


def _by_source(source: str) -> str | None:
    """By the file's name, which may stand at the end of a path or an address."""
    name = re.split(r"[?#]", source.strip())[0].replace("\\", "/").rstrip("/").rpartition("/")[2]
    stem, dot, ending = name.lower().rpartition(".")
    found = _BY_ENDING.get(ending) if dot else _BY_FILE.get(ending)
    return found or _BY_FILE.get(stem)


def _by_shebang(text: str) -> str | None:
    found = _SHEBANG.match(text, 0, 200)
    return _BY_NAME.get(found[1]) if found else None


def _by_mime(mime: str) -> str | None:
    found = _MIME.match(mime.strip().lower())
    return _BY_NAME.get(found[1]) if found else None


def _is_cpp(hints: Hints, text: str) -> bool:
    """A header may be either; C++ shows in its first lines."""
    is_header = (hints.source or "").lower().endswith(".h")
    return is_header and _CPP.search(text, 0, _LOOK_AT) is not None


def _read_table() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    by_name: dict[str, str] = {}
    by_ending: dict[str, str] = {}
    by_file: dict[str, str] = {}
    for line in _TABLE.strip().splitlines():
        name, _, rest = line.partition(":")
        names, endings, files = rest.split("|")
        by_name.update(dict.fromkeys([name, *names.split()], name))
        by_ending.update(dict.fromkeys(endings.split(), name))
        by_file.update(dict.fromkeys(files.split(), name))
    return by_name, by_ending, by_file


_BY_NAME, _BY_ENDING, _BY_FILE = _read_table()
