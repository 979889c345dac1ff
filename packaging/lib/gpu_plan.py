# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part "plan" of packaging/gpu-check: the first rows that `recommend --prove` shows for two models, each trained on the device. Its
bytes are compared with the row's, and its tokens a second printed beside the row's upper bound."""
import json
import subprocess

from gpu_record import run, stand_in_of

QUESTIONS = (("llama-3.2-1b", ("--batch", "2", "--seq", "1024")), ("qwen2.5-0.5b", ("--batch", "4", "--seq", "512")))
ROWS = 3  # of each
STEPS = {"warmup_steps": 1, "steps": 3}


def proved_rows(cli, card, model, words):
    """Those that fit one card, in the order of the table; different in more than what is folded under a row."""
    asked = [cli, "recommend", model, "--device", card, "--prove", "--json", *words]
    done = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        return [], (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    rows = json.loads(done.stdout)["strategies"]
    return [row for row in rows if row["devices_needed"] == 1 and row.get("proved", {}).get("fits")][:ROWS], ""


def compare(cli, device, out):
    """The exit status: 0 where every row reserves what its dry run did."""
    card = stand_in_of(cli, device).removeprefix("dry:")
    failed = rows = 0
    for model, words in QUESTIONS:
        shown, why = proved_rows(cli, card, model, words)
        if why:
            print(f"peakscope: plan {model}: {why}", flush=True)
            failed += 1
        for number, row in enumerate(shown, 1):
            rows += 1
            experiment = row["experiment"] | {"device": device}
            experiment["training"] = experiment["training"] | STEPS
            result, why = run(cli, out, f"plan-{model}-{number}", experiment)
            if result is None:
                print(f"peakscope: plan {model} {number}: {why}", flush=True)
                failed += 1
                continue
            memory, proved = result["memory"], row["proved"]
            wrong = [f"{key.removesuffix('_bytes')} {memory[ours]} bytes, the row {proved[key]}"
                     for key, ours in (("allocated_bytes", "peak_bytes"), ("reserved_bytes", "peak_reserved_bytes"))
                     if memory[ours] != proved[key]]
            failed += bool(wrong)
            seconds = result.get("timing", {}).get("median_step_seconds")
            data = experiment["data"]
            speed = f"; {data['batch'] * data['seq'] / seconds:.0f} tokens/s traced, bound {row['tokens_per_second']:.0f}" if seconds else ""
            print(f"peakscope: plan {model} {number}, {row['title']}: {'; '.join(wrong) or 'equal'}{speed}", flush=True)
    if rows == 0:
        print("peakscope: plan: no row fits this card; nothing was compared")
    return 1 if failed else 0
