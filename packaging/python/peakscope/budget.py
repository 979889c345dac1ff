# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""peakscope-cli record --budget: PEAKSCOPE_BUDGET has the bytes that PyTorch may take, in each process, of a card, or of the
processor's memory where the program sees no card. What would pass it is refused with PyTorch's own OutOfMemoryError."""
import os


class Budget:
    def __init__(self, torch):
        self.torch, self.bytes = torch, int(os.environ.get("PEAKSCOPE_BUDGET") or 0)
        self.limited, self.begun = set(), False  # cards; whether the program uses any

    def of_processor(self):
        """0: none. Where there is a card, what is on its way there is not counted."""
        return 0 if self.torch.cuda.device_count() else self.bytes

    def begin_cards(self):
        self.begun = True
        self.limit_cards()

    def limit_cards(self):
        """Those in use: asking about another one would take memory of it."""
        cuda = self.torch.cuda
        if not self.bytes or not self.begun:
            return
        used = {cuda.current_device(), *(number for number in range(cuda.device_count()) if cuda.memory_reserved(number))}
        for number in used - self.limited:
            total = cuda.get_device_properties(number).total_memory
            if self.bytes < total:
                cuda.set_per_process_memory_fraction(self.bytes / total, number)
        self.limited |= used
