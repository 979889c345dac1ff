# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One rank of many, without the others: the launcher's environment, a store that waits for nobody, groups that know their size,
and objects of the others that are like this one's. PEAKSCOPE_WORLD is "N;RANK;RANKS A NODE".

The peers are taken to hold what this rank holds: a gather repeats it, a sum is that many times it.
"""
import ctypes
import functools
import os
import pathlib
import pickle
import signal
import sys

VARIABLE = "PEAKSCOPE_WORLD"
LEAVE = os._exit  # nothing is written before; of a program's own call there is (recorder.py)
WAITS = 75  # the status of a rank that waits for another's objects (EX_TEMPFAIL)


def asked():
    return [int(word) for word in os.environ[VARIABLE].split(";")] if os.environ.get(VARIABLE) else None


def environment(world, rank, a_node, port):
    """As torchrun sets it."""
    local = min(a_node, world)
    return {
        "WORLD_SIZE": str(world), "RANK": str(rank), "LOCAL_WORLD_SIZE": str(local), "LOCAL_RANK": str(rank % local),
        "GROUP_RANK": str(rank // local), "GROUP_WORLD_SIZE": str(-(-world // local)), "ROLE_NAME": "default",
        "ROLE_RANK": str(rank), "ROLE_WORLD_SIZE": str(world), "MASTER_ADDR": "localhost", "MASTER_PORT": str(port),
        "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_RESTART_COUNT": "0", "TORCHELASTIC_MAX_RESTARTS": "0",
        "TORCHELASTIC_USE_AGENT_STORE": "True",  # so that every rank is a client
    }


def begin():
    """Starts the store in a process that ends with this one, and returns what the environment gets."""
    from peakscope import store

    world, rank, a_node = asked()
    listening, port = store.listen()
    parent = os.getpid()
    process = os.fork()
    if process == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            LEAVE(0)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        store.Store(world).serve(listening)
    listening.close()
    return {**environment(world, rank, a_node, port), "PEAKSCOPE_STORE_PROCESS": str(process), "PEAKSCOPE_STORE_PORT": str(port)}


@functools.cache
def watch():
    """The one watch of this process, begun."""
    from peakscope.watch import Watch

    size, rank, _ = asked()
    watching = Watch(rank, size)
    watching.begin()
    return watching


def hooks():
    return {"torch.distributed.distributed_c10d": Groups, "torch.distributed.launcher.api": launch_here,
            "torch.multiprocessing.spawn": spawn_here}


def launch_here(api):
    """torchrun, `python -m torch.distributed.run` or accelerate's launcher by it: the rank that is asked for becomes this very process."""

    class Here(api.elastic_launch):
        def __call__(self, *words):
            if not isinstance(self._entrypoint, str):
                return {0: self._entrypoint(*words)}  # a function of the program's
            sys.stdout.flush()
            os.execvp(self._entrypoint, [self._entrypoint, *words])

    api.elastic_launch = Here


def spawn_here(spawn):
    """Of the processes that a program starts for its ranks by `torch.multiprocessing.spawn`, the one that is asked for is run, here."""

    class Ended:
        processes = ()

        def pids(self):
            return []

        def join(self, *_, **__):
            return True

    def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
        size, rank, _ = asked()
        fn(rank if nprocs == size else rank % nprocs, *args)
        return None if join else Ended()

    spawn.start_processes = start_processes


