# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of torchtitan's own table of 2024-12 (benchmarks/llama3_h100_202412 of its repository: most memory reserved on each GPU)
beside dry runs of one rank of it, unmodified.

    bench_titan.py CLI PYTHON TORCHTITAN OUT.jsonl [NUMBER…]

PYTHON: one with torch 2.6.0, torchao 0.8.0, torchdata==0.11.0, tiktoken, blobfile, datasets==3.6.0, tomli, tensorboard. TORCHTITAN: its repository at commit
9dec370. The tokenizer and the text are made up, of the right sizes; the allocator's settings are PyTorch's own (with the
launcher's expandable_segments:True the figures are 3 to 4 % lower, and the source does not say which were in force). The float8
settings of the last row (all-gather in float8, precomputed scales) are not said there either. A row that OUT.jsonl has is not run
again. The exit status is 1 where a row is not the published one in its printed digit.
"""
import base64
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

SMALL, LARGE = "train_configs/llama3_8b.toml", "train_configs/llama3_70b.toml"
SELECTIVE = "--activation_checkpoint.mode selective --activation_checkpoint.selective_ac_option op --training.batch_size 2"
FLOAT8 = "--float8.enable_float8_linear --float8.enable_fsdp_float8_all_gather --float8.precompute_float8_dynamic_scale_for_fsdp"
ROWS = [
    ("8B, FSDP 8", 8, SMALL, SELECTIVE, 82.4),
    ("8B, FSDP 8, compiled", 8, SMALL, SELECTIVE + " --training.compile", 77.0),
    ("8B, FSDP 8, compiled, float8", 8, SMALL, f"{SELECTIVE} --training.compile {FLOAT8}", 76.8),
    ("8B, FSDP 128", 128, SMALL, SELECTIVE, 67.0),
    ("8B, FSDP 128, compiled", 128, SMALL, SELECTIVE + " --training.compile", 62.0),
    ("8B, FSDP 128, compiled, float8", 128, SMALL, f"{SELECTIVE} --training.compile {FLOAT8}", 61.8),
    ("70B, FSDP 32 x TP 8, compiled, float8", 256, LARGE,
     f"--activation_checkpoint.mode full --training.batch_size 16 --training.tensor_parallel_degree 8 --training.compile {FLOAT8}",
     71.9),
]


def prepare(titan):
    """A text of words and a tokenizer of 128,000 tokens and 256 special ones, as Llama 3's."""
    draw = random.Random(0)
    (titan / "tests/assets/c4_test").mkdir(parents=True, exist_ok=True)
    with open(titan / "tests/assets/c4_test/data.json", "w", encoding="utf-8") as file:
        for _ in range(2000):
            words = ("".join(draw.choices("abcdefghijklmnop", k=5)) for _ in range(2000))
            file.write(json.dumps({"text": " ".join(words)}) + "\n")
    tokens = [bytes([value]) for value in range(256)] + [b"\xff" + value.to_bytes(3, "big") for value in range(256, 128000)]
    with open(titan / "made_up.model", "wb") as file:
        for rank, token in enumerate(tokens):
            file.write(base64.b64encode(token) + b" %d\n" % rank)
    for config in (SMALL, LARGE):
        text = (titan / config).read_text(encoding="utf-8")
        for what in ("enable_profiling", "enable_tensorboard"):
            text = re.sub(rf"^{what} = true", f"{what} = false", text, flags=re.M)
        (titan / f"dry_{pathlib.Path(config).name}").write_text(text, encoding="utf-8")


def dry(cli, python, titan, world, config, words):
    command = [cli, "record", "--device", "dry:h100-80gb:95GiB", "--world", str(world), "--steps", "1000", "--", python, "train.py",
               "--job.config_file", f"dry_{pathlib.Path(config).name}", "--training.steps", "10", "--training.dataset", "c4_test",
               "--model.tokenizer_path", "made_up.model", *words.split()]
    began = time.time()
    ended = subprocess.run(command, cwd=titan, capture_output=True, text=True, timeout=1200)
    found = re.findall(r"memory: ([\d.]+)GiB", ended.stdout + ended.stderr)
    return {"memory": float(found[-1]) if found else None, "status": ended.returncode, "seconds": round(time.time() - began, 1),
            "end": ended.stderr.strip()[-400:] if ended.returncode else ""}


def main():
    cli, python, titan, out, *numbers = sys.argv[1:]
    titan = pathlib.Path(titan).resolve()
    done = {}
    if os.path.exists(out):
        for line in open(out, encoding="utf-8"):
            done.update([json.loads(line)])
    prepare(titan)
    wrong = 0
    for number, (name, world, config, words, published) in enumerate(ROWS, 1):
        if numbers and str(number) not in numbers:
            continue
        if name not in done:
            done[name] = dry(os.path.abspath(cli), python, titan, world, config, words)
            with open(out, "a", encoding="utf-8") as file:
                file.write(json.dumps([name, done[name]]) + "\n")
        found = done[name]
        same = found["memory"] is not None and round(found["memory"], 1) == published and found["status"] == 0
        wrong += not same
        print(f"{'' if same else 'DIFFERS '}{name}: published {published}, dry {found['memory']} GiB; {found['seconds']} s {found['end']}",
              flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
