# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Twenty programs for several cards, as people start them, each dry on the first and the last rank of 8 and of 64: whether they run
to their end, and the most that was reserved.

    bench_ranks.py CLI PYTHON OUT.jsonl [WORD…]

CLI: peakscope-cli. PYTHON: one with transformers and accelerate. Programs whose line has every WORD are run; one that OUT.jsonl has
is not run again. The exit status is 1 where a program does not end with 0.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
WORLDS = (8, 64)
SHARDED = ("ddp", "ddp-accumulate", "zero1", "fsdp1", "fsdp1-gradients", "fsdp1-float32", "fsdp2", "fsdp2-whole", "fsdp2-float32", "hsdp",
           "tensor", "fsdp2-tensor")
PROGRAMS = [
    *(f"torchrun sharded.py {way} tiny 256" for way in SHARDED),
    "python sharded.py ddp tiny 256", "run sharded.py ddp tiny 256",
    "accelerate launched.py accelerate", "accelerate launched.py accelerate-accumulate",
    "accelerate --use_fsdp launched.py accelerate",
    "torchrun launched.py trainer", "torchrun launched.py trainer-accumulate", "torchrun launched.py trainer-fsdp",
]


def command(python, line, world):
    starter, *words = line.split()
    words = [str(HERE / word) if word.endswith(".py") else word for word in words]
    beside, nodes = os.path.dirname(python), ["--nnodes", str(world // 8), "--nproc-per-node", "8"]
    return {"python": [python], "run": [python, "-m", "torch.distributed.run", *nodes],
            "torchrun": [os.path.join(beside, "torchrun"), *nodes],
            "accelerate": [os.path.join(beside, "accelerate"), "launch", *(() if "--use_fsdp" in words else ("--multi_gpu",)),
                           "--num_machines", str(world // 8), "--machine_rank", "0", "--main_process_ip", "localhost",
                           "--main_process_port", "29500", "--num_processes", str(world)]}[starter] + words


def dry(cli, python, line, world):
    with tempfile.TemporaryDirectory() as folder:
        out, began = os.path.join(folder, "run.json"), time.time()
        try:
            ended = subprocess.run([cli, "record", "--device", "dry:h100-80gb", "--world", str(world), "--rank", f"0,{world - 1}", "--steps",
                                    "1000", "--out", out, "--", *command(python, line, world)],
                                   cwd=folder, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return {"status": 124, "said": "it did not end"}
        answer = {"status": ended.returncode, "seconds": round(time.time() - began)}
        if ended.returncode or not os.path.exists(out):
            return {**answer, "status": ended.returncode or 1, "said": ended.stderr.strip()[-1500:]}
        ranks = json.load(open(out, encoding="utf-8"))["ranks"]
        return {**answer, "reserved": [rank["memory"]["peak_reserved_bytes"] for rank in ranks]}


def main():
    cli, python, out, *chosen = sys.argv[1:]
    done = {}
    if os.path.exists(out):
        done = {(line, world): found for line, world, found in map(json.loads, open(out, encoding="utf-8"))}
    lines = [line for line in PROGRAMS if all(word in line.split() for word in chosen)]
    failed = set()
    for line in lines:
        for world in WORLDS:
            if (line, world) not in done:
                done[line, world] = dry(cli, python, line, world)
                with open(out, "a", encoding="utf-8") as file:
                    file.write(json.dumps([line, world, done[line, world]]) + "\n")
            found = done[line, world]
            if found["status"]:
                failed.add(line)
            result = ", ".join(f"{bytes:,}" for bytes in found.get("reserved", ())) or (
                f"status {found['status']}: " + (found["said"].splitlines() or ["nothing said"])[-1])
            print(f"{line:48}{world:4}  {result}", flush=True)
    print(f"{len(lines)} programs, {len(lines) - len(failed)} end with 0 on the first and last rank of {' and of '.join(map(str, WORLDS))}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
