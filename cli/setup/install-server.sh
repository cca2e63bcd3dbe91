#!/usr/bin/env bash
# Installs what ragsql needs of the system: a PostgreSQL server with PL/Python, pg_trgm and
# pgvector, and Python's venv module. Does nothing where all of that is present. Never makes,
# starts, stops or upgrades a database cluster.
#
# RAGSQL_PG_MAJOR chooses the major version of PostgreSQL (15 to 18); else the newest one for
# which all packages exist, else the newest one for which only pgvector has to be built.
set -euo pipefail

readonly VECTOR_MINIMUM=0.8.0
readonly SELF=${BASH_SOURCE[0]}
export LC_ALL=C DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1

if [[ -n ${RAGSQL_PG_MAJOR:-} ]]; then
    majors=("$RAGSQL_PG_MAJOR")
else
    majors=(18 17 16 15)
fi

say() { printf 'setup: %s\n' "$*" >&2; }

die() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

at_least() { # VERSION MINIMUM
    [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]
}

vector_present() { # MAJOR
    local control=/usr/share/postgresql/$1/extension/vector.control version
    [[ -f $control ]] || return 1
    version=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" "$control")
    at_least "$version" "$VECTOR_MINIMUM"
}

server_present() { # MAJOR
    [[ -x /usr/lib/postgresql/$1/bin/initdb && -f /usr/lib/postgresql/$1/lib/plpython3.so &&
        -f /usr/share/postgresql/$1/extension/pg_trgm.control ]]
}

venv_present() { /usr/bin/python3 -c 'import ensurepip, venv' 2>/dev/null; }

present_major() {
    local major
    for major in "${majors[@]}"; do
        if server_present "$major" && vector_present "$major"; then
            echo "$major"
            return
        fi
    done
    return 1
}

candidate() { # PACKAGE: prints the version that apt would install
    local version
    version=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')
    [[ -n $version && $version != '(none)' ]] && echo "$version"
}

vector_package() { # MAJOR: whether a package of pgvector that is new enough exists
    local version
    version=$(candidate "postgresql-$1-pgvector") && at_least "${version%%-*}" "$VECTOR_MINIMUM"
}

server_packages() { # MAJOR
    candidate "postgresql-$1" >/dev/null && candidate "postgresql-plpython3-$1" >/dev/null
}

# Sets major and build (yes or no); fails when no major can be had.
choose() {
    for major in "${majors[@]}"; do
        build=no
        if server_packages "$major" && vector_package "$major"; then return; fi
    done
    for major in "${majors[@]}"; do
        build=yes
        if server_packages "$major"; then return; fi
    done
    return 1
}

# Sets packages: those to install for $major.
list_packages() {
    packages=(python3-venv)
    server_present "$major" || packages+=("postgresql-$major" "postgresql-plpython3-$major")
    vector_present "$major" && return
    if [[ $build == no ]]; then
        packages+=("postgresql-$major-pgvector")
    else
        packages+=("postgresql-server-dev-$major" gcc make libc6-dev)
    fi
}

without_root() {
    if choose; then list_packages; else packages=(postgresql postgresql-plpython3-N python3-venv); fi
    say "this user may not install packages, and these are missing:" "${packages[*]}"
    if [[ ${build:-no} == yes ]] && ! vector_present "$major"; then
        say "and pgvector $VECTOR_MINIMUM or newer for PostgreSQL ${major:-}, built from source"
    fi
    die "ask an administrator to install them, or to run $(realpath "$SELF"); then try again"
}

become_root() {
    [[ $EUID -eq 0 ]] && return
    if command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
        say "asking sudo for the right to install packages"
        exec sudo env "RAGSQL_PG_MAJOR=${RAGSQL_PG_MAJOR:-}" bash "$SELF"
    fi
    without_root
}

run_logged() { # COMMAND...: silent unless it fails
    "$@" >>"$work/log" 2>&1 && return
    tail -n 15 "$work/log" >&2
    return 1
}

updated=no
update_lists() {
    [[ $updated == no ]] || return 1
    updated=yes
    say "reading the package lists"
    run_logged apt-get -q -oDPkg::Lock::Timeout=300 update
}

apt_install() { # PACKAGE...
    local apt=(apt-get -q -y -oDPkg::Lock::Timeout=300 --no-install-recommends install "$@")
    "${apt[@]}" >>"$work/log" 2>&1 && return
    # A mirror drops superseded versions: old lists name packages that are gone.
    update_lists && run_logged "${apt[@]}" && return
    die "apt-get could not install: $*"
}

online_clusters() { # MAJOR: clusters of that version that run, none of them ours
    pg_lsclusters -h 2>/dev/null |
        awk -v major="$1" '$1 == major && $4 ~ /^online/ { print $1 "/" $2 }'
}

would_upgrade_server() { # PACKAGE...: whether installing replaces the server programs of $major
    apt-get -s --no-install-recommends install "$@" 2>/dev/null |
        grep -q "^Inst postgresql-$major \["
}

# PL/Python needs the very version of the server. Where a newer one is to be had and a cluster
# runs on the old one, take the old PL/Python instead of restarting somebody's server.
spare_running_clusters() {
    local running version index
    running=$(online_clusters "$major")
    [[ -n $running ]] && would_upgrade_server "${packages[@]}" || return 0
    version=$(dpkg-query -W -f '${Version}' "postgresql-$major")
    for index in "${!packages[@]}"; do
        case ${packages[index]} in
            postgresql-"$major" | postgresql-plpython3-"$major") packages[index]+="=$version" ;;
        esac
    done
    if apt-get -s --no-install-recommends install "${packages[@]}" >/dev/null 2>&1 &&
        ! would_upgrade_server "${packages[@]}"; then
        return 0
    fi
    die "PL/Python for PostgreSQL $major needs a newer server than $version, which runs: $running" \
        "upgrade it when that suits you (apt-get install postgresql-$major), then try again"
}

