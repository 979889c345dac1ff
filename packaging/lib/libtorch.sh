# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
# LibTorch: what is there is used (cmake/LibTorchLocate.cmake says in which order); else the torch wheel is fetched into .deps,
# and where that is not to be had, Debian's LibTorch 1.13 with a fast BLAS is installed.

# locate_libtorch MINIMUM: prints "source version folder", fails where none is usable.
locate_libtorch() {
    cmake -D "PROJECT_SOURCE_DIR=$PEAKSCOPE_ROOT" -D "PEAKSCOPE_LIBTORCH=${PEAKSCOPE_LIBTORCH:-}" \
        -D "CMAKE_LIBRARY_ARCHITECTURE=$(g++ -print-multiarch)" -D "LIBTORCH_MINIMUM=$1" \
        -P "$PEAKSCOPE_ROOT/cmake/LibTorchLocate.cmake" 2>/dev/null
}

# The python3 that has pip: the one on the path, else the distribution's.
python_with_pip() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -m pip --version >/dev/null 2>&1; then
            printf '%s' "$python"
            return 0
        fi
    done
    return 1
}

fetch_libtorch_wheel() {
    local python extra=()
    if ! python=$(python_with_pip); then
        install_packages "fetching LibTorch" python3-pip ca-certificates
        python=$(python_with_pip) || return 1
    fi
    [ "${PEAKSCOPE_CUDA:-}" = 1 ] && extra+=(--cuda)
    "$python" "$PEAKSCOPE_ROOT/packaging/lib/fetch_libtorch.py" "${extra[@]}" "$PEAKSCOPE_DEPS"
}

# The fallback is remembered, so that a machine without the wheel does not look for it at every start.
install_distribution_libtorch() {
    say "the torch wheel is not to be had here; taking Debian's LibTorch 1.13, which is correct but slower"
    install_packages "LibTorch 1.13" libtorch-dev libopenblas0-pthread
    mkdir -p "$PEAKSCOPE_DEPS"
    printf 'Delete this file to let packaging/run look for the torch wheel again.\n' >"$PEAKSCOPE_DEPS/no-wheel"
}

provide_libtorch() {
    local found
    if [ -n "${PEAKSCOPE_LIBTORCH:-}" ]; then
        found=$(locate_libtorch 1.13) ||
            die "no usable LibTorch in $PEAKSCOPE_LIBTORCH: it should hold include/ and lib/ of LibTorch 2.x with the new C++ ABI"
    elif found=$(locate_libtorch 2.0); then
        # Asked for CUDA, the project's own copy may be one without the libraries that its CUDA half needs.
        if [ "${PEAKSCOPE_CUDA:-}" = 1 ] && [[ $found == project* ]] && ! compgen -G "$PEAKSCOPE_DEPS/nvidia/*/lib/libcublas.so*" >/dev/null; then
            fetch_libtorch_wheel || die "CUDA's libraries for LibTorch could not be fetched (see above)"
            found=$(locate_libtorch 2.0) || die "the fetched LibTorch in .deps is not usable"
        fi
    elif [ -e "$PEAKSCOPE_DEPS/no-wheel" ] && found=$(locate_libtorch 1.13); then
        :
    elif fetch_libtorch_wheel && found=$(locate_libtorch 2.0); then
        :
    else
        install_distribution_libtorch
        found=$(locate_libtorch 1.13) || die "no usable LibTorch: neither the torch wheel nor Debian's libtorch-dev could be had"
    fi
    say "LibTorch: $found"
}
