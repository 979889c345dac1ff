# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a plain loop dry for every row of a table of measured runs, and prints what the card held, what the dry run reserves,
what xMem estimates, and the errors in per cent.

    bench_cards.py CLI PYTHON LOOP.py ROWS.csv OUT.jsonl [CARD[,CARD…]] [--varying]

CLI: peakscope-cli. PYTHON: one with torch 2.6.0 and transformers 4.51.3. LOOP.py MODEL OPTIMISER BATCH SEED ZERO_GRAD. A row of
ROWS.csv that OUT.jsonl has is not run again. Rows whose lengths vary are run with --varying alone. The exit status is 1 where a
row of fixed length reserves other bytes than the table's dry_reserved_median, or another verdict.
"""
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

# The bytes of the cards of the table, as the runtime reports them, where they are not the catalogue's.
DEVICES = {"rtx3060": "dry:rtx-3060", "rtx4060": "dry:rtx-4060", "a100-40": "dry:a100-40gb:42474471424"}
KEYS = ("card", "model", "optimiser", "batch", "zero_grad", "cublas_workspace")


def dry(cli, python, loop, row):
    environment = {key: value for key, value in os.environ.items() if key != "CUBLAS_WORKSPACE_CONFIG"}
    if row["cublas_workspace"].startswith(":"):
        environment["CUBLAS_WORKSPACE_CONFIG"] = row["cublas_workspace"]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        command = [cli, "record", "--device", DEVICES[row["card"]], "--steps", "1000", "--out", out, "--", python, loop,
                   row["model"], row["optimiser"].removesuffix("_torch"), row["batch"], "0", row["zero_grad"]]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
        try:
            result = json.load(open(out, encoding="utf-8"))
        except OSError:
            return {"failed": (ended.stderr.strip() or "nothing").splitlines()[-1]}
    program = result["config"]["program"]
    return {"reserved": result["memory"]["peak_reserved_bytes"], "allocated": result["memory"]["peak_bytes"],
            "oom": int(program["out_of_memory"]), "unknown": program["unknown_answers"]}


def main():
    words = [word for word in sys.argv[1:] if word != "--varying"]
    cli, python, loop, table, out = words[:5]
    cards = words[5].split(",") if len(words) > 5 else list(DEVICES)
    rows = {}
    for row in csv.DictReader(open(table, encoding="utf-8")):
        if row["card"] in cards and (row["fixed_length"] == "1" or "--varying" in sys.argv):
            rows.setdefault(tuple(row[key] for key in KEYS), row)
    done = {}
    if os.path.exists(out):
        for line in open(out, encoding="utf-8"):
            answer = json.loads(line)
            done[tuple(answer["row"])] = answer
    missing = [key for key in rows if key not in done]
    with concurrent.futures.ThreadPoolExecutor(2) as pool, open(out, "a", encoding="utf-8") as file:
        runs = {pool.submit(dry, cli, python, loop, rows[key]): key for key in missing}
        for run in concurrent.futures.as_completed(runs):
            answer = {"row": runs[run], **run.result()}
            done[tuple(answer["row"])] = answer
            file.write(json.dumps(answer) + "\n")
            file.flush()
    print(f"{'card':9}{'model':18}{'optimiser':10}{'batch':>5} {'measured':>15}{'dry':>15}{'table':>15}{'error %':>9}{'xMem %':>8}")
    wrong = 0
    for key, row in rows.items():
        answer = done[key]
        if "failed" in answer:
            wrong += 1
            print(f"{row['card']:9}{row['model']:18}{row['optimiser']:10}{row['batch']:>5} {answer['failed']}")
            continue
        fixed, expected, oom = row["fixed_length"] == "1", int(row["dry_reserved_median"]), int(row["dry_oom"])
        same = answer["oom"] == oom and (oom or answer["reserved"] == expected)
        wrong += fixed and not same
        error = 100 * (answer["reserved"] / int(row["measured_bytes"]) - 1)
        print(f"{row['card']:9}{row['model']:18}{row['optimiser']:10}{row['batch']:>5} {row['measured_bytes']:>15}"
              f"{answer['reserved']:>15}{expected:>15}{error:>9.3f}{float(row['peer_error_pct'] or 'nan'):>8.2f}"
              f"{' out of memory' if answer['oom'] else ''}{'' if same or not fixed else '  DIFFERS'}")
    print(f"{len(rows)} rows, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
