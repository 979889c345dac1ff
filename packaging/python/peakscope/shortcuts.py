# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a dry run need not wait for: garbage of imports, looked for again and again, and an interpreter that is taken down."""
import ctypes
import gc
import io
import os
import sys

MANY = 2_000_000  # objects; PyTorch and Transformers make 500,000, each of which some twenty collections would look at


def collect_seldom():
    """While nothing lies on the card, a collection can free nothing there. Gives what ends this: as after a whole collection, all
    that is there counts as old, so that from then on collections come as they would."""
    before = gc.get_threshold()
    gc.set_threshold(MANY, *before[1:])

    def as_before():
        if gc.get_threshold() == (MANY, *before[1:]):  # else the program has set its own
            gc.set_threshold(*before)
            if not gc.get_freeze_count():  # else the program keeps some apart
                gc.freeze()
                gc.unfreeze()  # to the oldest generation, and no young one is counted

    return as_before


class Ended(SystemExit):
    """The end after the last step. A program may catch it, and end otherwise; once nobody has, the interpreter asks for the code,
    with no frame of Python's below."""

    certain = False

    @property
    def code(self):
        try:
            sys._getframe(1)
        except ValueError:
            Ended.certain = True
        return 0


def leave(process):
    """The last of what Python does at its exit: flushes the files that are open, which the interpreter would, and ends. What a
    second's taking down of modules and objects would free is the system's in any case."""
    if not Ended.certain or os.getpid() != process:
        return
    files, temporary = io.IOBase.__base__, getattr(sys.modules.get("tempfile"), "_TemporaryFileWrapper", None)
    try:
        for each in gc.get_objects():
            kind = type(each)  # isinstance() would ask objects that stand for others
            if issubclass(kind, files) and not each.closed:
                each.flush()
            elif kind is temporary:
                each.close()
    except Exception:
        return  # the interpreter says what went wrong
    ctypes.PyDLL(None).peakscope_leave(0)
