# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
# The distribution's packages. A name with | is the first of the alternatives that this release has.
# shellcheck disable=SC2034  # read by packaging/run and packaging/test
PACKAGES_BUILD=(cmake ninja-build g++ ccache pkg-config nlohmann-json3-dev libfmt-dev zlib1g-dev
    libpcre2-dev libutf8proc-dev libsentencepiece-dev)
# shellcheck disable=SC2034
PACKAGES_ENGINE=(libcli11-dev)
# Experiments on several ranks; everything else does without.
# shellcheck disable=SC2034
PACKAGES_RANKS=(libopenmpi-dev openmpi-bin)
# shellcheck disable=SC2034
PACKAGES_WINDOW=(qt6-base-dev "qt6-svg-dev|libqt6svg6-dev" libqcustomplot-dev
    fonts-dejavu-core "fonts-wqy-microhei|fonts-droid-fallback")
# What the tests look at figures and packages with.
# shellcheck disable=SC2034
PACKAGES_TESTS=(poppler-utils desktop-file-utils appstream python3-jsonschema)
# What packaging/release looks into programs and libraries with, and what PyPI's Qt needs beside Debian's.
# shellcheck disable=SC2034
PACKAGES_RELEASE=(binutils patchelf libwayland-cursor0 libwayland-egl1 libxcb-cursor0 libxkbcommon-x11-0)
# What Triton compiles its launcher with, beside g++, in tests of programs on the stand-in of a card.
# shellcheck disable=SC2034
PACKAGES_DRY=(python3-dev)
APT_OPTIONS=(-y -q -o DPkg::Lock::Timeout=180 -o Acquire::Retries=2 -o Dpkg::Use-Pty=0 --no-install-recommends)

package_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

package_known() {
    apt-cache show --no-all-versions "$1" 2>/dev/null | grep -q '^Package:'
}

# Prints, a line each, those of the given packages that are not there. Of alternatives the first one that apt knows is taken.
missing_packages() {
    local entry name found alternatives
    for entry in "$@"; do
        IFS='|' read -ra alternatives <<<"$entry"
        found=
        for name in "${alternatives[@]}"; do
            if package_installed "$name"; then
                found=yes
                break
            fi
        done
        [ -n "$found" ] && continue
        for name in "${alternatives[@]}"; do
            if package_known "$name"; then
                found=$name
                break
            fi
        done
        printf '%s\n' "${found:-${alternatives[0]}}"
    done
}

# "Need to get 123 MB of archives" for packages that are not installed yet; empty where apt cannot say.
download_size() {
    { apt-get "${APT_OPTIONS[@]}" --assume-no install "$@" 2>/dev/null </dev/null || true; } |
        sed -n 's/^Need to get \(.*\) of archives.*/\1/p' | sed 's|.*/||'
}

# Runs apt-get; on failure APT_REASON tells in a few words why.
run_apt() {
    local log status=0
    log=$(mktemp)
    as_root apt-get "${APT_OPTIONS[@]}" "$@" >"$log" 2>&1 </dev/null || status=$?
    # An update that reached no server ends with success and old or no lists, so its warnings count too.
    if grep -Eq 'Temporary failure resolving|Could not resolve|Could not connect|Unable to connect|Connection (failed|timed out)' "$log"; then
        APT_REASON="no network, or the package server does not answer"
    elif grep -Eq 'No space left|enough free space' "$log"; then
        APT_REASON="the disk is full"
    elif grep -q 'Could not get lock' "$log"; then
        APT_REASON="another package manager is at work"
    elif [ "$status" != 0 ]; then
        APT_REASON=$(grep '^E:' "$log" | tail -n 1 || true)
    fi
    rm -f "$log"
    return "$status"
}

update_package_lists() {
    say "updating the list of packages"
    run_apt update || true
}

can_install() {
    apt-get "${APT_OPTIONS[@]}" --simulate install "$@" >/dev/null 2>&1 </dev/null
}

# install_packages PURPOSE NAME…: those that are missing, with what they depend on. Ends the script where that cannot be done.
install_packages() {
    local missing size purpose=$1
    APT_REASON=
    shift
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "this is no Debian or Ubuntu, so nothing is installed; $purpose needs: $*"
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" = 0 ] && return 0
    can_be_root || die "no right to install packages: run this as root or with sudo, or have these installed: ${missing[*]}"
    if ! can_install "${missing[@]}"; then
        update_package_lists
        mapfile -t missing < <(missing_packages "$@")
        can_install "${missing[@]}" ||
            die "packages cannot be installed: ${APT_REASON:-this release does not have them}; needed: ${missing[*]}"
    fi
    size=$(download_size "${missing[@]}")
    say "installing ${#missing[@]} Debian packages for $purpose (${size:-unknown size} to download): ${missing[*]}"
    run_apt install "${missing[@]}" && return 0
    # A list of last month names files that are gone; with a fresh one the same command works.
    update_package_lists
    run_apt install "${missing[@]}" || die "packages cannot be installed: ${APT_REASON:-apt-get failed}; needed: ${missing[*]}"
}

# wish_packages PURPOSE NAME…: the same for what only one feature needs: where it cannot be installed, a line says so.
wish_packages() {
    local missing purpose=$1
    shift
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" = 0 ] && return 0
    (install_packages "$purpose" "$@") 2>/dev/null ||
        say "going on without $purpose: ${missing[*]} cannot be installed"
}
