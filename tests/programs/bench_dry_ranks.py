# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawn experiments on several ranks of a card that isn't here: ledger beside allocator, collectives beside the plan, peaks beside the
estimate. Prints a line each and what was worst.

    python bench_dry_ranks.py CLI [COUNT [SEED]]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

FAMILIES = ("opt", "gpt2", "gpt_neo", "gpt_neox", "llama", "qwen3", "smollm3", "olmo2", "phi3", "gemma", "gemma2", "gemma3", "mixtral",
            "qwen3_moe", "gpt_oss")


def drawn(random):
    family, ranks = random.choice(FAMILIES), random.choice((2, 4, 8, 64))
    sharding = random.choice(("none", "zero1", "zero2", "zero3", "fsdp"))
    dtype = random.choice(("float32", "bfloat16"))
    training = {"sharding": sharding, "steps": 2, "warmup_steps": 0, "optimizer": random.choice(("adamw", "sgd", "lion")),
                "checkpointing": random.random() < 0.3, "loss_head": random.choice(("auto", "chunked"))}
    if random.random() < 0.2:
        training["lora"] = {"rank": 16}
    if dtype == "float32" and sharding != "fsdp" and random.random() < 0.4:
        training["amp"] = "bfloat16"
    model = {"family": family, "hidden": random.choice((1536, 2048)), "layers": random.randint(4, 8), "heads": 16,
             "vocab": random.choice((32000, 50257)), "max_positions": 2048}
    if family in ("mixtral", "qwen3_moe", "gpt_oss"):
        model["experts"] = 4
    rows = random.choice((1, 2))
    return {"kind": "memory", "device": "dry:" + random.choice(("h100-80gb", "a100-80gb")), "ranks": ranks, "dtype": dtype, "model": model,
            "data": {"batch": rows * ranks + random.choice((0, 0, 1)), "seq": random.choice((1024, 2048)), "max_physical_batch": rows + 1},
            "training": training}


def main():
    cli, count, seed = sys.argv[1], int((sys.argv[2:] or [40])[0]), int((sys.argv[3:] or [7])[0])
    draws, faults, worst = random.Random(seed), 0, 0.0
    folder = tempfile.mkdtemp()
    for number in range(count):
        experiment = drawn(draws)
        path, out = os.path.join(folder, "in.json"), os.path.join(folder, "out.json")
        with open(path, "w") as file:
            json.dump(experiment, file)
        said = subprocess.run([cli, "run", path, "--out", out], capture_output=True, text=True)
        what = "{model[family]} {training[sharding]} {dtype} {ranks}".format(**experiment)
        if said.returncode:
            print("FAIL", what, said.stderr.strip().splitlines()[-1], json.dumps(experiment))
            faults += 1
            continue
        with open(out) as file:
            result = json.load(file)
        wrong = []
        for rank in result["ranks"]:
            if "same_as" in rank:
                continue
            ledger = rank["ledger"]
            if ledger["allocated_differences"] or ledger["reserved_differences"] or ledger["unknown_blocks"]:
                wrong.append(f"rank {rank['rank']}: the ledger is not the allocator's")
            for usage in rank["communication"]["collectives"]:
                if usage["name"] == "all_reduce":
                    continue
                if rank["communication"]["nccl"][usage["name"]] != [usage["count"], usage["bytes"]]:
                    wrong.append(f"rank {rank['rank']}: NCCL was asked for another {usage['name']}")
        peak, kept = result["memory"]["peak_bytes"], result["memory"]["peak_components"].get("workspace", 0)
        off = (result["prediction"]["peak_bytes"] / peak - 1) * 100
        worst = max(worst, abs(off))
        faults += bool(wrong)
        print("FAIL" if wrong else "ok  ", what, f"peak {peak / 2**20:.0f} MiB, estimate {off:+.3f} %", *wrong, flush=True)
    print(f"{count} experiments, {faults} faults, worst estimate {worst:.3f} %")
    return bool(faults)


sys.exit(main())
