#!/usr/bin/env bash
# Loads a manual into the private cluster and asks it three questions through SQL.
#
#   DEMO=all        the whole Git manual, not only the pages of everyday commands
#   DOCS=dir        the .md and .txt files of another folder
#   QUESTION=text   one question of your own
#   RAGSQL_HOME=dir folder of the private cluster, else .ragsql in this checkout
set -euo pipefail

asked_from=$(pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
named_home=${RAGSQL_HOME:-}
RAGSQL_HOME=.ragsql
[[ -z $named_home ]] || RAGSQL_HOME=$(cd "$asked_from" && realpath -qm -- "${named_home/#\~/"$HOME"}")
export RAGSQL_HOME
# The demo is about the private cluster: servers named elsewhere take no part in it.
unset RAGSQL_DSN PGHOST PGHOSTADDR PGSERVICE PGDATABASE PGPORT PGUSER PGOPTIONS
readonly ragsql=.venv/bin/ragsql work=$RAGSQL_HOME/work
readonly manual=$work/git-doc

# About 600 passages: the commands of a working day and the guides.
readonly pages=(
    git-add git-bisect git-branch git-checkout git-cherry-pick git-clean git-clone git-commit
    git-diff git-fetch git-log git-merge git-mv git-pull git-push git-rebase git-reflog git-remote
    git-reset git-restore git-revert git-show git-stash git-switch git-tag gitfaq gitignore
    gittutorial
)

say() { printf 'demo: %s\n' "$*" >&2; }

die() {
    printf 'demo: %s\n' "$@" >&2
    exit 1
}

# Unpacks the text sources of the manual from Debian's package; apt checks what it downloads.
fetch_manual() {
    local fresh=$work/fetching log=$work/fetch.log
    [[ -d $manual ]] && return
    say "fetching the Git manual (package git-doc)"
    rm -rf "$fresh"
    mkdir -p "$fresh"
    if ! (cd "$fresh" && apt-get -q download git-doc) >"$log" 2>&1; then
        # Lists may be absent or older than the mirror; only root can read new ones.
        { [[ $EUID -eq 0 ]] && apt-get -q update >>"$log" 2>&1 &&
            (cd "$fresh" && apt-get -q download git-doc) >>"$log" 2>&1; } ||
            die "could not download git-doc: $(tail -n 1 "$log")" \
                "run \`apt-get update\` as an administrator, or use DOCS=dir with your own texts"
    fi
    dpkg-deb -x "$fresh"/git-doc_*.deb "$fresh/package"
    mkdir "$fresh/manual"
    copy_sources "$fresh/package" "$fresh/manual"
    mv "$fresh/manual" "$manual"
    rm -rf "$fresh"
}

# Newer packages name the same AsciiDoc sources .adoc.
copy_sources() { # PACKAGE_FOLDER TARGET
    local file name
    while IFS= read -r -d '' file; do
        name=$(basename "$file")
        cp "$file" "$2/${name%.*}.txt"
    done < <(find "$1" -path '*/doc/git*' -type f \( -name '*.txt' -o -name '*.adoc' \) -print0)
    [[ -f $2/git-commit.txt ]] || die "the package git-doc holds no text sources any more" \
        "use DOCS=dir with your own texts"
}

choose_pages() {
    local page
    rm -rf "$work/everyday"
    mkdir "$work/everyday"
    for page in "${pages[@]}"; do
        [[ ! -f $manual/$page.txt ]] || cp "$manual/$page.txt" "$work/everyday/"
    done
}

choose_documents() {
    # whatever the umask: the server's user must be able to enter the folder
    (umask 022 && mkdir -p "$work")
    questions=("how do I undo the last commit" "what is the difference between merge and rebase"
        "how can I find the commit that broke something")
    if [[ -n ${DOCS:-} ]]; then
        documents=$(cd "$asked_from" && realpath -qe "$DOCS") || die "there is no folder $DOCS"
        collection=$(basename "$documents")
        questions=()
    elif [[ ${DEMO:-} == all ]]; then
        fetch_manual
        documents=$manual collection=git-manual
    else
        fetch_manual
        choose_pages
        documents=$work/everyday collection=git-everyday
    fi
    [[ -z ${QUESTION:-} ]] || questions=("$QUESTION")
}

ask() { # QUESTION
    "$ragsql" psql -X -q -v ON_ERROR_STOP=1 -v question="$1" -v collection="$collection" \
        -v hits=3 -f cli/setup/demo.sql
}

choose_documents
"$ragsql" up
say "loading $documents into the collection $collection"
"$ragsql" load "$documents" --collection "$collection" ${DOCS:+--strategy auto}
for question in ${questions[@]+"${questions[@]}"}; do
    ask "$question"
    echo
done
where=${named_home:+RAGSQL_HOME=$RAGSQL_HOME }
say "ask more: ${where}make demo ${DOCS:+DOCS=$DOCS }QUESTION='...'   or: $where$ragsql psql" \
    "-c \"select rank, source, content from rag.search('...', top_k => 3)\""
