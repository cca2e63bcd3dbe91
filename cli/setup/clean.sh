#!/usr/bin/env bash
# Stops the private cluster of this checkout and removes all that the set-up made here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [[ -x .venv/bin/ragsql && -d .ragsql ]]; then
    RAGSQL_HOME=.ragsql .venv/bin/ragsql down
fi
if [[ -n ${RAGSQL_HOME:-} && ! $RAGSQL_HOME -ef .ragsql && -d $RAGSQL_HOME/data ]]; then
    echo "clean: the cluster in $RAGSQL_HOME stays, and may run: remove it yourself" >&2
fi
for folder in .venv .ragsql; do
    [[ ! -L $folder ]] || rm -rf "$(readlink "$folder")"
    rm -rf "$folder"
done
rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
find . -name .git -prune -o -name __pycache__ -type d -exec rm -rf {} +
