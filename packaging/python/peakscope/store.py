# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server for PyTorch's TCPStore in which nobody is waited for: this rank is the only one, and whatever it asks of the others is
there. The wire protocol is that of torch/csrc/distributed/c10d/TCPStoreBackend.cpp, the same from 2.6 to 2.15."""
import socket
import struct
import threading

(VALIDATE, SET, COMPARE_SET, GET, ADD, CHECK, WAIT, COUNT, DELETE, APPEND, MULTI_GET, MULTI_SET, CANCEL_WAIT, PING) = range(14)
READY, NOT_READY, STOPPED_WAITING = b"\0", b"\1", b"\1"
MADE_UP = b"\1" * 128  # as long as what NCCL's first rank hands out


class Store:
    def __init__(self, world):
        self.world = world
        self.values = {}
        self.lock = threading.Lock()

    def added(self, key, amount):
        count = int(self.values.get(key, b"0")) + amount
        if amount == 1 and count < self.world and b"barrier" in key:
            count = self.world  # all have come
        self.values[key] = b"%d" % count
        return count

    def compared(self, key, expected, desired):
        if key not in self.values and expected:
            return expected
        if key not in self.values or self.values[key] == expected:
            self.values[key] = desired
        return self.values[key]

    def serve(self, listening):
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with connection, connection.makefile("rwb") as stream:
            try:
                while (query := stream.read(1)) and self.one(query[0], stream):
                    stream.flush()
            except (OSError, struct.error):
                pass  # it has gone

    def one(self, query, stream):
        def number(form="<Q"):
            return struct.unpack(form, stream.read(8))[0]

        def text():
            return stream.read(number())

        def write(value):
            stream.write(struct.pack("<Q", len(value)) + value)

        with self.lock:
            if query == VALIDATE:
                stream.read(4)
            elif query in (SET, APPEND):
                key, value = text(), text()
                self.values[key] = (self.values.get(key, b"") if query == APPEND else b"") + value
            elif query == COMPARE_SET:
                write(self.compared(text(), text(), text()))
            elif query == GET:
                write(self.values.get(text(), MADE_UP))
            elif query == ADD:
                key = text()
                stream.write(struct.pack("<q", self.added(key, number("<q"))))
            elif query in (CHECK, WAIT):
                keys = [text() for _ in range(number())]
                there = query == WAIT or all(key in self.values for key in keys)
                stream.write(READY if there else NOT_READY)
            elif query == COUNT:
                stream.write(struct.pack("<q", len(self.values)))
            elif query == DELETE:
                stream.write(struct.pack("<q", int(self.values.pop(text(), None) is not None)))
            elif query == MULTI_GET:
                for key in [text() for _ in range(number())]:
                    write(self.values.get(key, MADE_UP))
            elif query == MULTI_SET:
                for _ in range(number()):
                    key = text()
                    self.values[key] = text()
            elif query == CANCEL_WAIT:
                stream.write(STOPPED_WAITING)
            elif query == PING:
                stream.write(stream.read(4))
            else:
                return False  # of a newer version
        return True


def listen():
    """A socket on a free port of this machine, and the port. IPv6 where there is some: what is asked for is "localhost"."""
    try:
        listening = socket.socket(socket.AF_INET6)
        listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listening.bind(("::", 0))
    except OSError:
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    return listening, listening.getsockname()[1]
