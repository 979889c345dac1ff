# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`fit` of a plain loop beside a table of measured runs: the largest batch that it finds for each card and model, and the batches
that the card took and did not take.

    bench_fit.py CLI PYTHON LOOP.py ROWS.csv OUT.jsonl [MODEL[,MODEL…]]

CLI, PYTHON, LOOP.py and ROWS.csv are those of bench_cards.py. A search that OUT.jsonl has is not run again. The exit status is 1
where a search fails, or a batch that the card took lies above what it found, or one that the card did not take not above it.
"""
import csv
import json
import os
import subprocess
import sys
import time

from bench_cards import DEVICES

MODELS = "opt-125m,gpt2,distilgpt2,gpt-neo-125m"
MOST = 64  # the largest batch that is tried


def fit(cli, python, loop, card, model):
    command = [cli, "fit", "--device", DEVICES[card], "--vary", f"batch=1..{MOST}", "--target", "1", "--steps", "4", "--json", "--",
               python, loop, model, "adamw", "{batch}", "0", "0"]
    began = time.time()
    ended = subprocess.run(command, env={**os.environ, "CUBLAS_WORKSPACE_CONFIG": ":0:0"}, capture_output=True, text=True)
    took = round(time.time() - began)
    if ended.returncode:
        return {"failed": (ended.stderr.strip() or "nothing").splitlines()[-1], "seconds": took}
    found = json.loads(ended.stdout)["cards"][0]
    return {"largest": (found["largest"] or {"batch": 0})["batch"], "runs": len(found["points"]), "seconds": took}


def main():
    cli, python, loop, table, out = sys.argv[1:6]
    models = (sys.argv[6] if len(sys.argv) > 6 else MODELS).split(",")
    searches = {}
    for row in csv.DictReader(open(table, encoding="utf-8")):
        if row["card"] in DEVICES and row["model"] in models and (row["optimiser"], row["zero_grad"]) == ("adamw", "0"):
            searches.setdefault((row["card"], row["model"]), {}).setdefault(row["measured_oom"] == "1", set()).add(int(row["batch"]))
    done = {}
    if os.path.exists(out):
        done = {(card, model): found for card, model, found in map(json.loads, open(out, encoding="utf-8"))}
    wrong = rows = 0
    print(f"{'card':9}{'model':14}{'took':>5}{'fit':>5}{'not':>5}{'runs':>6}{'seconds':>9}")
    for (card, model), batches in sorted(searches.items()):
        if (card, model) not in done:
            done[card, model] = fit(cli, python, loop, card, model)
            with open(out, "a", encoding="utf-8") as file:
                file.write(json.dumps([card, model, done[card, model]]) + "\n")
        found, took, refused = done[card, model], batches.get(False, set()), batches.get(True, set())
        rows += len(took) + len(refused)
        if "failed" in found:
            wrong += 1
            print(f"{card:9}{model:14} {found['failed']}", flush=True)
            continue
        contradicted = sorted({batch for batch in took if batch > found["largest"]} | {batch for batch in refused if batch <= found["largest"]})
        wrong += bool(contradicted)
        print(f"{card:9}{model:14}{max(took, default='-'):>5}{found['largest']:>5}{min(refused, default='-'):>5}{found['runs']:>6}"
              f"{found['seconds']:>9}{'  CONTRADICTS ' + str(contradicted) if contradicted else ''}", flush=True)
    print(f"{len(searches)} searches beside {rows} measured batches, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
