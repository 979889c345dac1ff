# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What peakscope-cli record puts into a Python program, and `peakscope.record` for a part of one. Uses the program's own torch and has none."""

__all__ = ["RecordError", "record"]


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(f"module 'peakscope' has no attribute {name!r}")
    from peakscope import recording  # only now: most Pythons that find this package record nothing

    return getattr(recording, name)


def load_ipython_extension(shell):
    from peakscope import notebook

    notebook.load(shell)
