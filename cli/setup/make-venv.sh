#!/usr/bin/env bash
# Makes .venv with the interpreter that PL/Python links, installs ragsql and its development
# tools there, and makes .ragsql, the folder of the private cluster. Does only what is missing.
#
# The server's user must be able to read the environment, the engine and the model files. For
# root that user is `postgres`: where it cannot enter the checkout, .venv and .ragsql become
# links to a folder below /var/lib/ragsql, and ragsql is installed there as a copy.
set -euo pipefail
umask 022
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
checkout=$(pwd -P)

say() { printf 'setup: %s\n' "$*" >&2; }

die() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

# The interpreter whose library the newest PL/Python links, so that wheels fit the server too.
find_interpreter() {
    local major library version
    for major in ${RAGSQL_PG_MAJOR:-18 17 16 15}; do
        library=/usr/lib/postgresql/$major/lib/plpython3.so
        [[ -f $library ]] || continue
        version=$(ldd "$library" | sed -n 's/^[[:space:]]*libpython\(3\.[0-9]*\).*/\1/p')
        [[ -x /usr/bin/python$version ]] || die "PL/Python of PostgreSQL $major needs Python" \
            "$version, which is not installed: install python$version and python$version-venv"
        echo "/usr/bin/python$version"
        return
    done
    die "PL/Python is not installed: run \`make setup\`"
}

server_can_enter() {
    [[ $EUID -ne 0 ]] && return
    # As long as there is no such user, nothing can be said; ragsql up checks again.
    id postgres >/dev/null 2>&1 || return 0
    setpriv --reuid postgres --regid postgres --clear-groups \
        test -x "$checkout" -a -r "$checkout/plpython/ragsql_engine/__init__.py"
}

link_to() { # NAME TARGET: makes NAME in the checkout a link to the folder TARGET
    mkdir -p "$2"
    [[ $(readlink "$1" 2>/dev/null) == "$2" ]] && return
    if [[ $1 == .ragsql && -e .ragsql/data && ! -L .ragsql ]]; then
        die "the user postgres cannot enter $checkout, and .ragsql holds a cluster" \
            "run \`.venv/bin/ragsql down\`, move .ragsql/* to $2, remove .ragsql, then try again"
    fi
    say "the user postgres cannot enter $checkout: $1 becomes a link to $2"
    rm -rf "$1"
    ln -s "$2" "$1"
}

place_folders() {
    local shared
    if server_can_enter; then
        editable=yes
        [[ ! -L .venv ]] || rm .venv
        [[ ! -L .ragsql || -d .ragsql ]] || rm .ragsql
        mkdir -p .ragsql
        return
    fi
    editable=no
    shared=/var/lib/ragsql/$(basename "$checkout")-$(sha256sum <<<"$checkout" | cut -c 1-8)
    link_to .venv "$shared/venv"
    link_to .ragsql "$shared/home"
}

make_venv() { # INTERPRETER
    local found
    found=$(readlink -f .venv/bin/python 2>/dev/null || true)
    [[ -x .venv/bin/pip && $found == "$(readlink -f "$1")" ]] && return
    say "making .venv with $1"
    "$1" -m venv --clear "$(readlink -m .venv)"
}

install_ragsql() {
    local wanted sources="" target=.
    wanted="$editable $(sha256sum <pyproject.toml)"
    if [[ $editable == no ]]; then
        sources=$(find cli/ragsql plpython migrations -type f ! -name '*.pyc' -print0 |
            sort -z | xargs -0 sha256sum | sha256sum)
    fi
    local venv requirements copy
    venv=$(readlink -f .venv) # scripts name their interpreter: the server's user must reach it
    requirements=$venv/ragsql-requirements
    copy=$venv/ragsql-copy
    if [[ $(cat "$requirements" 2>/dev/null) != "$wanted" ]]; then
        say "installing Python packages into .venv"
        [[ $editable == no ]] || target="-e ."
        # shellcheck disable=SC2086  # two words on purpose
        "$venv/bin/python" -m pip install --quiet ${target}[dev]
        echo "$wanted" >"$requirements"
    elif [[ $(cat "$copy" 2>/dev/null) != "$sources" ]]; then
        say "the sources changed: installing ragsql again"
        "$venv/bin/python" -m pip install --quiet --no-deps --force-reinstall .
    fi
    echo "$sources" >"$copy"
}

interpreter=$(find_interpreter)
place_folders
make_venv "$interpreter"
install_ragsql
