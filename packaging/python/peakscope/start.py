# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first of the recorder in every Python that a recorded program starts, most of which never import PyTorch: as little as can be."""
import os
import sys

from peakscope.imports import once_imported


def lacks_companions():
    """Whether PyTorch was built for CUDA and came without the packages of CUDA's libraries, and nothing stands for them."""
    if "libpeakscope_dry" in os.environ.get("LD_PRELOAD", ""):
        return False
    for folder in sys.path:
        if os.path.isfile(os.path.join(folder, "torch", "__init__.py")):
            cuda = os.path.isfile(os.path.join(folder, "torch", "lib", "libtorch_cuda.so"))
            return cuda and not os.path.isdir(os.path.join(folder, "nvidia"))
    return False


def attach(torch):
    from peakscope import attach

    attach.attach(torch)


def begin():
    if lacks_companions():
        from peakscope import companions

        companions.provide()
    once_imported("torch", attach)
