# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which line of a program something comes from: not one of a library, of Python's own or of this package."""
import os

HERE = os.path.dirname(__file__)
INSIDE = os.sep + "site-packages" + os.sep
STANDARD = os.sep + "lib" + os.sep + "python"


def program_frame(frame):
    """The innermost frame of the program, from this one outwards; None: there is none."""
    while frame and (INSIDE in frame.f_code.co_filename or STANDARD in frame.f_code.co_filename
                     or frame.f_code.co_filename.startswith((HERE, "<"))):
        frame = frame.f_back
    return frame


def line_of(frame):
    """The innermost line that is not of this package, whoever's it is."""
    while frame and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else None


def place_of(frame):
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
