# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Found first by a Python that peakscope-cli record started: begins the recording, then whatever this hides."""
import os
import sys


def _hidden():
    """The user's own sitecustomize, further along the path."""
    here = os.path.dirname(os.path.abspath(__file__))
    path, own = list(sys.path), sys.modules.pop("sitecustomize", None)
    sys.path[:] = [folder for folder in path if os.path.abspath(folder or ".") != here]
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        sys.modules["sitecustomize"] = own
    finally:
        sys.path[:] = path


if os.environ.get("PEAKSCOPE_RECORD"):
    from peakscope import dry

    dry.begin()
elif os.environ.get("PEAKSCOPE_PROBE"):
    from peakscope import start

    start.begin()
_hidden()
