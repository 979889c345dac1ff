# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
# The third-party headers and static libraries that the engine is built with, for machines where nothing can be installed.
# cmake/PeakscopeThirdParty.cmake reads what is written here: NAME/include, and NAME/lib where there is a library.

# name, header, what to copy beside the header's folder, static library, Debian package
THIRD_PARTY=(
    "nlohmann|nlohmann/json.hpp|nlohmann||nlohmann-json3-dev"
    "cli11|CLI/CLI.hpp|CLI||libcli11-dev"
    "fmt|fmt/format.h|fmt||libfmt-dev"
    "zlib|zlib.h|zlib.h zconf.h|libz.a|zlib1g-dev"
    "pcre2|pcre2.h|pcre2.h|libpcre2-8.a|libpcre2-dev"
    "utf8proc|utf8proc.h|utf8proc.h|libutf8proc.a|libutf8proc-dev"
)

# header_path HEADER [FOLDER]: where the compiler finds it.
header_path() {
    local include=()
    [ -z "${2:-}" ] || include=(-isystem "$2")
    printf '#define PCRE2_CODE_UNIT_WIDTH 8\n#include <%s>\n' "$1" |
        g++ -std=c++20 -E -M -x c++ "${include[@]}" - 2>/dev/null |
        awk -v end="/$1" '{ for (i = 1; i <= NF && path == ""; ++i)
            if (substr($i, length($i) - length(end) + 1) == end) path = $i } END { print path; exit path == "" }'
}

# report_missing_headers FOLDER: ends with one line where neither the system nor FOLDER ("": none) has a header.
report_missing_headers() {
    local entry name header package missing=()
    for entry in "${THIRD_PARTY[@]}"; do
        IFS='|' read -r name header _ _ package <<<"$entry"
        header_path "$header" >/dev/null && continue
        [ -n "$1" ] && header_path "$header" "$1/$name/include" >/dev/null && continue
        missing+=("$header ($package)")
    done
    [ "${#missing[@]}" = 0 ] || die "missing here: $(printf '%s, ' "${missing[@]}" | sed 's/, $//'); on a machine that has them" \
        "run packaging/gpu-check --bundle FOLDER, bring FOLDER along and give it with --headers FOLDER"
}

bundle_third_party() {
    local entry name header wanted library package from found one
    mkdir -p "$1" || die "no right to write in $1"
    for entry in "${THIRD_PARTY[@]}"; do
        IFS='|' read -r name header wanted library package <<<"$entry"
        from=$(header_path "$header") || die "$header is not here: install $package"
        from=${from%/"$header"}
        mkdir -p "$1/$name/include"
        for one in $wanted; do
            # A multiarch distribution may keep a header of the same library elsewhere.
            found=$from/$one
            [ -e "$found" ] || found=$(header_path "$one") || die "$one is not here: install $package"
            cp -rL "$found" "$1/$name/include/"
        done
        if [ -n "$library" ]; then
            found=$(g++ -print-file-name="$library")
            [ -f "$found" ] || die "$library is not here: install $package"
            mkdir -p "$1/$name/lib"
            cp -L "$found" "$1/$name/lib/"
        fi
    done
    say "copied into $1: $(du -sh "$1" | cut -f 1) of headers and static libraries"
}
