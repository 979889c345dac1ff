# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a dry run need not wait for: garbage of imports, looked for again and again."""
import gc

MANY = 500_000  # objects; PyTorch and Transformers make 400,000, each of which some twenty collections would look at


def collect_seldom():
    """While nothing lies on the card, a collection can free nothing there. Gives what ends this: with a whole collection, so that
    from then on collections come as they would."""
    before = gc.get_threshold()
    gc.set_threshold(MANY, *before[1:])

    def as_before():
        if gc.get_threshold() == (MANY, *before[1:]):  # else the program has set its own
            gc.set_threshold(*before)
            gc.collect()

    return as_before
