# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part "ranks" of packaging/gpu-check: trainings on several devices of this machine, each rank's bytes beside those of the same rank
on the stand-in of the card, and the losses beside those of ranks on the CPU."""
import json
import subprocess

from gpu_record import run, stand_in_of

MOST_RANKS = 8
BOUND = 1e-3  # relative, of float32 losses: a device's kernels add in another order
SHARDINGS = {"none": {}, "zero1": {}, "zero2": {}, "zero3": {}, "fsdp": {"fsdp": {"param_dtype": "float32"}}}


def experiment(device, ranks, sharding):
    return {"kind": "memory", "device": device, "ranks": ranks, "seed": 5,
            "model": {"family": "llama", "hidden": 512, "layers": 4, "heads": 8, "vocab": 4096, "max_positions": 256},
            "data": {"source": "builtin", "batch": 2 * ranks, "seq": 256},
            "training": {"sharding": sharding, "warmup_steps": 1, "steps": 3, "lr": 1e-3, **SHARDINGS[sharding]}}


def bytes_of(result):
    """By rank: what its allocator handed out and reserved at most, and what for."""
    known = {rank["rank"]: rank for rank in result["ranks"]}
    def of(rank):
        memory = known[rank.get("same_as", rank["rank"])]["memory"]
        return memory["peak_bytes"], memory["peak_reserved_bytes"], memory["max_components"]
    return {number: of(rank) for number, rank in known.items()}


def compare(cli, device, out):
    """The exit status: 0 bytes are equal and losses agree, or there is nothing to compare."""
    listed = json.loads(subprocess.run([cli, "devices", "--json"], capture_output=True, text=True, check=True).stdout)
    dry = device.startswith("dry:")
    count = min(MOST_RANKS, sum(each["id"].startswith("cuda:") for each in listed))
    if not dry and count < 2:
        print(f"peakscope: ranks: {count} CUDA device here, and ranks need two; nothing was compared")
        return 0
    stand_in = stand_in_of(cli, device)
    failed = 0
    for sharding in SHARDINGS:
        ranks = 2 if dry else count
        there, why = run(cli, out, f"ranks-{sharding}-dry", experiment(stand_in, ranks, sharding))
        here, why = (there, why) if dry or there is None else run(cli, out, f"ranks-{sharding}", experiment("cuda", ranks, sharding))
        if here is None:
            print(f"peakscope: ranks {sharding}: {why}", flush=True)
            failed += 1
            continue
        wrong = [f"bytes of rank {rank}" for rank, known in bytes_of(here).items() if known != bytes_of(there)[rank]]
        if not dry:
            cpu, why = run(cli, out, f"ranks-{sharding}-cpu", experiment("cpu", ranks, sharding))
            losses = list(zip(here["losses"], cpu["losses"])) if cpu else []
            if not losses or any(abs(a - b) > BOUND * abs(b) for a, b in losses):
                wrong.append(f"losses {losses or why}")
        failed += bool(wrong)
        print(f"peakscope: ranks {sharding}: {ranks} ranks, " + ("; ".join(wrong) if wrong else "equal" if not dry else "ran dry"), flush=True)
    return 1 if failed else 0
