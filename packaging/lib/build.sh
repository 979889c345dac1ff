# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Configures and builds. The build folder is build/, or build-engine/ for the engine without the window.

# Without this ccache runs the preprocessor over LibTorch's headers before every compilation that it does not know yet.
export CCACHE_DEPEND=1

# A file that includes LibTorch takes the compiler up to 2 GiB; more jobs than fit would make the machine swap.
build_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 2097152) }' /proc/meminfo 2>/dev/null || true)
    [ -n "$memory" ] && [ "$memory" -lt "$cores" ] && cores=$memory
    [ "$cores" -lt 1 ] && cores=1
    printf '%s' "$cores"
}

# configure FOLDER OPTION…
configure() {
    local folder=$1
    shift
    say "configuring a Release build in ${folder#"$PEAKSCOPE_ROOT"/}"
    quietly cmake -S "$PEAKSCOPE_ROOT" -B "$folder" -G Ninja -D CMAKE_BUILD_TYPE=Release \
        -D PEAKSCOPE_UNITY=ON -D "PEAKSCOPE_LIBTORCH=${PEAKSCOPE_LIBTORCH:-}" "$@" || die "the build could not be configured (see above)"
}

# build FOLDER TARGET…
build() {
    local folder=$1
    shift
    say "building $* with $(build_jobs) jobs"
    cmake --build "$folder" --parallel "$(build_jobs)" --target "$@" || die "the build failed (see above)"
}

# An absolute path stays valid when CMake and the programs run elsewhere.
absolute_path() {
    [ -d "$1" ] || die "$1 is not a folder: give the folder that holds LibTorch's include/ and lib/"
    (cd "$1" && pwd -P)
}
