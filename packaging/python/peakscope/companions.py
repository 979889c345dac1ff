# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PyTorch that came without CUDA's libraries, as packaging/python/venv installs it, for a program that is recorded on the processor: the
stand-in's near-empty ones take their place, and there is no card."""
import ctypes
import os
import pathlib
import sys

from peakscope import dry


def are_missing(folder, torch):
    """folder: of the stand-in's, whose names are those of all libraries that a PyTorch of that CUDA may need."""
    for library in pathlib.Path(folder).glob("lib*.so.*"):
        if library.name.startswith(("libcuda.", "libnvidia-ml.")) or (torch / "lib" / library.name).exists():
            continue  # a driver's, which PyTorch does without
        try:
            ctypes.CDLL(library.name)
        except OSError:
            return True
    return False


def provide():
    """Starts this Python again with them where they are missing."""
    folder = os.environ.get("PEAKSCOPE_DRY_FOLDER")
    torch = dry.torch_folder()
    if not folder or torch is None or dry.is_loaded():
        return
    version, cuda = dry.installed_torch()
    library = pathlib.Path(folder, (cuda or "").split(".")[0], "libpeakscope_dry.so")
    if not cuda or not library.is_file() or not are_missing(library.parent, torch):
        return
    release = dry.release_of(version or "", cuda)
    if release is None:
        return
    numbers = ";".join(f"{key}={release[key]}" for key in ("runtime", "cudnn", "nccl"))
    os.execve(sys.executable, sys.orig_argv,
              {**os.environ, "LD_PRELOAD": str(library), "PEAKSCOPE_DRY": f"name=none;bytes=1;major=9;sms=1;devices=0;{numbers}"})
