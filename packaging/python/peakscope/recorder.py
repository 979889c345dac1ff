# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records PyTorch's allocator by its own history, counts steps, and leaves both in a folder."""
import atexit
import contextlib
import errno
import importlib
import json
import os
import pathlib
import pickle
import platform
import resource
import sys
import time

from peakscope import attach, dry, owners, progress, world
from peakscope.after import After
from peakscope.budget import Budget
from peakscope.draws import Draws
from peakscope.saves import Saves
from peakscope.shadow import Shadows, StandIn
from peakscope.shortcuts import Ended
from peakscope.steps import Steps, end_of_a_test
from peakscope.tuning import Tuning

LONG = 10  # seconds
KEPT = ("requested_bytes", "allocated_bytes", "active_bytes", "reserved_bytes")


class Recorder:
    def __init__(self, torch, device_begins):
        self.torch, self.then = torch, device_begins
        self.process = os.getpid()
        self.steps, self.most = 0, int(os.environ.get("PEAKSCOPE_STEPS") or 0)
        self.began, self.device_began = time.monotonic(), 0.0
        self.first_step = 0  # when it was over, in microseconds since 1970
        self.of_test = 0  # steps before the test that is run
        self.counting = Steps(self.stepped)
        self.after = After(self)
        self.saves = Saves(torch, self.after.saved)
        self.draws = Draws(self.after)
        self.tuning = Tuning(torch)
        self.budget = Budget(torch)
        self.out_of_memory = False
        self.written = False
        self.ending = False
        self.shadows, self.collectives, self.unfollowed, self.progress = None, None, "", None
        self.attached = None  # the probe, which tells what bytes are for

    def begin(self):
        torch = self.torch
        torch.cuda._lazy_call(self.device_begins)
        if os.environ.get("PEAKSCOPE_PROBE"):
            self.attached = attach.attach(torch, self.counting)
        self.counting.attach()
        self.saves.attach()
        self.after.attach(torch)
        atexit.register(self.write)
        self.write_before(os._exit)
        if world.asked():
            world.watch()

    def write_before(self, leave):
        def leave_written(status):
            try:
                self.write()
            finally:
                leave(status)

        os._exit = leave_written

    def device_begins(self):
        self.device_began = time.monotonic()
        # Of what is freed no stack: PyTorch that looks for one while Python's exception is on its way (as a checkpoint ends
        # what it repeats) loses the exception.
        try:
            self.torch.cuda.memory._record_memory_history(context="alloc", stacks="python")
        except RuntimeError as error:
            if "cudaMallocAsync" not in str(error):
                raise
            raise SystemExit("peakscope: PyTorch keeps no history of the allocator cudaMallocAsync; record the program with the "
                             "native one: without backend in PYTORCH_CUDA_ALLOC_CONF") from None
        self.torch._C._cuda_attach_out_of_memory_observer(self.ran_out)
        self.budget.begin_cards()
        if dry.is_loaded():
            self.follow_values()
            self.progress = progress.Progress(self)
        self.then()

    def follow_values(self):
        try:
            self.shadows = Shadows(self.torch, StandIn(), lambda: self.saves.under_way)
            self.shadows.attach(self.counting.backward, self.end_if_due)
            if self.torch.distributed.is_available():
                from peakscope.collectives import Collectives

                self.collectives = Collectives(self.shadows, self.torch)
        except (AttributeError, RuntimeError, TypeError, ValueError) as error:  # of a PyTorch that does it in another way
            self.shadows, self.unfollowed = None, str(error)

    def hooks(self):
        """What Triton's kernels write, its own and those of compiled programs, nobody sees: the tensors that one is given are not
        known afterwards."""
        return {"torch.utils.data.dataloader": self.draws.attach,
                "torch._inductor.select_algorithm": self.tuning.attach,
                "triton.runtime.jit": lambda module: self.forgetting(module.JITFunction),
                "torch._inductor.runtime.triton_heuristics": lambda module: self.forgetting(module.CachingAutotuner)}

    def forgetting(self, kernel):
        run = kernel.run

        def run_forgetting(function, *args, **kwargs):
            try:
                return run(function, *args, **kwargs)
            finally:
                for value in (*args, *kwargs.values()) if self.shadows else ():
                    if self.torch.is_tensor(value):
                        self.shadows.forget(value)

        kernel.run = run_forgetting

    def ran_out(self, *_):
        self.out_of_memory = True

    def stepped(self):
        self.steps += 1
        self.budget.limit_cards()
        if self.attached:
            self.attached.step_is_over()
        self.first_step = self.first_step or time.time_ns() // 1000
        if self.shadows:
            self.shadows.asked.stepped()
        if self.progress:
            self.progress.stepped()
        if not (self.shadows and self.shadows.backward_runs):  # else where it is over: an exception from within would be autograd's
            self.end_if_due()

    def end_if_due(self):
        """Ends the program after the steps asked for; under pytest only the test that is run."""
        if not self.most or self.steps - self.of_test < self.most or os.getpid() != self.process or self.ending:
            return
        if not self.after.goes_on():
            self.end()

    def end(self):
        test = end_of_a_test()
        if test:
            self.of_test = self.steps
            raise test
        self.ending = True
        self.write()
        raise Ended

    def history(self):
        snapshot = without_own_frames(self.torch.cuda.memory._snapshot())
        try:
            owners.tell(snapshot, self.torch, self.counting.optimizers, self.first_step)
        except (AttributeError, KeyError, RuntimeError, TypeError):  # objects of a program may be anything
            pass
        return snapshot

    def warnings(self):
        """What is to be known of this run beside its numbers."""
        torch, warnings = self.torch, self.counting.warnings()
        if self.tuning.chosen:
            warnings.append(f"max-autotune: of {self.tuning.chosen} products the first kernel was taken, since none can be timed here")
        if not dry.is_compared(torch.__version__):
            warnings.append(f"PyTorch {torch.__version__} has not been compared with a card or another release: what it needs of CUDA was read from its own files")
        before, all_of_it = self.device_began - self.began, time.monotonic() - self.began
        if "transformers" in sys.modules and not os.environ.get("PEAKSCOPE_GHOST") and before > max(LONG, all_of_it / 2):
            warnings.append(f"{before:.0f} of {all_of_it:.0f} s passed before the card was used; if weights are drawn or read on the host, "
                            "--ghost FOLDER avoids that")
        return warnings

    # Of the process that began it: a fork of a data loader has nothing to tell.
    def write(self):
        torch = self.torch
        if self.written or os.getpid() != self.process or not torch.cuda.is_initialized():
            return
        self.written = True
        if not self.ending:
            self.counting.at_end()
        if self.progress:
            self.progress.last()
        warnings = self.warnings()
        folder = pathlib.Path(os.environ["PEAKSCOPE_RECORD"])
        if not folder.is_dir():
            return  # a worker that outlived the run
        devices = []
        for device in range(torch.cuda.device_count()):
            stats = torch.cuda.memory_stats(device)
            devices.append({key: stats.get(f"{key}.all.peak", 0) for key in KEPT})
        said = {
            "unknown_answers": self.shadows.asked.result() if self.shadows else {}, "unfollowed": self.unfollowed,
            "taken_from_peers": self.collectives.taken if self.collectives else {},
            "steps": self.steps, "optimizer_steps": self.counting.optimizer_steps, "warnings": warnings, "ended_by_steps": self.ending,
            "not_reached": self.after.not_reached() if self.ending else [], "out_of_memory": self.out_of_memory, "devices": devices,
            "grouped": world.Groups.made, "requested_after_steps": self.progress.requested if self.progress else [],
            "batches": self.draws.batches, "longest_row": self.draws.longest,
            "torch": torch.__version__, "cuda": torch.version.cuda, "python": platform.python_version(),
            "libraries": {name: sys.modules[name].__version__ for name in ("transformers", "peft", "accelerate", "trl")
                          if hasattr(sys.modules.get(name), "__version__")},
        }
        try:
            with files_of_any_size():
                with open(folder / f"{self.process}.pickle", "wb") as file:
                    pickle.dump(self.history(), file)
                temporary = folder / f"{self.process}.json.new"
                temporary.write_text(json.dumps(said), encoding="utf-8")
                temporary.rename(folder / f"{self.process}.json")
            for text in warnings:
                sys.stderr.write(f"peakscope: {text}\n")
        except OSError as error:
            dry.refuse("what was recorded is larger than the program lets its files be (RLIMIT_FSIZE)" if error.errno == errno.EFBIG else
                       f"what was recorded can't be kept in {folder.parent} ({error.strerror}); set TMPDIR to a folder with room", status=1)


@contextlib.contextmanager
def files_of_any_size():
    """A program that limits the size of its files (ulimit -f) does not mean what is recorded of it."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in (resource.RLIM_INFINITY, limits[1]):  # the first is not for everyone
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            break
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def without_own_frames(snapshot):
    """A program's stacks as they would be without this package on the way."""
    here = os.path.dirname(os.path.abspath(__file__)) + os.sep

    def clean(holder):
        frames = holder.get("frames")
        if frames and any(frame["filename"].startswith(here) for frame in frames):
            own = [frame["filename"].startswith(here) for frame in frames] + [False]
            holder["frames"] = [frame for index, frame in enumerate(frames) if not own[index]
                                and not (own[index + 1] and os.path.basename(frame["filename"]) == "_ops.py")]

    for trace in snapshot.get("device_traces", ()):
        for event in trace:
            clean(event)
    for segment in snapshot.get("segments", ()):
        clean(segment)
        for block in segment.get("blocks", ()):
            clean(block)
    return snapshot
