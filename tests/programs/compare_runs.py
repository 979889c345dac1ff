#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry runs beside a card: compare_runs.py h100.json FOLDER/runs.jsonl prints what differs and how many are equal.

FOLDER is what training_loops.py wrote, run with the same versions on a stand-in of the same card:
peakscope-cli record --device dry:h100-80gb --steps 1000000 -- python training_loops.py --out FOLDER
"""
import json
import statistics
import sys

MEASURED = ("allocated", "reserved", "requested", "active", "retries", "oom", "used_before", "used_after", "seconds", "total",
            "loss", "message", "error", "where", "reserved_now")


def settings(run):
    return json.dumps({key: value for key, value in run.items() if key not in MEASURED}, sort_keys=True)


def main():
    measured = {settings(run): run for run in json.load(open(sys.argv[1], encoding="utf-8"))["runs"]}
    rows = []
    for line in open(sys.argv[2], encoding="utf-8"):
        dry = json.loads(line.split("\t")[-1])
        card = measured.get(settings(dry))
        if card:
            rows.append((card, dry))
    print("| run | allocated | dry | % | reserved | dry | % |\n| --- | --- | --- | --- | --- | --- | --- |")
    errors = {"allocated": [], "reserved": []}
    refused = 0
    for card, dry in rows:
        name = " ".join(str(value) for key, value in card.items() if key not in MEASURED)
        if dry.get("error") or dry.get("oom") != card["oom"]:
            refused += 1
            print(f"| {name} | {card['allocated']} | {(dry.get('error') or 'ran out of memory')[:90]} | | {card['reserved']} | | |")
            continue
        for key in errors:
            errors[key].append(dry[key] / card[key] - 1)
        if any(dry[key] != card[key] for key in errors):
            print(f"| {name} | " + " | ".join(f"{card[key]:,} | {dry[key]:,} | {100 * (dry[key] / card[key] - 1):+.3f}"
                                             for key in errors) + " |")
    for key, values in errors.items():
        print(f"{key}: {sum(value == 0 for value in values)} of {len(values)} equal to the byte, median "
              f"{100 * statistics.median(map(abs, values)):.3f} %, worst {100 * max(map(abs, values)):.3f} %")
    print(f"not run dry: {refused}")


if __name__ == "__main__":
    main()