class Groups:
    made = False  # a group was

    def __init__(self, c10d):
        self.c10d = c10d
        self.sendings = {}  # how often each rank has sent objects to all or to one
        self.tell = ctypes.CDLL(None).peakscope_group_size
        self.sizes()
        self.objects()
        self.one_by_one()
        self.without_gloo()
        self.one_store()
        from torch._C import _distributed_c10d as made

        watch().follow([getattr(made, kind) for kind in ("TCPStore", "FileStore", "HashStore", "PrefixStore")])

    def sizes(self):
        """A communicator that is split off is not told how many take part."""
        c10d, make = self.c10d, self.c10d._new_process_group_helper

        def make_told(group_size, *args, **kwargs):
            Groups.made = True
            self.tell(int(group_size))
            try:
                return make(group_size, *args, **kwargs)
            finally:
                self.tell(0)

        c10d._new_process_group_helper = make_told
        split = getattr(c10d, "split_group", None)
        if split is None:
            return

        def split_told(parent_pg=None, split_ranks=None, *args, **kwargs):
            me = c10d.get_rank(parent_pg)
            self.tell(next((len(ranks) for ranks in split_ranks or () if me in ranks), 0))
            try:
                return split(parent_pg, split_ranks, *args, **kwargs)
            finally:
                self.tell(0)

        c10d.split_group = split_told

    def objects(self):
        """Objects are pickled into tensors whose sizes are read back: here they are handed over as they are."""
        c10d = self.c10d

        def all_gather_object(object_list, obj, group=None):
            object_list[:] = [obj] * c10d.get_world_size(group)

        def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
            if object_gather_list is not None:
                object_gather_list[:] = [obj] * c10d.get_world_size(group)

        def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
            object_list[:] = self.sent(object_list, self.sender(src, group, group_src))

        def scatter_object_list(out, inputs=None, src=None, group=None, group_src=None):
            out[0] = self.sent(inputs, self.sender(src, group, group_src))[c10d.get_rank(group)]

        for replaced in (all_gather_object, gather_object, broadcast_object_list, scatter_object_list):
            setattr(c10d, replaced.__name__, replaced)

    def one_by_one(self):
        """What is sent to one rank alone; a rank that takes from whoever comes first takes from the next one."""
        c10d, receive = self.c10d, self.c10d.recv

        def source(src, group, group_src):
            if src is None and group_src is None:
                group_src = (c10d.get_rank(group) + 1) % c10d.get_world_size(group)
            return self.sender(src, group, group_src)

        def recv(tensor, src=None, group=None, tag=0, group_src=None):
            return receive(tensor, source(src, group, group_src), group, tag)

        def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False, **_):
            self.sent(object_list, c10d.get_rank(), self.sender(dst, group, group_dst))

        def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False, **_):
            rank = source(src, group, group_src)
            object_list[:] = self.sent(None, rank, c10d.get_rank())
            return rank

        def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
            pass  # all have come

        for replaced in (recv, send_object_list, recv_object_list, monitored_barrier):
            setattr(c10d, replaced.__name__, replaced)

    def one_store(self):
        """Whatever address a program names, its ranks meet at the store that waits for nobody."""
        from torch.distributed import rendezvous

        make, port = rendezvous.TCPStore, int(os.environ["PEAKSCOPE_STORE_PORT"])

        def create(hostname, _, rank, world_size, timeout, *more, **named):
            return make("localhost", port, world_size, False, timeout)

        rendezvous._create_c10d_store = create

    def sender(self, rank, group, place):
        if rank is None:
            return self.c10d.get_global_rank(group, place or 0) if group is not None else place or 0
        return rank

    def sent(self, objects, sender, to=None):
        """What a rank sends to others is kept for them; what it takes comes from a run of the sender, which the launcher makes
        where there was none."""
        folder = pathlib.Path(os.environ["PEAKSCOPE_OBJECTS"])
        self.sendings[sender, to] = number = self.sendings.get((sender, to), 0) + 1
        path = folder / (f"{sender}-{number}" if to is None else f"{sender}-to-{to}-{number}")
        if sender == self.c10d.get_rank():
            try:
                path.write_bytes(pickle.dumps(list(objects)))
            except Exception:  # what can't be pickled is a broadcast's own error on the other ranks
                pass
            return objects
        if not path.exists():
            (folder / "wanted").write_text(str(sender), encoding="utf-8")
            sys.stdout.flush()
            LEAVE(WAITS)
        return pickle.loads(path.read_bytes())

    def without_gloo(self):
        """A group on the CPU would look for its peers: one that does nothing stands for it."""
        real = self.c10d.ProcessGroupGloo
        from torch._C._distributed_c10d import FakeProcessGroup as fake

        fake._set_sequence_number_for_group = lambda group: None  # some releases would refuse

        class Kind(type):
            def __call__(cls, store, rank, size, *_, **__):
                return fake._create_internal(rank, size) if hasattr(fake, "_create_internal") else fake(rank, size)

            def __instancecheck__(cls, group):
                return isinstance(group, (real, fake))

            def __getattr__(cls, name):
                return getattr(real, name)

        self.c10d.ProcessGroupGloo = Kind("ProcessGroupGloo", (), {})