# Installing a server package makes and starts a cluster `main`, unless it is told not to.
forbid_main_cluster() {
    local folder=/etc/postgresql-common/createcluster.d
    dpkg-query -W -f '${Status}' postgresql-common 2>/dev/null | grep -q ' installed$' ||
        apt_install postgresql-common
    grep -q "^include_dir.*createcluster.d" /etc/postgresql-common/createcluster.conf ||
        die "/etc/postgresql-common/createcluster.conf does not include createcluster.d" \
            "add to it: create_main_cluster = false  -- then try again"
    [[ -d $folder ]] || made_folder=$folder
    mkdir -p "$folder"
    drop_in=$folder/ragsql-setup.conf
    echo "create_main_cluster = false" >"$drop_in"
}

cleanup() {
    [[ -z ${drop_in:-} ]] || rm -f "$drop_in"
    [[ -z ${made_folder:-} ]] || rmdir --ignore-fail-on-non-empty "$made_folder"
    [[ -z ${work:-} ]] || rm -rf "$work"
}

# Address of the mirror that this machine has its own release from, and who signs it.
find_mirror() {
    # shellcheck source=/dev/null
    . /etc/os-release
    case ${ID:-} in
        debian) suites=(stable testing unstable) component=main ;;
        ubuntu) suites=(devel) component=universe ;;
        *) die "no package of pgvector for ${ID:-this system}: install pgvector, then try again" ;;
    esac
    keyring=/usr/share/keyrings/$ID-archive-keyring.gpg
    # shellcheck disable=SC2016  # apt-get fills these in
    mirror=$(
        apt-get indextargets --format '$(ORIGIN)|$(CODENAME)|$(LABEL) $(SUITE)|$(SITE)' \
            'Created-By: Packages' |
            awk -F'|' -v origin="$ID" -v codename="${VERSION_CODENAME:-}" '
                tolower($1) == origin && index($2, codename) == 1 &&
                tolower($3) !~ /security/ { print $4; exit }'
    )
    [[ -n $mirror && -f $keyring ]] || die "apt knows no mirror of $ID with pgvector's source" \
        "install pgvector $VECTOR_MINIMUM or newer for PostgreSQL $major, then try again"
}

# Fetches pgvector's source from a later suite of the mirror, with lists of its own, so that the
# machine's apt configuration stays as it is. apt checks the signature.
fetch_vector_source() {
    local suite options
    find_mirror
    for suite in "${suites[@]}"; do
        rm -rf "$work/source" "$work/lists"
        mkdir -p "$work/source" "$work/lists/partial"
        echo "deb-src [signed-by=$keyring] $mirror $suite $component" >"$work/source.list"
        options=(-q "-oDir::Etc::SourceList=$work/source.list" -oDir::Etc::SourceParts=/dev/null
            "-oDir::State::Lists=$work/lists" -oAPT::Sandbox::User=root
            "-oDir::Cache::srcpkgcache=$work/src.bin" "-oDir::Cache::pkgcache=$work/pkg.bin")
        apt-get "${options[@]}" update >>"$work/log" 2>&1 || continue
        (cd "$work/source" && apt-get "${options[@]}" source --download-only pgvector) \
            >>"$work/log" 2>&1 || continue
        tar -xf "$work"/source/pgvector_*.orig.tar.* -C "$work/source" --strip-components=1
        at_least "$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" "$work/source/vector.control")" \
            "$VECTOR_MINIMUM" && return
    done
    tail -n 15 "$work/log" >&2
    die "the source of pgvector $VECTOR_MINIMUM or newer could not be fetched"
}

# OPTFLAGS is empty because the default, -march=native, breaks a disk moved to another machine.
build_vector() {
    local config=/usr/lib/postgresql/$major/bin/pg_config target
    say "building pgvector for PostgreSQL $major"
    fetch_vector_source
    for target in all install; do
        run_logged make -C "$work/source" -j"$(nproc)" OPTFLAGS="" with_llvm=no \
            PG_CONFIG="$config" "$target" || die "pgvector could not be built"
    done
}

main() {
    [[ -z ${RAGSQL_PG_MAJOR:-} || $RAGSQL_PG_MAJOR =~ ^1[5-8]$ ]] ||
        die "RAGSQL_PG_MAJOR is '$RAGSQL_PG_MAJOR'; ragsql supports PostgreSQL 15 to 18"
    if present_major >/dev/null && venv_present; then return; fi
    command -v apt-get >/dev/null || die "this set-up knows Debian and Ubuntu only" \
        "install PostgreSQL with PL/Python and pgvector $VECTOR_MINIMUM, and Python's venv module"
    become_root
    trap cleanup EXIT
    work=$(mktemp -d)
    if present_major >/dev/null; then
        apt_install python3-venv
        return
    fi
    candidate postgresql-common >/dev/null || update_lists || true
    choose || { update_lists && choose; } ||
        die "apt offers no PostgreSQL (${majors[*]}) with PL/Python" \
            "on Ubuntu, enable the component universe; then try again"
    forbid_main_cluster
    list_packages
    spare_running_clusters
    say "installing ${packages[*]}"
    apt_install "${packages[@]}"
    [[ $build == no ]] || vector_present "$major" || build_vector
    present_major >/dev/null || die "PostgreSQL $major is still not complete"
    say "PostgreSQL $major with PL/Python and pgvector is ready"
}

main
