# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
# What every set-up script shares: the project's folder, messages, rights, and an environment that does not depend on the caller's.
set -euo pipefail

PEAKSCOPE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
PEAKSCOPE_DEPS=$PEAKSCOPE_ROOT/.deps
export LC_ALL=C.UTF-8
export DEBIAN_FRONTEND=noninteractive
# A service or a container may come without these; ccache and pip need a home, the administrator's tools a full path.
case ":$PATH:" in
*:/usr/sbin:*) ;;
*) export PATH=$PATH:/usr/sbin:/sbin ;;
esac
if [ -z "${HOME:-}" ] || [ ! -w "$HOME" ]; then
    mkdir -p "$PEAKSCOPE_DEPS/home" 2>/dev/null || true
    export HOME=$PEAKSCOPE_DEPS/home
fi
if [ -z "${XDG_RUNTIME_DIR:-}" ] && mkdir -p "$PEAKSCOPE_DEPS/runtime" 2>/dev/null; then
    chmod 700 "$PEAKSCOPE_DEPS/runtime"
    export XDG_RUNTIME_DIR=$PEAKSCOPE_DEPS/runtime
fi

say() { printf 'peakscope: %s\n' "$*"; }

# The one line that ends a failed set-up.
die() {
    printf 'peakscope: %s\n' "$*" >&2
    exit 1
}

# Runs a command whose output matters only if it fails; then its last lines are shown.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" != 0 ]; then
        tail -n 15 "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}

# True where as_root would work, asking for a password only at a terminal.
can_be_root() {
    [ "$(id -u)" = 0 ] && return 0
    command -v sudo >/dev/null || return 1
    sudo -n true 2>/dev/null && return 0
    [ -t 0 ] && sudo -v
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo --preserve-env=DEBIAN_FRONTEND,LC_ALL "$@"
    fi
}
