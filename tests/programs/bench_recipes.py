# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry runs of recipes.py and sharded.py beside recipes.json, the bytes of an earlier study of the same versions: those of the last
step, and how far they are off.

    bench_recipes.py CLI PYTHON OUT.jsonl [WORD…]

CLI: peakscope-cli. PYTHON: one with what recipes.json names as its stack. Rows that have every WORD are run; one that OUT.jsonl
has is not run again. The exit status is 1 where a row fails or is off by more than half a per cent and does not say why.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
BOUND = 0.5  # per cent


def dry(cli, python, row, models):
    with tempfile.TemporaryDirectory() as folder:
        words, ghost = row["words"], []
        if "ghost" in row:
            made = pathlib.Path(folder, row["ghost"])
            made.mkdir()
            (made / "config.json").write_text(json.dumps(models[row["ghost"]]), encoding="utf-8")
            words, ghost = words.replace("GHOST", str(made)), ["--ghost", str(made)]
        ranks = ["--world", str(row["world"]), "--rank", str(row["rank"])] if "world" in row else []
        command = [cli, "record", "--device", "dry:" + row["card"], "--steps", "1000", "--allow-saves", *ghost, *ranks,
                   "--out", os.path.join(folder, "run.json"), "--", python, str(HERE / row.get("program", "recipes.py")),
                   *words.split()]
        began = time.time()
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1200)
        took = round(time.time() - began, 1)
        if ended.returncode:
            return {"failed": ended.stderr.strip()[-300:], "seconds": took}
        program = json.loads(pathlib.Path(folder, "run.json").read_text(encoding="utf-8"))["config"]["program"]
        span = {"range": program["reserved_range"]} if "reserved_range" in program else {}
        return {**json.loads(ended.stdout.strip().splitlines()[-1]), **span, "seconds": took}


def main():
    cli, python, out, *chosen = sys.argv[1:]
    table = json.loads((HERE / "recipes.json").read_text(encoding="utf-8"))
    rows = [row for row in table["rows"] if all(word in (row["card"] + " " + row["words"]).split() for word in chosen)]
    done = {}
    if os.path.exists(out):
        for line in open(out, encoding="utf-8"):
            done.update([json.loads(line)])
    wrong = 0
    for row in rows:
        name = f"{row['card']} {row['words']}" + (f", rank {row['rank']} of {row['world']}" if "world" in row else "")
        if name not in done:
            done[name] = dry(cli, python, row, table["models"])
            with open(out, "a", encoding="utf-8") as file:
                file.write(json.dumps([name, done[name]]) + "\n")
        found = done[name]
        errors = {key: 100 * (found[key] / row[key] - 1) for key in ("allocated", "reserved") if key in row and key in found}
        low, high = found.get("range", (1, 0))  # where the card's pace decides
        if low <= row.get("reserved", 0) <= high:
            errors["reserved"] = 0.0
        right = bool(errors) and all(abs(error) <= BOUND for error in errors.values())
        wrong += not right and "why" not in row
        print(f"{'' if right else 'DIFFERS ' + row.get('why', '') + ' '}{name}: " + found.get("failed", ", ".join(
            f"{key} {found[key]:,}" + (f" ({error:+.3f} %)" if error else "") for key, error in errors.items()))
            + f"; {found['seconds']} s", flush=True)
    print(f"{len(rows)} rows, {wrong} off by more than {BOUND} %")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
