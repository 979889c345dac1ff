# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments of our own, drawn at random, on stand-ins of cards: the ledger against the real allocator at every phase mark, and how
far the prediction is off.

    bench_dry.py CLI OUT.jsonl [COUNT [SEED]]

CLI: peakscope-cli of a build with LibTorch's CUDA half. COUNT: 48. A run that OUT.jsonl has is not run again. The exit status is 1
where a run failed, or ledger and allocator differed, or a block was not known.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

MODELS = [{"id": "opt-125m"}, {"id": "opt-350m"}, {"id": "gpt2"}, {"id": "gpt2-medium"}, {"id": "qwen2.5-0.5b"},
          {"id": "pythia-160m"}, {"id": "gpt-neo-125m"}, {"id": "qwen3-0.6b"}, {"id": "llama-3.2-1b"}]
CARDS = ("a800-80gb", "h100-80gb", "rtx-4090")
CLIPPINGS = ("per_sample", "microbatch", "ghost", "flash", "ghost_bk", "flash_bk", "auto")


def own(draw, family):
    heads = draw.choice((4, 8))
    model = {"family": family, "hidden": heads * draw.choice((32, 64, 128)), "layers": draw.randint(2, 10), "heads": heads,
             "vocab": draw.choice((2000, 10000, 32000, 50257)), "max_positions": 1024}
    return {**model, "kv_heads": heads // 2} if family in ("llama", "qwen3") and draw.random() < 0.5 else model


def experiment(draw):
    families = ("opt", "gpt2", "gpt_neo", "gpt_neox", "llama", "qwen3", "plain")
    model = draw.choice(MODELS) if draw.random() < 0.5 else own(draw, draw.choice(families))
    batch = draw.choice((1, 2, 4, 8))
    data = {"source": "builtin", "batch": batch, "seq": draw.choice((32, 100, 128, 256, 512))}
    if batch > 1 and draw.random() < 0.3:
        data["max_physical_batch"] = batch // 2
    training = {"optimizer": draw.choice(("adam", "adamw", "sgd", "lion", "rmsprop")), "warmup_steps": 1, "steps": 2,
                "checkpointing": draw.random() < 0.25, "loss_head": draw.choice(("auto", "naive", "chunked"))}
    dtype = "float32"
    if draw.random() < 0.35:
        training.update(clipping=draw.choice(CLIPPINGS), noise_multiplier=draw.choice((0, 1.0)), checkpointing=False)
    elif draw.random() < 0.4:
        training["amp"] = draw.choice(("bfloat16", "float16"))
    else:
        dtype = draw.choice(("float32", "float32", "bfloat16"))
    if draw.random() < 0.25:
        training["lora"] = {"rank": draw.choice((4, 16))}
    return {"kind": "memory", "model": model, "weights": "random", "device": "dry:" + draw.choice(CARDS), "dtype": dtype,
            "data": data, "training": training}


def words(asked):
    training, data = asked["training"], asked["data"]
    model = asked["model"].get("id") or "{family} {layers}x{hidden}".format(**asked["model"])
    parts = [model, asked["device"][4:], asked["dtype"], "{batch}x{seq}".format(**data), training["optimizer"],
             training["loss_head"]]
    parts += [key for key in ("checkpointing",) if training[key]]
    parts += [training[key] for key in ("amp", "clipping") if key in training]
    parts += ["lora {rank}".format(**training["lora"])] if "lora" in training else []
    parts += ["passes of {max_physical_batch}".format(**data)] if "max_physical_batch" in data else []
    return ", ".join(parts)


def run(cli, asked):
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "experiment.json"), os.path.join(folder, "result.json")
        with open(source, "w", encoding="utf-8") as file:
            json.dump(asked, file)
        began = time.time()
        ended = subprocess.run([cli, "run", source, "--out", result], capture_output=True, text=True, timeout=600)
        took = round(time.time() - began, 2)
        if ended.returncode not in (0, 3):
            return {"failed": ended.stderr.strip()[-300:], "seconds": took}
        with open(result, encoding="utf-8") as file:
            said = json.load(file)
    ledger, memory, predicted = said["allocator"]["ledger"], said["memory"], said["prediction"]
    return {"status": said["status"], "marks": ledger["phase_marks"], "seconds": took,
            "differences": ledger["allocated_differences"] + ledger["reserved_differences"],
            "unknown_blocks": ledger["unknown_blocks"], "peak": memory["peak_bytes"], "predicted": predicted["peak_bytes"],
            "reserved": memory["peak_reserved_bytes"], "predicted_reserved": predicted["peak_reserved_bytes"]}


def main():
    cli, out, *numbers = sys.argv[1:]
    count, seed = [int(number) for number in numbers + ["48", "1"][len(numbers):]]
    draw = random.Random(seed)
    done = {}
    if os.path.exists(out):
        with open(out, encoding="utf-8") as file:
            done = dict(json.loads(line) for line in file)
    wrong, peaks, reserved, marks = 0, [], [], 0
    for number in range(count):
        asked = experiment(draw)
        key = f"{seed}.{number} {words(asked)}"
        if key not in done:
            done[key] = run(cli, asked)
            with open(out, "a", encoding="utf-8") as file:
                file.write(json.dumps([key, done[key]]) + "\n")
        found = done[key]
        if "failed" in found or found["differences"] or found["unknown_blocks"]:
            wrong += 1
            print(f"WRONG {key}: {found}")
            continue
        marks += found["marks"]
        line = f"{found['peak'] / 2**20:10.1f} MiB allocated"
        if found["status"] == "complete":
            peaks.append(found["predicted"] / found["peak"] - 1)
            reserved.append(found["predicted_reserved"] / found["reserved"] - 1)
            line += f" ({peaks[-1]:+.2%} predicted), {found['reserved'] / 2**20:.0f} reserved ({reserved[-1]:+.2%})"
        print(f"{line}  {key}" + ("" if found["status"] == "complete" else f": {found['status']}"))
    print(f"{count - wrong} of {count} right: ledger and allocator equal at {marks} phase marks, no block unknown")
    for name, errors in (("allocated", peaks), ("reserved", reserved)):
        sizes = [abs(error) for error in errors]
        print(f"prediction of {name} bytes: median error {statistics.median(sizes):.2%}, worst {max(sizes):.2%}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
