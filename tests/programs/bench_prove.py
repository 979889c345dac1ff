#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks `recommend --prove` questions drawn at random, and holds each row's estimate against its dry run.

    bench_prove.py CLI NUMBERS [QUESTIONS]

NUMBERS is a JSON file that keeps what was asked, so that the benchmark can be stopped and continued. Each proved row is run once more by
`run --device dry:CARD`, in a process of its own: the same bytes. Prints the errors of the estimates and the verdicts that the proof changed.
"""
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

MODELS = ["llama-3.2-1b", "llama-3.2-3b", "llama-3.1-8b", "qwen2.5-0.5b", "qwen2.5-1.5b", "qwen2.5-7b", "qwen2.5-14b", "gpt2", "gpt2-xl",
          "opt-1.3b", "opt-6.7b", "llama-2-7b", "llama-2-13b", "pythia-1.4b"]
CARDS = ["rtx-4090", "rtx-3090", "a100-40gb", "a100-80gb", "h100-80gb", "l40s", "rtx-5090"]
FITTING = ("comfortable", "fits", "tight")


def questions(count):
    drawn = random.Random(17)
    while count:
        yield drawn.choice(MODELS), drawn.choice(CARDS)
        count -= 1


def command(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def run_again(cli, row, folder):
    experiment = {**row["experiment"], "device": row["proved"]["device"], "weights": "random"}
    experiment["training"] = {**experiment["training"], "warmup_steps": 1, "steps": 1}
    source, result = folder / "experiment.json", folder / "result.json"
    source.write_text(json.dumps(experiment))
    result.unlink(missing_ok=True)
    command(cli, "run", str(source), "--out", str(result))
    memory = json.loads(result.read_text())["memory"] if result.exists() else {}
    return memory.get("peak_bytes"), memory.get("peak_reserved_bytes")


def ask(cli, model, card, folder):
    plain = command(cli, "recommend", "--model", model, "--device", card, "--json")
    proved = command(cli, "recommend", "--model", model, "--device", card, "--json", "--prove")
    if plain.returncode or proved.returncode:
        return {"error": (plain.stderr + proved.stderr).strip()[-200:]}
    before = {json.dumps(row["experiment"], sort_keys=True): row["verdict"] for row in json.loads(plain.stdout)["strategies"]}
    rows = []
    for row in json.loads(proved.stdout)["strategies"]:
        if "proved" in row:
            again = run_again(cli, row, folder)
            rows.append({"title": row["title"], "estimated": row["peak_reserved_bytes"], "proved": row["proved"],
                         "same": again == (row["proved"]["allocated_bytes"], row["proved"]["reserved_bytes"]),
                         "before": before.get(json.dumps(row["experiment"], sort_keys=True)), "after": row["verdict"]})
    return {"rows": rows}


def main():
    cli, numbers = sys.argv[1], pathlib.Path(sys.argv[2])
    known = json.loads(numbers.read_text()) if numbers.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for model, card in questions(int(sys.argv[3]) if len(sys.argv) > 3 else 20):
            key = f"{model} on {card}"
            if key not in known:
                known[key] = ask(cli, model, card, pathlib.Path(folder))
                numbers.write_text(json.dumps(known, indent=1))
            for row in known[key].get("rows", []):
                error = row["estimated"] / row["proved"]["reserved_bytes"] - 1 if row["proved"]["fits"] else float("nan")
                print(f"{key:<28} {error:+7.2%} {row['before']} -> {row['after']}{'' if row['same'] else ' NOT THE SAME'}  {row['title']}", flush=True)
            if "error" in known[key]:
                print(f"{key:<28} {known[key]['error']}", flush=True)
    rows = [row for answer in known.values() for row in answer.get("rows", [])]
    errors = [abs(row["estimated"] / row["proved"]["reserved_bytes"] - 1) for row in rows if row["proved"]["fits"]]
    wrong = [row for row in rows if (row["before"] in FITTING) != (row["after"] in FITTING)]
    print(f"{len(rows)} rows: {sum(row['same'] for row in rows)} the same when run again, reserved bytes off by {statistics.median(errors):.2%} "
          f"in the median and {max(errors):.2%} at most, {len(wrong)} verdicts wrong before the proof")


if __name__ == "__main__":
    main()
