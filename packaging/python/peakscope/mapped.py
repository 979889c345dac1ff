# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules own of memory that PyTorch did not allocate: weights in files that are mapped, as safetensors', NumPy's, or shared between
processes. The probe's allocator sees none of it, so that it is told of: from when a module has it until its storage goes."""
import bisect
import weakref


def storage_of(tensor):
    """None: it has none of its own in the memory of the processor or of a card."""
    try:
        return tensor.untyped_storage() if tensor.device.type in ("cpu", "cuda") else None
    except Exception:  # a tensor of another library's kind says in its own way that it has none
        return None


class Mapped:
    def __init__(self, probe):
        self.probe = probe
        self.parts = {}  # of storages, by address: begin and end of each that is told of, in order

    def see(self, tensors):
        for tensor in tensors:
            storage = storage_of(tensor)
            if storage is not None and storage.device.type == "cpu" and self.probe.is_mapped(storage._cdata):
                self.tell(tensor, storage)

    def tell(self, tensor, storage):
        begin, known = tensor.data_ptr(), storage.data_ptr()
        end = min(begin + tensor.nbytes, known + storage.nbytes())
        if known not in self.parts:
            weakref.finalize(storage, self.gone, known).atexit = False
        parts = self.parts.setdefault(known, [])
        place = bisect.bisect(parts, (begin, end))
        overlaps = (place > 0 and parts[place - 1][1] > begin) or (place < len(parts) and parts[place][0] < end)
        if begin < end and not overlaps:
            parts.insert(place, (begin, end))
            self.probe.mapped(begin, end - begin)

    def gone(self, storage):
        for begin, _ in self.parts.pop(storage, ()):
            self.probe.unmapped(begin)
