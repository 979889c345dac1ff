# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands `peakscope` and `peakscope-cli` of a wheel: they start the programs that lie in this package."""
import os
import pathlib
import sys

TREE = pathlib.Path(__file__).with_name("tree")


def window_fault():
    """Why the window can't start here, in one sentence; None if it can."""
    qt = TREE.parents[1] / "PyQt6" / "Qt6" / "lib" / "libQt6Widgets.so.6"
    if not qt.is_file():
        return "the window needs Qt, which is not in this environment: pip install PyQt6-Qt6"
    try:
        wanted = (TREE / "share" / "peakscope" / "window-glibc").read_text(encoding="ascii").strip()
        here = os.confstr("CS_GNU_LIBC_VERSION").split()[-1]
    except (OSError, ValueError, AttributeError):
        return None
    if [int(part) for part in here.split(".")] < [int(part) for part in wanted.split(".")]:
        return f"the window needs glibc {wanted}, this system has {here}; peakscope-cli works, and results open on another machine"
    return None


def start(name):
    os.environ.setdefault("PEAKSCOPE_PYTHON", sys.executable)
    program = TREE / "bin" / name
    try:
        os.execv(program, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: {program} can't be started: {error.strerror}")


def window():
    fault = window_fault()
    if fault:
        print(f"peakscope: {fault}", file=sys.stderr)
        sys.exit(2)
    start("peakscope")


def command_line():
    start("peakscope-cli")
