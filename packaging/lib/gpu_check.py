# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one part of packaging/gpu-check and stops before its time is over; the next call goes on where it stopped.

A point is one experiment in a process of its own. Its result, the experiment it is of and the seconds spent on it lie in
OUT/points; a point that is there for the same experiment is not run again. Exit status: 0 the part is complete, 1 it is
and something failed, 75 time was over before it was.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import gpu_plan
import gpu_points
import gpu_ranks
import gpu_record
import gpu_table

GROUPS = ("ledger rules: ", "model: ", "lora: ", "optimizer: ", "dp-sgd: ", "curvature: ", "prm: ", "run: ",
          "ledger: ", "device: ")
CPU_GROUPS = GROUPS + ("prediction: ",)  # estimates are of a CPU's allocations
DRY_GROUPS = ("ledger rules: ", "ledger: ", "device: ")  # those of memory
UNFINISHED = 75
MOST_BYTES = 8 * 2**20  # of a kept result


def say(text):
    print(f"peakscope: {text}", flush=True)


def write_whole(path, text):
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


class Check:
    def __init__(self, arguments):
        self.cli = arguments.cli
        self.device = arguments.device
        self.small = arguments.device == "cpu"
        self.dry = gpu_points.is_dry(arguments.device)
        self.groups = CPU_GROUPS if self.small else DRY_GROUPS if self.dry else GROUPS
        self.out = pathlib.Path(arguments.out)
        name = "points-" + self.device.replace(":", "-") if self.dry else "points-small" if self.small else "points"
        self.folder = self.out / name
        self.table_file = self.out / ("table" + name.removeprefix("points").removesuffix("-small") + ".md")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.deadline = time.monotonic() + arguments.seconds
        self.grace = arguments.grace
        self.least = arguments.least + arguments.grace
        self.points = gpu_points.all_points(self.device, self.small)

    def left(self):
        return self.deadline - time.monotonic()

    # A program's exit status, or None where it had to be stopped because time was over. A run is asked to end and then
    # writes what it has; the checks would take that for one check's end, so they are ended with all they started.
    def run(self, words, log, ask=True):
        with open(log, "wb") as output:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       start_new_session=True)
            try:
                return self.wait(process, ask)
            except BaseException:  # interrupted: an experiment that goes on would keep the device's memory
                self.end_group(process.pid)
                raise

    def wait(self, process, ask):
        try:
            return process.wait(max(1.0, self.left() - self.grace))
        except subprocess.TimeoutExpired:
            if ask:
                process.send_signal(signal.SIGTERM)
        try:
            process.wait(self.grace if ask else 0)
        except subprocess.TimeoutExpired:
            pass
        self.end_group(process.pid)
        process.wait()
        return None

    @staticmethod
    def end_group(group):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass

    # ---- selftest

    def group_file(self, group):
        return self.folder / f"selftest-{group.strip(': ').replace(' ', '-')}.txt"

    def selftest_counts(self, group):
        try:
            last = self.group_file(group).read_text(encoding="utf-8").strip().splitlines()[-1].split()
        except (OSError, IndexError, UnicodeDecodeError):
            return None
        if len(last) == 4 and last[1] == "passed," and last[3] == "failed":
            return int(last[0]), int(last[2])
        return None

    def selftest(self):
        crashed = False
        for group in self.groups:
            if self.selftest_counts(group) is not None:
                continue
            if self.left() < self.least:
                return UNFINISHED
            partial = self.group_file(group).with_suffix(".part")
            status = self.run([self.cli, "selftest", "--device", self.device, "--only", group], partial, ask=False)
            if status is None:
                return UNFINISHED
            if status not in (0, 1):
                say(f"selftest {group.strip(': ')} ended with status {status}: {self.last_line(partial)}")
                crashed = True
                continue
            partial.replace(self.group_file(group))
            passed, wrong = self.selftest_counts(group) or (0, 1)
            say(f"selftest {group.strip(': ')}: {passed} passed, {wrong} failed")
        wrong = any(counts is None or counts[1] for counts in map(self.selftest_counts, self.groups))
        return 1 if crashed or wrong else 0

    # ---- points

    def paths(self, point):
        stem = self.folder / point["name"]
        return {kind: stem.with_name(stem.name + ending)
                for kind, ending in (("experiment", ".experiment.json"), ("result", ".json"), ("log", ".log"),
                                     ("spent", ".spent.json"))}

    def result_of(self, point):
        paths = self.paths(point)
        if read_json(paths["experiment"]) != point["experiment"]:
            return None
        result = read_json(paths["result"])
        return result if result and result.get("status") in ("complete", "over_budget", "failed") else None

    def spent_on(self, point):
        return read_json(self.paths(point)["spent"]) or {"attempts": 0, "seconds": 0.0}

    def last_line(self, path):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        except OSError:
            lines = []
        return lines[-1] if lines else "it said nothing"

    # A curvature point goes on where it was, a training run begins anew: where it was stopped at the end of two calls
    # that left it as long as this one, it would be in a third.
    @staticmethod
    def never_ends(point, spent, window):
        stopped = spent.get("stopped_after", [])
        return point["experiment"]["kind"] == "memory" and sum(was >= 0.9 * window for was in stopped) >= 2

    # True where the point has a result, False where time was over or the program could not say what happened.
    def measure(self, point):
        paths = self.paths(point)
        if read_json(paths["experiment"]) != point["experiment"]:
            for path in paths.values():
                path.unlink(missing_ok=True)
            write_whole(paths["experiment"], json.dumps(point["experiment"], indent=1))
        spent, start, window = self.spent_on(point), time.monotonic(), self.left()
        if self.never_ends(point, spent, window):
            say(f"{point['name']}: needs more than the {window / 60:.0f} minutes of a call; give more with --minutes")
            return True
        status = self.run([self.cli, "run", str(paths["experiment"]), "--out", str(paths["result"]), "--resume"],
                          paths["log"])
        stopped = spent.get("stopped_after", []) + [window] if status is None else []
        spent = {"attempts": spent["attempts"] + 1, "seconds": spent["seconds"] + time.monotonic() - start,
                 "stopped_after": stopped}
        write_whole(paths["spent"], json.dumps(spent))
        if status is None:
            say(f"{point['name']}: not finished within this call")
            return False
        result = self.result_of(point)
        if result is None:
            say(f"{point['name']}: ended with status {status}: {self.last_line(paths['log'])}")
            return True
        self.keep_small(paths["result"], result)
        say(f"{point['name']}: {result['status']}, {gpu_table.headline(result)}")
        return True

    # A timeline of a million events would not travel back from a machine that is only lent; its peaks stay.
    @staticmethod
    def keep_small(path, result):
        if path.stat().st_size <= MOST_BYTES or "timeline" not in (result.get("memory") or {}):
            return
        del result["memory"]["timeline"]
        result.setdefault("notes", []).append("the timeline was too long to be kept by the GPU check")
        write_whole(path, json.dumps(result))

    def measured_points(self, part):
        return [point for point in self.points[part] if point.get("measured", True)]

    def part(self, part):
        failed = False
        for point in self.measured_points(part):
            result = self.result_of(point)
            if result is None or result["status"] == "failed":
                if self.left() < self.least or not self.measure(point):
                    return UNFINISHED
                result = self.result_of(point)
            failed = failed or result is None or result["status"] == "failed"
        return 1 if failed else 0

    # ---- predictions of the full size, whatever is measured here

    def estimate(self, model, experiment):
        # A device of the catalogue: the plan is that of any card, and starting a context for each takes seconds.
        words = [self.cli, "estimate", "--model", model, "--json", "--device", "h200-141gb"]
        for key, value in experiment.items():
            if key not in ("model", "device"):
                words += ["--set", f"{key}={json.dumps(value)}"]
        answer = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            return {"error": answer.stderr.strip()}
        whole = json.loads(answer.stdout)
        return {key: whole.get(key) for key in ("peak_bytes", "peak_reserved_bytes", "verified")}

    def predictions(self):
        path = self.out / "predictions.json"
        known = read_json(path) or {}
        wanted = {}
        for part in gpu_points.all_points("cuda:0", False).values():
            for point in part:
                if point.get("estimate"):
                    wanted[point["name"]] = point
        for name, point in wanted.items():
            entry = known.get(name)
            if entry and entry.get("experiment") == point["experiment"] and "error" not in entry:
                continue
            if self.left() < 0:
                break  # the next call makes the others
            model, experiment = point["estimate"]
            known[name] = {"experiment": point["experiment"], **self.estimate(model, experiment)}
        known = {name: known[name] for name in wanted if name in known}
        write_whole(path, json.dumps(known, indent=1))
        return known

    def table(self):
        selftest = {group.strip(": "): self.selftest_counts(group) for group in self.groups}
        rows = {part: [(point, self.result_of(point), self.spent_on(point)) for point in self.measured_points(part)]
                for part in self.points}
        document = gpu_table.document(self.device, self.small, selftest, rows, self.predictions(),
                                      gpu_points.all_points("cuda:0", False), self.beside())
        write_whole(self.table_file.with_suffix(".json"), json.dumps(document, indent=1, ensure_ascii=False) + "\n")
        write_whole(self.table_file, gpu_table.markdown(document))
        return 0

    # The same points on a real card and on its stand-in, where both were run into this folder.
    def beside(self):
        real, pairs = self.out / "points", []
        for folder in sorted(self.out.glob("points-dry-*")):
            for path in sorted(real.glob("*.experiment.json")):
                name = path.name.removesuffix(".experiment.json")
                both = [read_json(where / f"{name}.json") for where in (real, folder)]
                if all(result and result.get("status") == "complete" and "memory" in result for result in both):
                    pairs.append((folder.name.removeprefix("points-"), name, *both))
        return pairs

    # ---- what is not there yet

    def missing(self):
        lacking = []
        groups = [group.strip(": ") for group in self.groups if self.selftest_counts(group) is None]
        if groups:
            lacking.append(f"selftest ({', '.join(groups)})")
        for part in self.points:
            points = self.measured_points(part)
            names = [point["name"] for point in points if self.result_of(point) is None]
            if names:
                lacking.append(f"{part} ({len(names)} of {len(points)} points, next {names[0]})")
        if not self.table_file.exists():
            lacking.append("table")
        return lacking


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--least", type=float, default=40, help="seconds; nothing is begun with less left")
    parser.add_argument("--grace", type=float, default=20, help="seconds for an experiment to write what it has")
    parser.add_argument("part", choices=("selftest", "ledger", "seed003", "ladder", "sweep", "record", "ranks", "plan", "table", "missing"))
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    check = Check(arguments)
    if arguments.part == "missing":
        print("; ".join(check.missing()))
        return 0
    if arguments.part == "selftest":
        return check.selftest()
    if arguments.part == "record":
        return 0 if check.small else gpu_record.compare(check.cli, check.device, check.out)
    if arguments.part == "ranks":
        return 0 if check.small else gpu_ranks.compare(check.cli, check.device, check.out)
    if arguments.part == "plan":
        return 0 if check.small else gpu_plan.compare(check.cli, check.device, check.out)
    if arguments.part == "table":
        return check.table()
    return check.part(arguments.part)


if __name__ == "__main__":
    sys.exit(main())
