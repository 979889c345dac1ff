# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of small tensors on a card that is not there, by the storage that they are views of: not by its memory, for what the
allocator hands out again holds nothing. Views, aliases and resized tensors share theirs as on a card.

States of a byte: UNKNOWN, KNOWN, GUESSED (a random number, a value that stands for what nobody knows).
"""

UNKNOWN, KNOWN, GUESSED = 0, 1, 2
INTEGERS, FLOATS = 1 << 20, 1 << 10  # elements of a tensor
STORAGE = 1 << 26  # bytes of the storage that it is a view of


class OfStorage:
    __slots__ = ("weak", "bytes", "host", "state", "version", "epoch")  # state: one of all bytes, or a tensor with one for each


class WeakStorage:
    def __init__(self, torch, storage):
        self.kind = torch.UntypedStorage
        self.reference = storage._weak_ref()

    def alive(self):
        return not self.kind._expired(self.reference)

    def __del__(self):
        self.kind._free_weak_ref(self.reference)


class Contents:
    def __init__(self, torch):
        self.torch = torch
        self.kept = {}  # by the storage's address, which is no other's while a weak reference is held
        self.places = {}  # by where its memory begins: a Python object of a storage keeps autograd from adding to it in place,
        # so none is made for those that have no contents
        self.swept = 64
        self.epoch = 0  # backward passes: autograd adds to gradients where nobody sees it
        self.plain = (torch.Tensor, torch.nn.Parameter)

    def small(self, tensor):
        count = tensor.numel()
        return (count <= (FLOATS if tensor.is_floating_point() or tensor.is_complex() else INTEGERS) and type(tensor) in self.plain
                and tensor.layout is self.torch.strided)

    @staticmethod
    def place(tensor):
        return tensor.data_ptr() - tensor.storage_offset() * tensor.element_size()

    @staticmethod
    def version(tensor):
        try:
            return tensor._version
        except RuntimeError:  # of inference mode
            return 0

    def stamp(self, held, tensor):
        held.version, held.epoch = self.version(tensor), self.epoch

    def current(self, held, tensor):
        """Whether nothing was added to it in a backward pass since. A parameter isn't written there; what `.data` gives counts anew."""
        if held.epoch != self.epoch:
            if self.version(tensor) > held.version and not tensor.requires_grad:
                return False
            held.epoch = self.epoch
        return True

    def contents(self, tensor, make=False):
        if not make:
            held = self.places.get(self.place(tensor))
            if held is None or not held.weak.alive():
                return None
            if not self.current(held, tensor):
                held.state = UNKNOWN
        storage = tensor.untyped_storage()
        found = self.kept.get(storage._cdata)
        size = storage.nbytes()
        if found and found.bytes == size:
            return found
        if found and size <= STORAGE:  # it was resized
            host, state = self.torch.UntypedStorage(size), self.torch.zeros(size, dtype=self.torch.uint8, device="cpu")
            both = min(size, found.bytes)
            host[:both].copy_(found.host[:both])
            state[:both] = found.state if isinstance(found.state, int) else found.state[:both]
            found.bytes, found.host, found.state = size, host, state
            return found
        if not make or size > STORAGE:
            return None
        if len(self.kept) > self.swept:
            self.sweep()
        found = OfStorage()
        found.weak = WeakStorage(self.torch, storage)
        found.bytes, found.host, found.state = size, self.torch.UntypedStorage(size), UNKNOWN
        self.stamp(found, tensor)
        self.kept[storage._cdata] = self.places[self.place(tensor)] = found
        return found

    def sweep(self):
        self.kept, self.places = ({key: contents for key, contents in each.items() if contents.weak.alive()}
                                  for each in (self.kept, self.places))
        self.swept = max(64, 2 * len(self.kept))

    def alias(self, tensor, contents):
        host = self.torch.empty(0, dtype=tensor.dtype, device="cpu")
        return host.set_(contents.host, tensor.storage_offset(), tensor.size(), tensor.stride())

    def state_bytes(self, tensor, state):
        """The states of a tensor's bytes, as a view of those of its storage."""
        width = tensor.element_size()
        return state.as_strided((*tensor.size(), width), (*(width * stride for stride in tensor.stride()), 1),
                                width * tensor.storage_offset())

    def state(self, tensor, contents):
        if not isinstance(contents.state, int):
            states = self.state_bytes(tensor, contents.state)
            if states.numel() == 0:
                return KNOWN
            low, high = (int(value) for value in states.aminmax())
            return UNKNOWN if low == UNKNOWN else high
        return contents.state

    def read(self, tensor):
        """Its contents as a tensor of the host's (a view) and their state; None: not known."""
        if tensor.numel() == 0:
            return self.torch.empty(tensor.size(), dtype=tensor.dtype, device="cpu"), KNOWN
        contents = self.contents(tensor)
        state = self.state(tensor, contents) if contents else UNKNOWN
        return (self.alias(tensor, contents), state) if state else None

    def filled(self, tensor, filling):
        """A copy of its contents, with a filling where they are not known."""
        found = self.read(tensor)
        if found:
            return found[0]
        host = self.torch.full((*tensor.size(), tensor.element_size()), filling, dtype=self.torch.uint8, device="cpu")
        contents = self.contents(tensor)
        if contents and not isinstance(contents.state, int):
            here = self.state_bytes(tensor, contents.state).bool()
            self.torch.where(here, self.alias(tensor, contents).contiguous().unsqueeze(-1).view(self.torch.uint8), host, out=host)
        return host.view(tensor.dtype).squeeze(-1)

    def mark(self, tensor, contents, state):
        if isinstance(contents.state, int):
            if tensor.numel() * tensor.element_size() == contents.bytes:
                contents.state = state
                return
            if contents.state == state:
                return
            contents.state = self.torch.full((contents.bytes,), contents.state, dtype=self.torch.uint8, device="cpu")
        self.state_bytes(tensor, contents.state).fill_(state)

    def write(self, tensor, host, state):
        contents = self.contents(tensor, make=True)
        if contents:
            self.alias(tensor, contents).copy_(host)
            self.mark(tensor, contents, state)
            self.stamp(contents, tensor)

    def forget(self, tensor):
        strided = type(tensor) in self.plain and tensor.layout is self.torch.strided  # others have no memory of their own
        contents = self.contents(tensor) if strided and tensor.numel() else None
        if contents:
            self.mark(tensor, contents, UNKNOWN)
